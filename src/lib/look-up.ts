/** Returns the entry of a table. A name such as `constructor`, which every object inherits, has none. */
export function lookUp<Entry>(table: Readonly<Record<string, Entry>>, name: unknown): Entry | undefined {
  return typeof name === 'string' && Object.hasOwn(table, name) ? table[name] : undefined
}
