/**
 * Checks scenario, fixture and configuration files, and reports every problem with its line and column.
 */
import { basename } from 'node:path'
import { optionsOf } from '../gateway/extra.ts'
import { GatewayCore } from '../gateway/gateway.ts'
import { toViolations } from '../http/violations.ts'
import { check } from '../lib/check.ts'
import { type DataFile, FileError, type FileProblem, readDataFile } from '../lib/data-file.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import { readPath } from '../lib/value-path.ts'
import type { CollectionDeclaration } from '../resources/collection.ts'
import { collectionNames, collections } from '../resources/collections.ts'
import { readScenario } from '../scenarios/read-scenario.ts'
import { everyOperation, gatewaySetup } from '../setup.ts'
import { fixtureLimit, readConfig } from './config-file.ts'

/** Returns the problems in all files, in order. The list is empty if all files are valid. */
export function validateFiles(files: readonly string[]): FileProblem[] {
  return files.flatMap(validateFile)
}

function validateFile(file: string): readonly FileProblem[] {
  try {
    const collection = collectionOf(file)
    const data = readDataFile(file, collection && fixtureLimit)
    if (collection) return fixtureProblems(file, data, collection)
    if (Array.isArray(data.value)) return [unknownCollection(file)]
    if (isConfig(data.value)) return configProblems(file)
    readScenario(file, { operations: everyOperation, files: () => data })
    return []
  } catch (error) {
    if (error instanceof FileError) return error.problems
    throw error
  }
}

/** Returns true for `createGateway` options, false for a scenario. */
function isConfig(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || 'rules' in value || 'on' in value) return false
  const options = optionsOf(gatewaySetup.extras)
  return Object.keys(value).some((name) => Object.hasOwn(options, name))
}

/** Returns the problems that `--config` would report. */
function configProblems(file: string): FileProblem[] {
  try {
    new GatewayCore(readConfig(file), gatewaySetup)
    return []
  } catch (error) {
    if (error instanceof FileError) return [...error.problems]
    const { message, scenario } = error as Error & { scenario?: number }
    const prefix = scenario === undefined ? '' : `scenarios[${scenario}]: `
    return [problemOf(file, prefix + message.replace('createGateway: ', ''))]
  }
}

/** Finds a fixture file's collection by file name, such as `embeddings-models.json`. */
function collectionOf(file: string): CollectionDeclaration | undefined {
  const name = stem(file)
  return collections.find((collection) => kebabCase(collection.name) === name)
}

function unknownCollection(file: string): FileProblem {
  const name = stem(file)
  const hint = didYouMean(name, collectionNames.map(kebabCase))
  return problemOf(file, `A list is read as a fixture, but there is no collection '${name}'${hint}`)
}

function fixtureProblems(file: string, data: DataFile, collection: CollectionDeclaration): FileProblem[] {
  if (!Array.isArray(data.value))
    return [problemOf(file, `The fixture of ${collection.name} must be a list of records`)]
  return Array.from(recordProblems(data.value, collection), ({ index, path, message }) => ({
    file,
    message: `${collection.name}[${index}]${path}: ${message}`,
    ...data.locate([index, ...readPath(path)]),
  }))
}

/** Finds records that violate the schema or repeat an earlier record's key. */
function* recordProblems(
  records: readonly unknown[],
  collection: CollectionDeclaration,
): Generator<{ index: number; path: string; message: string }> {
  const { schema, keys } = collection
  const indexes = new Map<string, number>()
  for (const [index, record] of records.entries()) {
    const result = check(schema, record)
    if (!result.success) {
      for (const { path, message } of toViolations(result.error, '')) yield { index, path, message }
      continue
    }
    for (const [name, keyOf] of Object.entries(keys)) {
      const key = `${name} '${keyOf(result.data)}'`
      const first = indexes.get(key)
      if (first === undefined) indexes.set(key, index)
      else yield { index, path: '', message: `${key} is already used by [${first}]` }
    }
  }
}

/** Returns a problem with a file as a whole. */
function problemOf(file: string, message: string): FileProblem {
  return { file, message, line: 1, column: 1 }
}

function stem(file: string): string {
  return basename(file).replace(/\.[^.]*$/, '')
}

function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
