/** Generates docs/assumptions.md: every assumption, grouped by the operations that depend on it. */
import { type Assumption, type AssumptionName, assumptions } from '../../src/assumptions.ts'
import { rulesOf } from '../../src/extras/request-rules/index.ts'
import { everyOperation } from '../../src/setup.ts'
import { table } from './table.ts'

const groups: Readonly<Record<string, readonly AssumptionName[]>> = {
  'All operations': [
    'errorEnvelope',
    'violations',
    'authentication',
    'unknownPath',
    'extension',
    'documentSample',
    'requestBody',
    'repeatedParameter',
    'notFound',
    'largeIntegers',
    'dates',
    'rateLimits',
  ],
  'Text: responses, chat completions, messages': [
    'requestRules',
    'modelName',
    'presetModel',
    'inputItems',
    'compaction',
    'tokens',
    'forcedTool',
    'notSimulated',
    'toolShape',
    'citedStructure',
    'responseFields',
    'responseStatus',
    'reasoning',
    'promptCache',
    'instructType',
    'streamOrder',
  ],
  'Web search': [
    'offeredSearch',
    'searchForms',
    'nativeSearch',
    'searchResults',
    'domainEntries',
    'xSearchModels',
    'xSearchPosts',
    'webSearchItem',
    'limitedEngine',
  ],
  'Workspaces, presets and providers': [
    'workspaceLookup',
    'slugConflict',
    'emptyUpdate',
    'providerSort',
    'presetStatus',
    'presetConfig',
    'countryCodes',
  ],
  Benchmarks: [
    'designShape',
    'benchmarkOrder',
    'taskTypeOnDesign',
    'designFiltersWithoutSource',
    'benchmarkMeta',
  ],
}

const rules = await Promise.all(everyOperation.map(({ id }) => rulesOf[id]?.()))

/** Lists the rules for valid requests with their public sources. */
export function requestRules(): string {
  const rows = everyOperation.flatMap(({ path }, place) =>
    Object.entries(rules[place]?.sources ?? {}).map(([name, source]) => [
      `\`${name}\``,
      `POST ${path}`,
      `<${source}>`,
    ]),
  )
  return table(['Rule', 'Operation', 'Source'], rows)
}

export function assumptionGroups(): string {
  const missing = Object.keys(assumptions).filter(
    (name) =>
      !Object.values(groups)
        .flat()
        .includes(name as never),
  )
  if (missing.length > 0) throw new Error(`Add to a group in assumption-sections.ts: ${missing.join(', ')}`)
  return Object.entries(groups)
    .map(([title, names]) => {
      const rows = names.map((name) => {
        const { about, choice, reported }: Assumption = assumptions[name]
        return [`\`${name}\``, about, reported ? `${choice}. Reported: ${reported}` : choice]
      })
      return `### ${title}\n\n${table(['Name', 'Not specified', 'Behaviour'], rows)}`
    })
    .join('\n\n')
}
