/**
 * Checks files that people write, scenarios and fixtures, and tells every problem with its place.
 */
import { basename } from 'node:path'
import { type CollectionName, collectionNames } from '../database/collection-names.ts'
import { collections } from '../database/collections.ts'
import { toViolations } from '../http/violations.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import { readPath } from '../lib/value-path.ts'
import { operations } from '../operations/index.ts'
import { type DataFile, FileError, type FileProblem, readDataFile } from './data-file.ts'
import { toScenario } from './scenario-file.ts'

const fixtureLimit = 64 * 1024 * 1024

/** The problems of all files, in their order; none where all can be used. */
export function validateFiles(files: readonly string[]): FileProblem[] {
  return files.flatMap(validateFile)
}

function validateFile(file: string): readonly FileProblem[] {
  try {
    const collection = collectionOf(file)
    const data = readDataFile(file, collection && fixtureLimit)
    if (collection) return fixtureProblems(file, data, collection)
    if (Array.isArray(data.value)) return [unknownCollection(file)]
    toScenario(file, data, operations)
    return []
  } catch (error) {
    if (error instanceof FileError) return error.problems
    throw error
  }
}

/** Fixture files bear the names of their collections: `embeddings-models.json`. */
function collectionOf(file: string): CollectionName | undefined {
  const name = stem(file)
  return collectionNames.find((collection) => kebabCase(collection) === name)
}

function unknownCollection(file: string): FileProblem {
  const name = stem(file)
  const hint = didYouMean(name, collectionNames.map(kebabCase))
  return {
    file,
    message: `A list is a fixture, and no collection is called '${name}'${hint}`,
    line: 1,
    column: 1,
  }
}

function fixtureProblems(file: string, data: DataFile, collection: CollectionName): FileProblem[] {
  if (!Array.isArray(data.value)) {
    return [{ file, message: `The fixture of ${collection} is not a list of records`, line: 1, column: 1 }]
  }
  return Array.from(recordProblems(data.value, collection), ({ index, path, message }) => ({
    file,
    message: `${collection}[${index}]${path}: ${message}`,
    ...data.locate([index, ...readPath(path)]),
  }))
}

/** What is wrong with which record; with its schema, or with a key that an earlier one has. */
function* recordProblems(
  records: readonly unknown[],
  collection: CollectionName,
): Generator<{ index: number; path: string; message: string }> {
  const { schema, keys } = collections[collection]
  const taken = new Map<string, number>()
  for (const [index, record] of records.entries()) {
    const result = schema.safeParse(record)
    if (!result.success) {
      for (const { path, message } of toViolations(result.error, '')) yield { index, path, message }
      continue
    }
    for (const [name, keyOf] of Object.entries(keys)) {
      // Every collection takes its own rows; one of another would not have passed its schema.
      const key = `${name} '${(keyOf as (row: unknown) => string)(result.data)}'`
      const first = taken.get(key)
      if (first === undefined) taken.set(key, index)
      else yield { index, path: '', message: `${key} is that of [${first}] too` }
    }
  }
}

function stem(file: string): string {
  return basename(file).replace(/\.[^.]*$/, '')
}

function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
