/**
 * The types that users see of schemas, written out: plain interfaces with the sentences of `.describe`, which editors
 * show, and no zod, which would cost each user's compiler more than all the rest. `npm run generate` writes them.
 */
import type * as z from 'zod'
import { RecordingSchema } from '../../src/extras/recordings/recording.ts'
import { faults } from '../../src/faults/index.ts'
import { everyOperation, operations } from '../../src/operations/index.ts'
import { collections } from '../../src/resources/collections.ts'
import { LatencyProfile } from '../../src/sandbox/latency-profile.ts'
import { SandboxFile } from '../../src/sandbox/sandbox-file.ts'
import { bundledScenarios } from '../../src/scenarios/bundled.ts'
import { Condition, When } from '../../src/scenarios/condition.ts'
import { Pattern } from '../../src/scenarios/pattern.ts'
import { RateLimit } from '../../src/scenarios/rate-limit.ts'
import { Rule, Scenario, Step } from '../../src/scenarios/scenario.ts'
import { ResultCheck, Turn, TurnExpectation } from '../../src/scenarios/script.ts'
import { ScriptedItem } from '../../src/scenarios/scripted-item.ts'
import {
  Faults,
  ScriptedCitation,
  ScriptedFrame,
  ScriptedReply,
  ScriptedUsage,
} from '../../src/scenarios/scripted-reply.ts'
import { comment, declaration, fieldsOf, pascal, union, type Writing } from './written-type.ts'

/** The files, by path below the repository. */
export function schemaTypes(): Record<string, string> {
  return {
    'src/faults/fault-input.ts': faultTypes(),
    'src/scenarios/scenario-names.ts': scenarioNames(),
    ...scenarioTypes(),
    'src/resources/rows.ts': rowTypes(),
    'src/operations/request-bodies.ts': bodyTypes(),
    'src/extras/recordings/recording-types.ts': recordingTypes(),
    'src/sandbox/file-types.ts': fileTypes(),
  }
}

/** A schema, what its type is called, and what it says where the schema says nothing. */
type Named = readonly [z.ZodType, string, string]

const note = '// Written by `npm run generate` from the schemas: change those.\n'

/** The names of faults, their parameters, and the union of all. */
function faultTypes(): string {
  const demanding = faults.filter((fault) => !fault.params().safeParse({}).success)
  const interfaces = faults.map(({ name, summary, params }) => {
    const body = fieldsOf(params(), { side: 'input', names: new Map() }, 1)
    return `${comment(summary, 0)}export interface ${pascal(name)}Fault {\n  name: '${name}'\n${body}}\n`
  })
  return [
    '/**\n * Faults as a scenario writes them.\n */',
    note,
    ...importsOf(interfaces, { '../lib/json.ts': ['Json'] }),
    `/** A fault by its name. */\nexport type FaultName =${union(faults.map(({ name }) => `'${name}'`))}\n`,
    `/** The faults whose parameters all have defaults. */\nexport type BareFaultName = Exclude<FaultName, ${demanding.map(({ name }) => `'${name}'`).join(' | ')}>\n`,
    `/** A fault: \`'stream-cut'\`, or \`{ name: 'stream-cut', atEvent: 5 }\`. */\nexport type FaultInput =${union(['BareFaultName', ...faults.map(({ name }) => `${pascal(name)}Fault`)])}\n`,
    ...interfaces,
  ].join('\n')
}

function scenarioNames(): string {
  const ids = everyOperation.map(({ id }) => `'${id}'`)
  const scenarios = [...bundledScenarios.keys()].map((name) => `'${name}'`)
  return [
    '/**\n * Names that the types of scenarios complete.\n */',
    note,
    `/** A scenario that comes with the double. */\nexport type BundledScenarioName =${union(scenarios)}\n`,
    `/** Operations of the specification, and of the extensions. */\nexport type KnownOperationId =${union(ids)}\n`,
  ].join('\n')
}

