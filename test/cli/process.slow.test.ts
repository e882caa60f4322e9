import { join } from 'node:path'
import { describeProcess } from './describe-process.ts'

describeProcess('src/serve.ts', () => join(import.meta.dirname, '../../src/serve.ts'))
