/** Tests that assumptions which no reply names are declared so. */
import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { type Assumption, assumptions } from '../../../src/assumptions.ts'

it('assumptions that no reply names say so, and all others are named somewhere', () => {
  const files = globSync('src/**/*.ts').filter((file) => !/assumptions\.ts$/.test(file))
  const source = files.map((file) => readFileSync(file, 'utf8')).join('\n')
  const unused = Object.keys(assumptions).filter((name) => !source.includes(`'${name}'`))
  const never = Object.entries<Assumption>(assumptions).filter(([, { reported }]) =>
    /^never/.test(reported ?? ''),
  )
  expect(unused).toEqual(never.map(([name]) => name))
})
