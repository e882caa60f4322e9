/** Checks scenario, fixture and configuration files, and reports every problem with its line and column. */
import { basename } from 'node:path'
import * as z from 'zod'
import { SharedRows } from '../database/shared-rows.ts'
import { optionsOf } from '../gateway/extra.ts'
import { GatewayCore } from '../gateway/gateway.ts'
import { FileError, type FileProblem, readCheckedFile, readDataFile } from '../lib/data-file.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import { collectionNames, collections } from '../resources/collections.ts'
import { readScenario } from '../scenarios/read-scenario.ts'
import { everyOperation, gatewaySetup } from '../setup.ts'
import { fixtureLimit, readConfig } from './config-file.ts'

export function validateFiles(files: readonly string[]): FileProblem[] {
  return files.flatMap((file) => {
    try {
      checkFile(file)
      return []
    } catch (error) {
      if (error instanceof FileError) return error.problems
      const { message, scenario } = error as Error & { scenario?: number }
      const prefix = scenario === undefined ? '' : `scenarios[${scenario}]: `
      return [{ file, message: prefix + message.replace('createGateway: ', ''), line: 1, column: 1 }]
    }
  })
}

function checkFile(file: string): void {
  const name = basename(file).replace(/\.[^.]*$/, '')
  const collection = collections.find((each) => kebabCase(each.name) === name)
  if (collection) {
    SharedRows.ofSeed(collection, readCheckedFile(file, z.array(collection.schema), fixtureLimit))
    return
  }
  const data = readDataFile(file)
  if (Array.isArray(data.value)) {
    const hint = didYouMean(name, collectionNames.map(kebabCase))
    const other = 'for a scenario, write { name, rules: […] }'
    throw new Error(`A list is read as a fixture (${other}), but there is no collection '${name}'${hint}`)
  }
  if (isConfig(data.value)) new GatewayCore(readConfig(file), gatewaySetup)
  else readScenario(file, { operations: everyOperation, files: () => data })
}

function isConfig(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || 'rules' in value || 'on' in value) return false
  const options = optionsOf(gatewaySetup.extras)
  return Object.keys(value).some((name) => Object.hasOwn(options, name))
}

function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
