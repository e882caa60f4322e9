/** Tests messages and positions for mistakes in data files. `test/scenarios/scenario-files.test.ts` tests files. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { parseDataText, readCheckedFile } from '../../src/lib/data-file.ts'
import { temporaryFolder } from '../temporary-folder.ts'

describe('parseDataText', () => {
  it('accepts comments and trailing commas in JSON', () => {
    const { value, locate } = parseDataText('a.json', '{\n  # one\n  "a": [1, 2,],\n}')
    expect([value, locate(['a', 1])]).toEqual([{ a: [1, 2] }, { line: 3, column: 12 }])
  })

  it('locates the values of an empty document', () => {
    const { value, locate } = parseDataText('text', '# none\n')
    expect([value, locate([]), locate(['a'])]).toEqual([null, { line: 1, column: 1 }, { line: 1, column: 1 }])
  })

  it('accepts more than 100,000 values without aliases', () => {
    expect(parseDataText('text', `[${'0,'.repeat(100_000)}0]`).value).toHaveLength(100_001)
  })

  it('accepts 1,000 aliases, and rejects more', () => {
    const text = (count: number) => `- &a 1\n${'- *a\n'.repeat(count)}`
    expect(parseDataText('text', text(1000)).value).toHaveLength(1001)
    expect(() => parseDataText('text', text(1001))).toThrow('text:1:1: has more than 1000 aliases')
  })
})

describe('text of several megabytes', () => {
  const many = (text: string) => text.repeat(400_000)
  it.each([
    ['a long list in a line', `a: [${many('1,')}]`, '1:1: has too many values for YAML: convert it to JSON'],
    ['YAML with many lines', many('- a\n'), '1:1: has too many values for YAML: convert it to JSON'],
    [
      'JSON that ends early',
      `{"a":[${many('12,')}`,
      '1:1: not JSON: a bracket, quote, comma or colon is missing, or a quote or backslash is not escaped',
    ],
    [
      'JSON with a wrong bracket',
      `{"a":[${many('12,')}3}`,
      '1:1200008: not JSON: a bracket, quote, comma or colon is missing, or a quote or backslash is not escaped',
    ],
  ])('gets one line: %s', (_, text, problem) => {
    expect(() => parseDataText('text', text)).toThrow(`text:${problem}`)
  })

  it('has no positions in JSON with many values', () => {
    expect(parseDataText('text', `{\n"a":[${many('1,')}1]}`).locate(['a'])).toEqual({ line: 1, column: 1 })
  })
})

describe('readCheckedFile', () => {
  const folder = temporaryFolder()

  /** Returns the problem with a file of this content, without the file's path. */
  const problemOf = (content: string) => {
    const file = join(folder, 'a.json')
    writeFileSync(file, content)
    try {
      readCheckedFile(file, z.strictObject({ a: z.int() }))
      return 'valid'
    } catch (error) {
      return (error as Error).message.replace(file, '')
    }
  }

  it.each<[content: string, problem: string]>([
    ['{"a":1}', 'valid'],
    ['[1]', ':1:1: Must be an object, got a list'],
    ['{\n  "a": "1"\n}', ":2:3: a must be a number, got '1'"],
    [`{"a":1}${' '.repeat(2 ** 20 - 7)}`, 'valid'],
    [`{"a":1}${' '.repeat(2 ** 20 - 6)}`, ': is 1 MB; the maximum is 1 MB'],
  ])('locates the problems of a file of up to 1 MiB', (content, problem) => {
    expect(problemOf(content)).toBe(problem)
  })

  it.skipIf(process.platform === 'win32')('rejects devices', () => {
    expect(() => readCheckedFile('/dev/null', z.any())).toThrow('/dev/null: is not a file')
  })
})
