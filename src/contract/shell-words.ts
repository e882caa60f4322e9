/**
 * The words of a POSIX shell command, as people copy them from browsers: quotes, `$'…'`, escapes, continued lines.
 * Nothing is expanded: a variable or a command inside is refused.
 */
import { ImportError } from './import-error.ts'

/** The commands of a text, each as its words; comments are left out. Throws an `ImportError`. */
export function shellCommands(text: string): string[][] {
  const commands: string[][] = []
  let words: string[] = []
  let word: string | undefined
  const endWord = () => {
    if (word !== undefined) words.push(word)
    word = undefined
  }
  const endCommand = () => {
    endWord()
    if (words.length > 0) commands.push(words)
    words = []
  }
  for (let at = 0; at < text.length; ) {
    const rest = text.slice(at, at + 2)
    const character = rest[0] as string
    if (/^\\\r?$/.test(rest) && text.startsWith('\\\r\n', at)) at += 3
    else if (rest === '\\\n') at += 2
    else if (character === '\n' || character === ';') {
      endCommand()
      at++
    } else if (/\s/.test(character)) {
      endWord()
      at++
    } else if (character === '#' && word === undefined) {
      const end = text.indexOf('\n', at)
      at = end < 0 ? text.length : end
    } else {
      const [part, next] = readPart(text, at)
      word = (word ?? '') + part
      at = next
    }
  }
  endCommand()
  return commands
}

/** A piece of a word, its quotes resolved, and the place after it. */
function readPart(text: string, at: number): [string, number] {
  const character = text[at] as string
  if (character === "'") {
    const end = text.indexOf("'", at + 1)
    if (end < 0) throw new ImportError("a ' is not closed")
    return [text.slice(at + 1, end), end + 1]
  }
  if (character === '"') return readDouble(text, at + 1)
  if (text.startsWith("$'", at)) return readAnsi(text, at + 2)
  // A prompt that was copied too.
  if (/^\$\s/.test(text.slice(at, at + 2))) return ['$', at + 1]
  if (character === '$' || character === '`')
    throw new ImportError('it has a variable or a command in it: write the value instead')
  if ('|&<>('.includes(character))
    throw new ImportError(`it has a '${character}' outside quotes: give the curl command alone`)
  if (character === '^') throw new ImportError('it is written for cmd: copy it as cURL (bash)')
  if (character === '\\') return [text[at + 1] ?? '', at + 2]
  return [character, at + 1]
}

function readDouble(text: string, start: number): [string, number] {
  let value = ''
  for (let at = start; at < text.length; at++) {
    const character = text[at] as string
    if (character === '"') return [value, at + 1]
    if (character === '`' || (character === '$' && /[\w({]/.test(text[at + 1] ?? '')))
      throw new ImportError('it has a variable or a command in it: write the value instead')
    if (character === '\\' && /["\\$`\n]/.test(text[at + 1] ?? '')) {
      at++
      if (text[at] !== '\n') value += text[at]
    } else value += character
  }
  throw new ImportError('a " is not closed')
}

const escapes: Record<string, string> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  e: '\x1b',
  f: '\f',
  v: '\v',
  '0': '\0',
}

/** `$'…'` of bash: bytes by \xHH, characters by \uHHHH. */
function readAnsi(text: string, start: number): [string, number] {
  let value = ''
  for (let at = start; at < text.length; at++) {
    const character = text[at] as string
    if (character === "'") return [value, at + 1]
    if (character !== '\\') {
      value += character
      continue
    }
    const coded = /^\\(?:u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|x([0-9a-fA-F]{1,2})|([0-7]{3}))/.exec(
      text.slice(at, at + 10),
    )
    if (coded) {
      const [whole, short, long, byte, octal] = coded
      value += String.fromCodePoint(
        octal ? Number.parseInt(octal, 8) : Number.parseInt(short ?? long ?? byte ?? '0', 16),
      )
      at += whole.length - 1
      continue
    }
    at++
    value += escapes[text[at] ?? ''] ?? text[at] ?? ''
  }
  throw new ImportError("a $' is not closed")
}
