/**
 * Prints figures as a table with name, value, quartiles, target, and whether the target was met.
 */
import type { Figure } from './measure.ts'

export interface Measured {
  title: string
  figures: readonly Figure[]
}

export function toTable(sections: readonly Measured[]): string {
  return sections.map(sectionTable).join('\n\n')
}

export function isMet({ value, aim }: Figure): boolean | undefined {
  return aim === undefined ? undefined : value.median <= aim
}

function sectionTable({ title, figures }: Measured): string {
  const rows = [['', 'figure', 'quartiles', 'aim', '', 'made of'], ...figures.map(toRow)]
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length))) ?? []
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  return [title, ...lines.map((line) => `  ${line}`)].join('\n')
}

function toRow(figure: Figure): string[] {
  const { name, value, unit, aim, detail = '' } = figure
  const met = isMet(figure)
  return [
    name,
    `${show(value.median)} ${unit}`,
    value.low === value.high ? '' : `${show(value.low)} to ${show(value.high)}`,
    aim === undefined ? '' : `<= ${aim}`,
    met === undefined ? '' : met ? 'met' : 'MISSED',
    detail,
  ]
}

function show(value: number): string {
  if (Number.isInteger(value)) return value.toLocaleString('en')
  return value.toFixed(Math.abs(value) < 10 ? 2 : 1)
}
