/**
 * Lists what a release lacks: version, changelog, API, tarball contents, links, licences, repository.
 */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { apiReports, entries } from '../../package/api-report.ts'
import { loadPlainTypes } from '../build/plain-types.ts'
import { apiChange, nextVersion } from './api-change.ts'

export interface Release {
  /** The repository's root. */
  readonly root: string
  /** The unpacked tarball's folder. */
  readonly packed: string
  /** The release's tag, such as `v1.2.0`. Undefined while the release is being prepared. */
  readonly tag: string | undefined
}

/** Returns one line for each problem. */
export async function releaseProblems({ root, packed, tag }: Release): Promise<string[]> {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return [
    ...versionProblems(manifest.version, tag),
    ...changelogProblems(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), manifest.version, tag),
    ...(await apiProblems(root, manifest.version)),
    ...contentProblems(packed),
    ...linkProblems(packed),
    ...licenceProblems(root, packed, manifest),
    ...repositoryProblems(manifest),
  ]
}

function versionProblems(version: string, tag: string | undefined): string[] {
  if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
    return [`version: must be a semantic version, got '${version}'`]
  if (tag === undefined || tag === `v${version}`) return []
  return [`version: the tag is ${tag}, but package.json has ${version}`]
}

/** While a release is being prepared, its entries may be under Unreleased. */
export function changelogProblems(text: string, version: string, tag: string | undefined): string[] {
  const sections = new Map(
    text.split(/^## /m).map((section) => {
      const [, name = ''] = /^\[([^\]]+)\]/.exec(section) ?? []
      return [name, { hasEntries: /^- /m.test(section), hasDate: /^\S+ - \d{4}-\d\d-\d\d$/m.test(section) }]
    }),
  )
  const [unreleased, own] = [sections.get('Unreleased'), sections.get(version)]
  if (tag === undefined)
    return unreleased?.hasEntries || own?.hasEntries ? [] : ['changelog: [Unreleased] has no entries']
  return [
    ...(own?.hasEntries ? [] : [`changelog: there is no section [${version}] with entries`]),
    ...(own && !own.hasDate ? [`changelog: the section [${version}] has no date, as in 2026-01-31`] : []),
    ...(unreleased?.hasEntries ? [`changelog: [Unreleased] has entries: move them to [${version}]`] : []),
  ]
}

async function apiProblems(root: string, version: string): Promise<string[]> {
  const path = (entry: string) => `test/package/api/${entry}.txt`
  const reports = apiReports(entries, await loadPlainTypes())
  const stale = entries.filter(
    (entry) => readFileSync(join(root, path(entry)), 'utf8') !== reports.get(entry),
  )
  if (stale.length > 0)
    return [
      `api: the reports of ${stale.join(', ')} are out of date: npx vitest run -u --project slow test/package/api`,
    ]
  // A copy outside a repository has no tags.
  const git = (...args: string[]) => spawnSync('git', ['-C', root, ...args], { encoding: 'utf8' }).stdout
  const released = releasedVersions(git).find((each) => each !== version)
  if (released === undefined) return []
  const before = entries.map((entry) => git('show', `v${released}:${path(entry)}`)).join('\n')
  const change = apiChange(before, [...reports.values()].join('\n'))
  const needed = nextVersion(released, change.kind)
  if (version.localeCompare(needed, 'en', { numeric: true }) >= 0) return []
  const why = change.kind === 'none' ? '' : `: ${change.kind} in ${change.labels.slice(0, 5).join(', ')}`
  return [`api: ${version} must be at least ${needed} after ${released}${why}`]
}

/** Returns the tagged versions, newest first. */
function releasedVersions(git: (...args: string[]) => string): string[] {
  const tags = git('tag', '--list', 'v*', '--merged', 'HEAD').split('\n')
  const versions = tags.flatMap((tag) => (/^v\d+\.\d+\.\d+$/.test(tag) ? tag.slice(1) : []))
  return versions.sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
}

const expected =
  /^(package\.json|llms\.txt|([\w-]+\/)*[A-Z_]+\.md|LICENSE|test\/extras\/console\/\w+\.png|dist\/[\w-]+(\.d\.c?ts|\.c?js)|dist\/sbom\.cdx\.json|dist\/THIRD_PARTY_LICENSES|dist\/console\/(index\.html|console-[\w-]+\.(js|css))|(scenarios|fixtures)\/[\w-]+(\.schema)?\.json)$/

const required = [
  'package.json',
  'README.md',
  'LICENSE',
  'CHANGELOG.md',
  'SECURITY.md',
  'dist/THIRD_PARTY_LICENSES',
  'dist/sbom.cdx.json',
  'dist/console/index.html',
  'dist/bin.js',
  'scenarios/flaky.json',
  'fixtures/workspaces.json',
]

/** Finds unexpected files, and missing ones, including targets of `exports` and `bin`. */
export function contentProblems(packed: string): string[] {
  const files = filesIn(packed)
  const { exports, bin } = JSON.parse(readFileSync(join(packed, 'package.json'), 'utf8'))
  const targets = [...JSON.stringify([exports, bin]).matchAll(/"(?:\.\/)?(dist\/[^"]+)"/g)].map(
    ([, file = '']) => file,
  )
  return [
    ...files.filter((file) => !expected.test(file)).map((file) => `contents: ${file} is unexpected`),
    ...[...new Set([...required, ...targets])]
      .filter((file) => !files.includes(file))
      .map((file) => `contents: ${file} is missing`),
  ]
}

/** Finds links in documents to files that are missing from the tarball. */
export function linkProblems(packed: string): string[] {
  const files = filesIn(packed)
  return files
    .filter((file) => /\.md$|^llms\.txt$/.test(file))
    .flatMap((file) =>
      [...readFileSync(join(packed, file), 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)/g)]
        .map(([, link = '']) => join(dirname(file), link))
        .filter((link) => !files.includes(link))
        .map((link) => `links: ${file} links to ${link}, which is not in the package`),
    )
}

const permissive = /^\(?(MIT|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0)( OR .*)?\)?$/

function licenceProblems(root: string, packed: string, { dependencies }: { dependencies: object }): string[] {
  const { components } = JSON.parse(readFileSync(join(packed, 'dist/sbom.cdx.json'), 'utf8'))
  const texts = readFileSync(join(packed, 'dist/THIRD_PARTY_LICENSES'), 'utf8')
  const bundled = components.map(({ group, name }: { group?: string; name: string }) =>
    group ? `${group}/${name}` : name,
  )
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const licenceOf = (name: string) => String(packages[`node_modules/${name}`]?.license)
  return [
    ...bundled
      .filter((name: string) => !texts.includes(`\n## ${name}\n`))
      .map((name: string) => `licences: THIRD_PARTY_LICENSES lacks ${name}`),
    ...[...bundled, ...Object.keys(dependencies)]
      .filter((name) => !permissive.test(licenceOf(name)))
      .map(
        (name) =>
          `licences: ${name} has the licence ${licenceOf(name)}, which is not in the list of permissive licences`,
      ),
  ]
}

function repositoryProblems({ repository }: { repository?: string | { url?: string } }): string[] {
  const url = typeof repository === 'string' ? repository : repository?.url
  if (url !== undefined && /^(git\+)?https:\/\/[^/]+\/[^/]+\/[^/]+$/.test(url)) return []
  return ['repository: package.json has no address: add "repository", which provenance requires']
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
}
