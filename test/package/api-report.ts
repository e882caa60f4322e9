/**
 * Describes the published entries' API as text: exported names with signatures and members, then the types
 * that they refer to. Inherited members are listed with their class; internal members are omitted.
 */
import { readFileSync } from 'node:fs'
import { type SourceFile, SyntaxKind } from 'typescript/unstable/ast'
import { isInterfaceDeclaration, isModuleBlock, isModuleDeclaration } from 'typescript/unstable/ast/is'
import {
  API,
  type Checker,
  NodeBuilderFlags,
  type Project,
  type Signature,
  SignatureKind,
  SymbolFlags,
  type Type,
  type Symbol as TypeSymbol,
} from 'typescript/unstable/sync'
import type { WithPlainTypes } from '../tools/build/plain-types.ts'

const root = new URL('../../', import.meta.url).pathname

/** The package's entries, except the command line. */
export const entries = ['index', 'msw', 'node', 'serve', 'remote', 'vitest', 'playwright', 'verdicts']

/** Internal types that public members refer to; users use other exported types instead. */
const undescribed = ['GatewayCore', 'GatewayOptions', 'SandboxState']

/** Returns a report for each entry. A declaration that several entries export is in the first entry's report. */
export function apiReports(entries: readonly string[], withPlainTypes: WithPlainTypes): Map<string, string> {
  const readFile = (file: string) =>
    file.startsWith(`${root}src/`) && file.endsWith('.ts')
      ? withPlainTypes(readFileSync(file, 'utf8'), file)
      : undefined
  const api = new API({ cwd: root, fs: { readFile } })
  try {
    const [project] = api.updateSnapshot({ openProjects: [`${root}tsconfig.json`] }).getProjects()
    if (!project) throw new Error(`${root}tsconfig.json is not a project`)
    const shownIn = new Map<number, string>()
    return new Map(entries.map((entry) => [entry, reportOf(entry, project, shownIn)]))
  } finally {
    api.close()
  }
}

/** @param shownIn Entry whose report contains a declaration, by the declaration's symbol id. */
function reportOf(entry: string, project: Project, shownIn: Map<number, string>): string {
  const { checker, program } = project
  const file = program.getSourceFile(`${root}src/${entry}.ts`)
  const module = file && checker.getSymbolAtLocation(file)
  if (!module) throw new Error(`src/${entry}.ts exports nothing`)
  const named = new Set<TypeSymbol>()
  const show = (name: string, symbol: TypeSymbol, members = publicMembers(symbol, project)): string => {
    shownIn.set(symbol.id, entry)
    const text = describe(name, symbol, members, project)
    const scopes = new Set([symbol, ...members.flatMap((member) => member.getParent() ?? [])])
    for (const scope of scopes) for (const type of typesNamedIn(text, scope, project)) named.add(type)
    return text
  }
  const exported = [...checker.getExportsOfModule(module)].sort((a, b) => (a.name < b.name ? -1 : 1))
  const texts = exported.map((each) => {
    const symbol = unaliased(each, checker)
    const elsewhere = shownIn.get(symbol.id)
    return elsewhere ? `${each.name}: as in ${elsewhere}` : show(each.name, symbol)
  })
  for (const symbol of extendedBy(file, checker)) {
    const members = publicMembers(symbol, project).filter((member) =>
      member.declarations.some((each) => each.path === file.path),
    )
    texts.push(show(symbol.name, symbol, members))
  }
  const others: string[] = []
  for (const symbol of named) if (!shownIn.has(symbol.id)) others.push(show(symbol.name, symbol))
  return [...texts, '', '# Not exported, but named above', ...others.sort(), ''].join('\n')
}

/** Returns interfaces from other modules that a file extends, such as Vitest's matchers. */
function extendedBy(file: SourceFile, checker: Checker): TypeSymbol[] {
  return file.statements
    .flatMap((each) =>
      isModuleDeclaration(each) && each.body && isModuleBlock(each.body) ? each.body.statements : [],
    )
    .flatMap((each) => (isInterfaceDeclaration(each) ? (checker.getSymbolAtLocation(each.name) ?? []) : []))
}

function unaliased(symbol: TypeSymbol, checker: Checker): TypeSymbol {
  return symbol.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
}

