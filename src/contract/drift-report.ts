/**
 * Drift as people and machines read it: text, Markdown, SARIF 2.1.0.
 */
import type { Accepted } from './baseline.ts'
import type { Drift } from './drift.ts'
import { type Finding, nameOf, type Severity, verdictTexts } from './finding.ts'

export interface DriftReport extends Accepted, Pick<Drift, 'unchecked' | 'checked'> {}

export function countsOf(findings: readonly Finding[]): Record<Severity, number> {
  const count = (severity: Severity) => findings.filter((finding) => finding.severity === severity).length
  return { breaking: count('breaking'), additive: count('additive'), info: count('info') }
}

export function toText(report: DriftReport): string {
  const rows = report.findings.map(
    (finding) =>
      `${finding.severity.padEnd(8)}  ${nameOf(finding)}: ${finding.message} (${finding.source}; ${verdictTexts[finding.verdict]})`,
  )
  return [...rows, ...remarks(report), summaryOf(report)].join('\n')
}

export function toMarkdown(report: DriftReport): string {
  const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
  const rows = report.findings.map(({ severity, message, source, verdict, ...rest }) => {
    const name = nameOf({ severity, message, ...rest })
    return `| ${severity} | \`${name}\` | ${cell(message)} | ${source} | ${verdictTexts[verdict]} |`
  })
  const table = [
    '| Severity | Finding | What | Seen in | Verdict |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
  ]
  return [
    '## Drift',
    '',
    summaryOf(report),
    '',
    ...(rows.length > 0 ? [...table, ''] : []),
    ...remarks(report).map((line) => `- ${line}`),
  ].join('\n')
}

const levels: Record<Severity, string> = { breaking: 'error', additive: 'warning', info: 'note' }

/** @param file What the findings are about, for viewers that show them beside a file. */
export function toSarif(report: DriftReport, version: string, file: string): object {
  const kinds = [...new Set(report.findings.map(({ kind }) => kind))]
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'gateway-understudy drift',
            version,
            rules: kinds.map((kind) => ({ id: kind.replaceAll(' ', '-'), shortDescription: { text: kind } })),
          },
        },
        invocations: [
          {
            executionSuccessful: report.unchecked.length === 0,
            toolExecutionNotifications: report.unchecked.map((text) => ({
              level: 'error',
              message: { text },
            })),
          },
        ],
        results: report.findings.map((finding) => ({
          ruleId: finding.kind.replaceAll(' ', '-'),
          level: levels[finding.severity],
          message: { text: `${nameOf(finding)}: ${finding.message} (${verdictTexts[finding.verdict]})` },
          locations: [{ physicalLocation: { artifactLocation: { uri: file }, region: { startLine: 1 } } }],
          partialFingerprints: { finding: nameOf(finding) },
        })),
      },
    ],
  }
}

function remarks({ unchecked, notes }: DriftReport): string[] {
  return [...unchecked.map((text) => `could not check: ${text}`), ...notes.map((text) => `baseline: ${text}`)]
}

function summaryOf({ findings, accepted, checked, unchecked }: DriftReport): string {
  const { breaking, additive, info } = countsOf(findings)
  const looked = Object.entries(checked).map(([what, count]) => `${count} ${what}`)
  const found =
    findings.length === 0 ? 'No drift found' : `${breaking} breaking, ${additive} additive, ${info} to know`
  const rest = [
    accepted > 0 ? `${accepted} accepted` : '',
    unchecked.length > 0 ? `${unchecked.length} not checked` : '',
  ]
  return [`${found} in ${looked.join(', ') || 'nothing'}`, ...rest.filter((text) => text !== '')].join('; ')
}
