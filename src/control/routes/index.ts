/**
 * The only list of control routes: what is on it is served and documented.
 */
import type { ControlRoute } from '../route.ts'
import { callRoutes } from './calls.ts'
import { clockRoutes } from './clock.ts'
import { databaseRoutes } from './database.ts'
import { documentRoutes } from './documents.ts'
import { journalRoutes } from './journal.ts'
import { sandboxRoutes } from './sandboxes.ts'
import { scenarioRoutes } from './scenarios.ts'

export const controlRoutes: readonly ControlRoute[] = [
  ...documentRoutes,
  ...sandboxRoutes,
  ...scenarioRoutes,
  ...journalRoutes,
  ...callRoutes,
  ...databaseRoutes,
  ...clockRoutes,
]
