import './cases/isolation.case.ts'