function scenarioTypes(): Record<string, string> {
  const scenario: readonly Named[] = [
    [Scenario, 'ScenarioInput', 'A named list of rules.'],
    [Rule, 'RuleInput', 'When something happens, and what.'],
    [When, 'WhenInput', 'Which requests a rule is about.'],
    [Condition, 'ConditionInput', 'What a value must be: equal to this, or as the words say.'],
    [Pattern, 'PatternInput', 'A regular expression, as data.'],
    [RateLimit, 'RateLimitInput', 'How much passes in a window of sandbox time.'],
    [
      Step,
      'StepInput',
      'What a rule does at one call; `pass` leaves the call to older rules and to the operation.',
    ],
    [Turn, 'TurnInput', 'One request of a conversation: what it must look like, and what it gets.'],
    [TurnExpectation, 'TurnExpectationInput', 'What the request of a turn must look like.'],
    [ResultCheck, 'ResultCheckInput', 'What a function must have returned.'],
  ]
  const reply: readonly Named[] = [
    [ScriptedReply, 'ScriptedReplyInput', 'What a rule answers in place of the operation.'],
    [ScriptedItem, 'ScriptedItemInput', 'An item of a scripted output.'],
    [ScriptedCitation, 'ScriptedCitationInput', 'A page that a scripted text cites.'],
    [ScriptedFrame, 'ScriptedFrameInput', 'One step of a scripted stream.'],
    [ScriptedUsage, 'ScriptedUsageInput', 'The usage of a reply. What is left out is counted.'],
  ]
  const names = new Map<z.ZodType, string>([...scenario, ...reply].map(([schema, name]) => [schema, name]))
  names.delete(Scenario)
  names.set(Faults, 'FaultInput | FaultInput[]')
  const written = (named: readonly Named[]) =>
    named.map(([schema, name, says]) => declaration(schema, name, says, { side: 'input', names }))
  const rules = written(scenario).map((text) =>
    text.replace(/^( {2}on: ).*$/m, '$1OperationName | OperationName[]'),
  )
  const replies = written(reply)
  return {
    'src/scenarios/scenario-input.ts': [
      '/**\n * Scenarios as a person writes them: faults by their bare names, defaults left out.\n */',
      note,
      ...importsOf(rules, {
        '../faults/fault-input.ts': ['FaultInput'],
        '../lib/json.ts': ['Json'],
        './operation-name.ts': ['OperationName'],
        './scripted-reply-input.ts': reply.map(([, name]) => name).sort(),
      }),
      ...rules,
    ].join('\n'),
    'src/scenarios/scripted-reply-input.ts': [
      '/**\n * Scripted replies as a person writes them, defaults left out.\n */',
      note,
      ...importsOf(replies, { '../lib/json.ts': ['Json'] }),
      ...replies,
    ].join('\n'),
  }
}

function rowTypes(): string {
  const rowName = (name: string) => `${pascal(name).replace(/ies$/, 'y').replace(/s$/, '')}Row`
  const writing: Writing = { side: 'output', names: new Map() }
  const rows = collections.map(({ name }) => `  /** Of \`db.${name}\`. */\n  ${name}: ${rowName(name)}\n`)
  return [
    '/**\n * The records of the collections.\n */',
    note,
    `/** The record of each collection, by name. */\nexport interface Rows {\n${rows.join('')}}\n`,
    ...collections.map(({ name, schema }) =>
      declaration(schema, rowName(name), `A record of \`${name}\`.`, writing),
    ),
    `/** The collections whose number of records can be set: parts come with the records that they are parts of. */\nexport type SizedCollectionName =${union(collections.filter(({ partOf }) => !partOf).map(({ name }) => `'${name}'`))}\n`,
  ].join('\n')
}

function bodyTypes(): string {
  const writing: Writing = { side: 'input', names: new Map() }
  const withBody = operations.filter(({ input }) => input?.body)
  const nameOf = (id: string) => `${pascal(id)}Request`
  const bodies = operations.map(
    ({ id, input, doc }) =>
      `  /** ${doc?.summary ?? id}. */\n  ${id}: ${input?.body ? nameOf(id) : 'undefined'}\n`,
  )
  return [
    '/**\n * The bodies of requests.\n */',
    note,
    `/** Request bodies by operation id; \`undefined\` for those that take none. */\nexport interface Bodies {\n${bodies.join('')}}\n`,
    ...withBody.map(({ id, input }) =>
      declaration(input?.body as z.ZodType, nameOf(id), `The body of \`${id}\`.`, writing),
    ),
  ].join('\n')
}

function recordingTypes(): string {
  const writing: Writing = { side: 'output', names: new Map() }
  const recording = declaration(RecordingSchema, 'Tape', 'One recorded exchange, as plain data.', writing)
  return [
    '/**\n * Recordings as parsed data.\n */',
    note,
    ...importsOf([recording], { '../../lib/json.ts': ['Json'] }),
    recording,
  ].join('\n')
}

function fileTypes(): string {
  const input: Writing = { side: 'input', names: new Map() }
  const output: Writing = { side: 'output', names: new Map() }
  return [
    '/**\n * What a sandbox is saved as, and latency profiles.\n */',
    note,
    declaration(SandboxFile, 'SandboxFile', 'A whole sandbox as data.', output),
    declaration(LatencyProfile, 'LatencyProfileInput', 'Times and lengths of answers, by model.', input),
  ].join('\n')
}

/** Imports of the types that texts name, a paragraph of their own; none where they name none. */
function importsOf(texts: readonly string[], types: Record<string, readonly string[]>): string[] {
  const isNamed = (type: string) => texts.some((text) => new RegExp(`\\b${type}\\b`).test(text))
  const imports = Object.entries(types)
    .map(([file, all]) => ({ file, named: all.filter(isNamed) }))
    .filter(({ named }) => named.length > 0)
    .map(({ file, named }) => `import type { ${named.join(', ')} } from '${file}'\n`)
  return imports.length === 0 ? [] : [imports.join('')]
}
