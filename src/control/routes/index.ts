/**
 * The only list of control routes: what is on it is served and documented.
 */
import type { ControlOperation } from '../operation.ts'
import { callOperations } from './calls.ts'
import { clockOperations } from './clock.ts'
import { databaseOperations } from './database.ts'
import { documentOperations } from './documents.ts'
import { journalOperations } from './journal.ts'
import { sandboxOperations } from './sandboxes.ts'
import { scenarioOperations } from './scenarios.ts'

export const controlOperations: readonly ControlOperation[] = [
  ...documentOperations,
  ...sandboxOperations,
  ...scenarioOperations,
  ...journalOperations,
  ...callOperations,
  ...databaseOperations,
  ...clockOperations,
]
