// biome-ignore-all lint/suspicious/noExplicitAny: the older TypeScript loaded below has no types here.
/** Finds public types' members without a doc comment. */
import { createRequire } from 'node:module'
import { join } from 'node:path'

// TypeScript 7 has no compiler API yet, so this uses the version installed by oazapfts.
const ts: any = createRequire(import.meta.resolve('oazapfts'))('typescript')

/**
 * Returns public options, methods and fields without documentation, as `Interface.member`: everything that
 * the entries export or that users write in options. Fields of the wire format, which the specification
 * describes, are omitted.
 *
 * @param folder The package's folder.
 */
export function undocumented(folder: string, entries: readonly string[]): string[] {
  const files = entries.map((entry) => join(folder, 'dist', `${entry}.d.ts`))
  const program = ts.createProgram(files, {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.esnext.disposable.d.ts'],
    skipLibCheck: true,
    types: [],
  })
  const checker = program.getTypeChecker()
  const dist = join(folder, 'dist')
  const isOurs = (node: any) => node.getSourceFile().fileName.startsWith(dist)
  const seen = new Set<any>()
  const found = new Set<string>()

  const look = (symbol: any): void => {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
    if (seen.has(target)) return
    seen.add(target)
    for (const declaration of target.declarations ?? [])
      if (isOurs(declaration)) lookInto(declaration, target.name)
  }
  const lookInto = (node: any, owner: string): void => {
    if (isMember(node) && !isHidden(node)) {
      const name = node.name.getText()
      const symbol = checker.getSymbolAtLocation(node.name)
      const isSaid = symbol && symbol.getDocumentationComment(checker).length > 0
      const isDiscriminant =
        ['name', 'kind', 'type', 'event'].includes(name) && ts.isLiteralTypeNode(node.type ?? node)
      if (!isSaid && !isDiscriminant && !/^[[#]/.test(name) && !wire.test(owner))
        found.add(`${owner}.${name}`)
    }
    if (ts.isTypeReferenceNode(node) || ts.isExpressionWithTypeArguments(node)) {
      const symbol = checker.getSymbolAtLocation(
        ts.isTypeReferenceNode(node) ? node.typeName : node.expression,
      )
      if (symbol && written.test(symbol.name)) look(symbol)
    }
    if (ts.isParameter(node)) return
    ts.forEachChild(node, (child: any) => lookInto(child, owner))
  }
  for (const file of files) {
    const source = program.getSourceFile(file)
    const module = source && checker.getSymbolAtLocation(source)
    if (!module) throw new Error(`${file} exports nothing`)
    for (const symbol of checker.getExportsOfModule(module)) look(symbol)
  }
  return [...found].toSorted()
}

type Member = any | any | any

function isMember(node: any): node is Member {
  return (
    ts.isPropertySignature(node) ||
    ts.isMethodSignature(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isGetAccessor(node)
  )
}

function isHidden(node: any): boolean {
  return ts.canHaveModifiers(node)
    ? (ts.getModifiers(node) ?? []).some(({ kind }: any) => kind === ts.SyntaxKind.PrivateKeyword)
    : false
}

/** Types that users write, including those that exported types refer to. */
const written = /(Input|Options|Fault)$/

/** Types for wire formats and for files in other formats. */
const wire =
  /Request$|Row$|ItemInput$|UsageInput$|^Har|^Recording$|^SandboxFile$|^Zod|^\$|Internals$|^Standard|^JSONSchema$|^Schema$|^GatewayOptions$|^assumptions$|^CustomOperationId$|^Frame$/