function publicMembers(symbol: TypeSymbol, project: Project): TypeSymbol[] {
  const { checker } = project
  const fileOf = ({ declarations }: TypeSymbol) => declarations[0]?.resolve(project)?.getSourceFile().fileName
  if (!(symbol.flags & (SymbolFlags.Interface | SymbolFlags.Class))) return []
  const members = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol))
  return (
    members
      .filter((member) => !member.name.includes('#') && !isInternal(member, checker))
      // Users see only the members that `RequestSandbox` declares itself.
      .filter((member) => member.getParent()?.name !== 'SandboxState')
      // Inherited from a test runner.
      .filter((member) => !/node_modules\/@?vitest\//.test(fileOf(member) ?? ''))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
  )
}

function isInternal(member: TypeSymbol, checker: Checker): boolean {
  return member.getJsDocTags(checker).some(({ name }) => name === 'internal')
}

/**
 * Prints one line for the declaration and one for each member. For a schema and type of the same
 * name, prints the type.
 */
function describe(name: string, symbol: TypeSymbol, members: TypeSymbol[], project: Project): string {
  const { checker, emitter } = project
  const print = (type: Type | undefined, flags = inFull) =>
    type ? checker.typeToString(type, undefined, flags) : 'unknown'
  const lines: string[] = []
  const isType = symbol.flags & (SymbolFlags.TypeAlias | SymbolFlags.Interface)
  if (symbol.flags & (SymbolFlags.Function | SymbolFlags.Variable) && !isType)
    lines.push(`${name}: ${print(checker.getTypeOfSymbol(symbol))}`)
  if (symbol.flags & SymbolFlags.TypeAlias)
    lines.push(
      `type ${name} = ${print(checker.getDeclaredTypeOfSymbol(symbol), inFull | NodeBuilderFlags.InTypeAlias)}`,
    )
  if (symbol.flags & (SymbolFlags.Interface | SymbolFlags.Class)) {
    const type = checker.getDeclaredTypeOfSymbol(symbol)
    lines.push(`${symbol.flags & SymbolFlags.Class ? 'class' : 'interface'} ${print(type)}`)
    for (const each of constructorsOf(symbol, checker)) {
      const node = checker.signatureToSignatureDeclaration(
        each,
        SyntaxKind.ConstructSignature,
        undefined,
        inFull,
      )
      if (node) lines.push(`${name}.constructor: ${emitter.printNode(node)}`)
    }
    for (const { keyType, valueType } of checker.getIndexInfosOfType(type))
      lines.push(`${name}.[${print(keyType)}]: ${print(valueType)}`)
    const types = checker.getTypeOfSymbol(members)
    for (const [index, member] of members.entries()) {
      const label = member.name.replace(/^__@(\w+)@\d+$/, '[Symbol.$1]')
      lines.push(`${name}.${label}${member.flags & SymbolFlags.Optional ? '?' : ''}: ${print(types[index])}`)
    }
  }
  return lines.map(inShortLines).join('\n')
}

const inFull = NodeBuilderFlags.NoTruncation | NodeBuilderFlags.UseAliasDefinedOutsideCurrentScope

function constructorsOf(symbol: TypeSymbol, checker: Checker): readonly Signature[] {
  const type = symbol.flags & SymbolFlags.Class ? checker.getTypeOfSymbol(symbol) : undefined
  const signatures = type ? checker.getSignaturesOfType(type, SignatureKind.Construct) : []
  return signatures.filter(({ declaration }) => !declaration?.resolve()?.getFullText().includes('@internal'))
}

/** Breaks a long line between members of unions and objects. */
function inShortLines(line: string): string {
  return line.length <= 140 ? line : line.split(/(?<=[;{] )(?!})|(?= \| ["{])/).join('\n    ')
}

/** Yields the package's types that a text refers to, resolved where the symbol is declared. */
function* typesNamedIn(text: string, scope: TypeSymbol, project: Project): Generator<TypeSymbol> {
  const { checker } = project
  const isOurs = ({ declarations }: TypeSymbol) =>
    declarations[0]?.resolve(project)?.getSourceFile().fileName.startsWith(`${root}src/`)
  const node = scope.declarations[0]?.resolve(project)
  // An alias can have the name of its target.
  const target = scope.flags & SymbolFlags.TypeAlias && checker.getDeclaredTypeOfSymbol(scope).getSymbol()
  if (target && !target.name.startsWith('__') && isOurs(target)) yield target
  for (const name of new Set(text.match(/(?<!^)\b[A-Z]\w*\b/gm))) {
    if (!node || undescribed.includes(name)) continue
    const found = checker.resolveName(name, SymbolFlags.Type, node)
    const type = found && unaliased(found, checker)
    if (type && isOurs(type)) yield type
  }
}
