/** Control operations for the console's editors: JSON Schemas of rows and scenarios, and checks of drafts. */
import * as z from 'zod'
import { type ControlOperation, sandboxOperation } from '../../control/operation.ts'
import { tryScenario } from '../../control/scenario-operations.ts'
import { toRow } from '../../database/shared-rows.ts'
import type { GatewayCore } from '../../gateway/gateway.ts'
import { GatewayError, type Violation } from '../../http/errors.ts'
import type { DryRun } from '../../journal/dry-run.ts'
import { type DataFile, FileError, type Place, parseDataText } from '../../lib/data-file.ts'
import { firstKey } from '../../resources/collection.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { ScenarioError, scenarioJsonSchema } from '../../scenarios/check-scenario.ts'
import type { Scenario } from '../../scenarios/scenario.ts'

/** A JSON Schema, and values to offer by field name. */
export interface FormSchema {
  schema: object
  names: Record<string, string[]>
}

export interface ScenarioDraft {
  /** The parsed text; null if it is neither YAML nor JSON. */
  value: unknown
  /** The scenario with defaults filled in; null if there are problems. */
  scenario: Scenario | null
  /** Problems, each with its path in `value` and its position in the text. */
  problems: (Place & { path: (string | number)[]; message: string })[]
  /** Past calls that the scenario would have matched; null if there are problems. */
  dryRun: DryRun | null
}

const tag = 'Internal'
/** Maximum number of values to offer for a field. */
const maxNames = 200

const collection = z.string()
const Form = z.looseObject({ schema: z.looseObject({}) })

export const draftOperations: ControlOperation[] = [
  sandboxOperation({
    id: 'readScenarioForm',
    route: 'GET /console/sandboxes/{sandbox}/scenario-form',
    doc: { summary: 'Read the JSON Schema of scenarios, and the names that rules can use', tag },
    output: z.object({ data: Form }),
    async resolve(sandbox, { gateway }) {
      const slug = await keysIn(sandbox, 'presets', 'slug')
      const id = [await keysIn(sandbox, 'workspaces'), await keysIn(sandbox, 'workspaces', 'slug')].flat()
      const names = { model: await modelsIn(sandbox), slug, id }
      return { data: { schema: scenarioJsonSchema(gateway.operations), names } satisfies FormSchema }
    },
  }),
  sandboxOperation({
    id: 'readRowForm',
    route: 'GET /console/sandboxes/{sandbox}/row-forms/{collection}',
    doc: { summary: "Read the JSON Schema of a collection's rows, and the names that they refer to", tag },
    input: { params: { collection } },
    output: z.object({ data: Form }),
    async resolve(sandbox, { params }) {
      const { schema, refersTo = {} } = declarationOf(sandbox, params.collection)
      const { now } = sandbox.clock.read()
      const json = z.toJSONSchema(schema, {
        io: 'input',
        unrepresentable: 'any',
        override({ jsonSchema }) {
          if (jsonSchema.format === 'date-time') jsonSchema.default = now
        },
      })
      const names: FormSchema['names'] = {}
      for (const field of Object.keys(json.properties ?? {}))
        if (field.endsWith('_model')) names[field] = await modelsIn(sandbox)
      for (const [field, other] of Object.entries(refersTo)) names[field] = await keysIn(sandbox, other)
      return { data: { schema: json, names } satisfies FormSchema }
    },
  }),
  sandboxOperation({
    id: 'checkRow',
    route: 'POST /console/sandboxes/{sandbox}/row-checks/{collection}',
    doc: { summary: 'Validate a row without saving it', tag },
    input: { params: { collection }, body: z.looseObject({}) },
    output: z.object({ data: z.array(z.looseObject({ path: z.string(), message: z.string() })) }),
    resolve(sandbox, { params, body }) {
      try {
        toRow(declarationOf(sandbox, params.collection), body)
        return { data: [] }
      } catch (error) {
        const violations = error instanceof GatewayError && error.metadata?.['violations']
        if (!violations) throw error
        return { data: violations as Violation[] }
      }
    },
  }),
  sandboxOperation({
    id: 'checkDraft',
    route: 'POST /console/sandboxes/{sandbox}/drafts',
    doc: { summary: 'Validate the text of a scenario, and try it against past calls', tag },
    input: { body: z.strictObject({ text: z.string() }) },
    output: z.object({ data: z.looseObject({ problems: z.array(z.looseObject({})) }) }),
    resolve: (sandbox, { gateway, body: { text } }) => ({ data: checkDraft(text, gateway, sandbox) }),
  }),
]

function declarationOf({ state }: Sandbox, name: string) {
  const declaration = state.database.seedData.collections.find((each) => each.name === name)
  if (declaration) return declaration
  throw new GatewayError(404, `The sandbox has no collection '${name}'`)
}

/** Returns the keys of a collection's first rows, or their values of another field. */
async function keysIn(sandbox: Sandbox, name: string, field?: string): Promise<string[]> {
  const declaration = declarationOf(sandbox, name)
  const rows = (await sandbox.state.database.table(name).rows()).slice(0, maxNames)
  return rows.map((row) => (field ? String(Reflect.get(row, field)) : firstKey(declaration, row)))
}

async function modelsIn(sandbox: Sandbox): Promise<string[]> {
  return [...(await keysIn(sandbox, 'models')), ...(await keysIn(sandbox, 'embeddingsModels'))]
}

/** Position of problems that have no other. */
const start: Place = { line: 1, column: 1 }

function checkDraft(text: string, gateway: GatewayCore, sandbox: Sandbox): ScenarioDraft {
  const failed = (value: unknown, problems: ScenarioDraft['problems']) => ({
    value,
    scenario: null,
    problems,
    dryRun: null,
  })
  let value: unknown = null
  let locate: DataFile['locate'] = () => start
  try {
    ;({ value, locate } = parseDataText('scenario', text))
    const scenario = gateway.checkScenario(value)
    return { value, scenario, problems: [], dryRun: tryScenario(scenario, sandbox, gateway) }
  } catch (error) {
    if (error instanceof ScenarioError) {
      return failed(
        value,
        error.problems.map(({ path, message }) => ({ path, message, ...locate(path) })),
      )
    }
    if (error instanceof FileError)
      return failed(
        null,
        error.problems.map(({ file: _, ...problem }) => ({ path: [], ...start, ...problem })),
      )
    if (error instanceof GatewayError) return failed(value, [{ path: [], message: error.message, ...start }])
    throw error
  }
}
