/**
 * Compares two versions of the reports in `test/package/api`, and classifies the change as none, an addition or breaking.
 */

export interface ApiChange {
  readonly kind: 'none' | 'addition' | 'breaking'
  /** Labels of the changed exports and members, such as `FailOptions.times`. */
  readonly labels: readonly string[]
}

/**
 * Treats removed and changed lines as breaking, except for unions that only gained members. A new required
 * field is breaking if its interface has optional fields, because users create such objects themselves.
 */
export function apiChange(before: string, after: string): ApiChange {
  const [old, now] = [membersOf(before), membersOf(after)]
  const breaking = [...old.keys()].filter((label) => !isCompatible(old.get(label) ?? '', now.get(label)))
  const added = [...now.keys()].filter((label) => !old.has(label) && !old.has(toggled(label)))
  const inputs = new Set([...old.keys()].filter((label) => label.endsWith('?')).map(ownerOf))
  const required = added.filter(
    (label) => !label.endsWith('?') && inputs.has(ownerOf(label)) && !now.get(label)?.includes(' => '),
  )
  if (breaking.length + required.length > 0) return { kind: 'breaking', labels: [...breaking, ...required] }
  const widened = [...old.keys()].filter((label) => now.get(label) !== old.get(label))
  const additions = [...added, ...widened]
  return { kind: additions.length > 0 ? 'addition' : 'none', labels: additions }
}

/** Returns the lowest version that semantic versioning allows for a change. Before 1.0, a breaking change requires a minor release, and an addition a patch release. */
export function nextVersion(released: string, kind: ApiChange['kind']): string {
  const [major = 0, minor = 0, patch = 0] = released.split('.').map(Number)
  if (kind === 'breaking' && major > 0) return `${major + 1}.0.0`
  if (kind === 'breaking' || (kind === 'addition' && major > 0)) return `${major}.${minor + 1}.0`
  return `${major}.${minor}.${patch + 1}`
}

/** Parses a report. Returns the type of each member by label, such as `Rule.times?`. */
function membersOf(report: string): Map<string, string> {
  const members = new Map<string, string>()
  for (const block of report.split(/\n(?! )/)) {
    const [, label, text] = /^((?:\w+ )?[\w.[\]]+\??)(?:: | = |$|<)(.*)$/s.exec(block) ?? []
    if (label !== undefined) members.set(label, `${members.get(label) ?? ''}${text?.replace(/\s+/g, ' ')}`)
  }
  return members
}

function isCompatible(before: string, after: string | undefined): boolean {
  if (after === undefined) return false
  if (before === after) return true
  const pieces = new Set(piecesOf(after))
  return !/=>|[{;]/.test(before + after) && piecesOf(before).every((piece) => pieces.has(piece))
}

const piecesOf = (union: string) => union.split('|').map((piece) => piece.trim())

function ownerOf(label: string): string {
  return label.replace(/\.[^.]*$/, '')
}

/** Returns the same member's label with or without the question mark. */
function toggled(label: string): string {
  return label.endsWith('?') ? label.slice(0, -1) : `${label}?`
}
