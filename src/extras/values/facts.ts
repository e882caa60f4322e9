/**
 * Finds values in a prompt: numbers, dates, addresses, names, quoted strings, enumerations, and known terms such as
 * cities. The patterns are in fixtures/values.json.
 */
import fixtures from '../../../fixtures/values.json' with { type: 'json' }
import { dateOf, timeOf } from './dates.ts'
import { nounPhrases, type Phrase } from './phrases.ts'

/** A row of related values, such as a city with its country. */
export type Row = Readonly<Record<string, string | number>>

export interface Fact {
  /** Such as `email`, `date`, `city` or `phrase:about`. */
  readonly kind: string
  /** Text, or a number; dates in ISO format. */
  readonly value: string | number
  readonly row?: Row | undefined
  /** Enumeration members. */
  readonly items?: readonly string[]
  /** Members of a list in brackets, such as `[1, 2]`. */
  readonly values?: readonly unknown[]
  readonly start: number
  readonly end: number
  /** Lowercase text surrounding the value. */
  readonly before: string
  readonly after: string
}

export interface Facts {
  readonly text: string
  readonly list: readonly Fact[]
  /** The prompt's words without surrounding punctuation. */
  readonly words: readonly string[]
  /** Subject of the prompt in a few words. */
  readonly topic: string
  /** The prompt without polite words and verbs at its beginning. */
  readonly query: string
  /** The first sentence of the text to read, if the prompt is more than a request. */
  readonly statement: string | undefined
}

/** Maximum number of characters to read, and maximum number of facts. */
const readLength = 3000
const maxFacts = 80

/** @param now Time in milliseconds, for `tomorrow`. */
export function readFacts(prompt: string, now: number): Facts {
  // Expressions take quadratic time for long runs without a space.
  const text = prompt
    .slice(0, readLength)
    .toWellFormed()
    // Escaped line breaks.
    .replaceAll('\\n', ' \n')
    .replace(/\S{161,}/g, (run) => ' '.repeat(run.length))
  const finder = new Finder(text)
  const today = dateOfToday(text, now)
  findPatterns(finder, today)
  findTerms(finder)
  findPhrases(finder, today)
  findNames(finder)
  findLanguages(finder)
  finder.list = finder.list.filter((fact) => !isPartOfDate(fact, finder.list))
  const nouns = nounPhrases(text)
  findLists(finder, nouns)
  const subject = findThings(finder, nouns)
  const dates = finder.list.filter(({ kind }) => kind === 'date')
  if (today !== now && !dates.every(isToday)) finder.list = finder.list.filter((fact) => !isToday(fact))
  return {
    text,
    words: (text.match(/\S+/g) ?? []).map((word) => word.replace(/^[("'“]+|[)"'”.,;:!?]+$/g, '')),
    list: finder.list.sort((left, right) => left.start - right.start),
    ...subject,
  }
}

/** Collects facts. A claimed part of the text belongs to one fact. */
class Finder {
  readonly text: string
  list: Fact[] = []
  readonly #claimed: Uint8Array

  constructor(text: string) {
    this.text = text
    this.#claimed = new Uint8Array(text.length)
  }

  isFree(start: number, end: number): boolean {
    return !this.#claimed.subarray(start, end).includes(1)
  }

  add(kind: string, start: number, end: number, value: Fact['value'], more?: Partial<Fact>): void {
    if (this.list.length >= maxFacts) return
    const before = this.text.slice(Math.max(0, start - 48), start).toLowerCase()
    const after = this.text.slice(end, end + 36).toLowerCase()
    this.list.push({ kind, value, start, end, before, after, ...more })
  }

  claim(kind: string, start: number, end: number, value: Fact['value'], more?: Partial<Fact>): void {
    if (!this.isFree(start, end)) return
    this.#claimed.fill(1, start, end)
    this.add(kind, start, end, value, more)
  }

  /** Removes the numbers in a part of the text. */
  releaseNumbers(start: number, end: number): void {
    const others = this.list.filter((fact) => fact.kind !== 'number' || fact.start < start || fact.end > end)
    if (others.length < this.list.length) this.#claimed.fill(0, start, end)
    this.list = others
  }
}

function findPatterns(finder: Finder, today: number): void {
  const { text } = finder
  const passage = /(?<=[:\n])\s*\S[\s\S]{80,}$/.exec(text)
  if (passage)
    finder.add('passage', passage.index, text.length, passage[0].trim().replace(/^["“']|["”']$/g, ''))
  for (const [kind, pattern] of readers().patterns) {
    if (kind === 'quote') findQuotes(finder, passage?.index ?? text.length)
    else if (kind === 'array') {
      for (const { 0: source, index } of text.matchAll(pattern)) {
        const values = arrayOf(source)
        if (values) finder.add('array', index, index + source.length, source, { values })
      }
    } else
      for (const match of text.matchAll(pattern)) {
        const [lead = ''] =
          kind === 'company'
            ? (/^(?:Send|Invoice|Email|Pay|Call|Add|Charge|Ask|Tell|Remind|From|To) /.exec(match[0]) ?? [])
            : []
        const raw = (match[1] ?? match[0]).slice(lead.length)
        const start = match.index + match[0].indexOf(raw)
        const [street = raw] = kind === 'address' ? raw.split(',') : [raw]
        const value = readValue(kind, raw + (match.groups?.['rest'] ?? ''), today)
        if (value !== undefined && finder.isFree(start, start + raw.length))
          finder.claim(
            kind,
            start,
            start + street.length,
            value,
            kind === 'address'
              ? { row: { street } }
              : kind === 'number' && /^\p{L}/u.test(raw)
                ? { row: { word: raw } }
                : {},
          )
        if (kind === 'money') finder.add('currency', match.index, start, currencyOf(match[0]))
      }
  }
}

/** Finds quotations that begin before the passage. */
function findQuotes(finder: Finder, passage: number): void {
  for (const match of finder.text.matchAll(quotes())) {
    const inner = match.slice(1).find((group) => group !== undefined) ?? ''
    const start = match.index + 1
    if (inner.length > 80 || isSentence(inner) || /,.*\d.*,|\d.*,.*,/.test(inner))
      finder.add('passage', start, start + inner.length, inner)
    else if (start <= passage + 1 && !/^(?:\S+@\S+|https?:\S+|[~./]\S+|[\d-]+)$/.test(inner))
      finder.claim('quote', start, start + inner.length, inner)
  }
}

function findTerms(finder: Finder): void {
  const { text } = finder
  const { termOf } = readers()
  for (const { start, end, term } of termsIn(text, termOf)) {
    const [tag, value, row] = term
    const isWord = /^(?:color|unit|size|room|genre|mood)$/.test(tag)
    const [before, after] = [text.slice(0, start), text.slice(end)]
    const isInName = /\p{Lu}[\p{L}'’]*\s(?:of\s)?$/u.test(before) || /^\s\p{Lu}/u.test(after)
    // `Lisbon` in `Treaty of Lisbon`, and `Manchester` in `Manchester United`.
    const isInTitle =
      /(?<=[a-z,-] )\p{Lu}\p{Ll}+ of (?:the )?$/u.test(before) ||
      (!isCommon(/(\p{L}+)\s$/u.exec(before)?.[1] ?? 'in') && /\p{Lu}\p{Ll}+\s$/u.test(before)) ||
      (/^\s\p{Lu}[\p{Ll}.]/u.test(after) &&
        !termOf(/^\s(\p{L}+)/u.exec(after)?.[1] ?? '') &&
        !isCommon(/\p{L}+/u.exec(after)?.[0] ?? ''))
    // `Windows 10` is not a number.
    if (/\d/.test(value)) finder.releaseNumbers(start, end)
    if (!finder.isFree(start, end) || (isWord && isInName && /^\p{Lu}/u.test(text.slice(start)))) continue
    if (isInTitle && /^(?:city|country|region|ticker)$/.test(tag)) continue
    const stated = text.slice(start, end)
    const isAbbreviation = stated.length < 4 || stated.toLowerCase() === stated || /\./.test(stated)
    finder.claim(tag, start, end, /^(?:city|country|ticker)$/.test(tag) && !isAbbreviation ? stated : value, {
      row,
    })
  }
}

function findPhrases(finder: Finder, today: number): void {
  for (const [kind, pattern] of readers().phrases)
    for (const match of finder.text.matchAll(pattern)) {
      const raw = match.slice(1).find(Boolean) ?? match[0]
      const start = match.index + match[0].indexOf(raw)
      finder.add(kind, start, start + raw.length, readValue(kind, raw.trim(), today) ?? raw.trim())
    }
}

function findNames(finder: Finder): void {
  const { text } = finder
  for (const match of text.matchAll(names())) {
    let [name] = match
    let start = match.index
    const isFirst = /(?:^|[.!?:\n"“(]\s*)$/.test(text.slice(Math.max(0, start - 3), start))
    for (
      let word = /^\S+/.exec(name)?.[0];
      isFirst && word && isCommon(word);
      word = /^\S+/.exec(name)?.[0]
    ) {
      start += word.length + 1
      name = name.slice(word.length + 1)
    }
    const [role = ''] = (isFirst && /^\p{Lu}\p{Ll}+ of (?=\p{Lu}\p{Ll}+ \p{Lu})/u.exec(name)) || []
    start += role.length
    name = name.slice(role.length)
    const title =
      /^(?:(?:Dr|Mrs|Ms|Prof)\.?|Mr\.? (?=\S{2})|Patient|Customer|Client|Employee|Student|Lawyer|Player|Judge|Professor|Artist|Author|Actor|President|King|Queen|Captain|Agent|Coach)\s(?=\p{Lu})/u.exec(
        name,
      )?.[0] ?? ''
    start += title.length
    name = name.slice(title.length)
    name = name
      .replace(/(?<=^\p{Lu})\. (?=(\p{L}+))/u, (dot, next: string) => (isCommon(next) ? '\n' : dot))
      .split('\n')[0] as string
    if (/^\s\p{Ll}/u.test(text.slice(start + name.length))) name = name.replace(/['’]s?$/, '')
    const [first = '', ...others] = name.split(' ')
    const isPerson = title !== '' || personFirst().has(first.split('-')[0]?.toLowerCase() ?? '')
    const isWord =
      isCommon(name) ||
      (isFirst &&
        match[0] === name &&
        !isPerson &&
        !/\s/.test(name) &&
        !/^(?:['’]s|\s(?:is|was|has|from|and|will|\(|\p{Lu}[\p{Lu}\d-]*\d)|,)/u.test(
          text.slice(start + name.length),
        ))
    while (name.includes(' ') && !finder.isFree(start, start + name.length))
      name = name.slice(0, name.lastIndexOf(' '))
    if (name.length < 2 || !finder.isFree(start, start + name.length) || isWord) continue
    if (isCommon(name)) continue
    const abbreviation = /^(?:\.\p{Lu})+\.?(?=[\s,?!]|$)/u.exec(text.slice(start + name.length))?.[0] ?? ''
    if (/(?:^|\s)\p{Lu}$/u.test(name)) name += abbreviation
    const isPlace =
      /\bin $/.test(text.slice(0, start)) &&
      !/^(?:[A-Z]{2,}|.*\d|(?:Room|Building|Floor|Terminal)\b)/.test(name)
    const isState = /^[A-Z]{2}$/.test(name) && /\p{L}, $/u.test(text.slice(0, start))
    const kind = isPerson
      ? 'person'
      : isPlace
        ? 'city'
        : isState
          ? 'region'
          : /^[A-Z]{3,5}$/.test(name)
            ? 'symbol'
            : 'name'
    finder.claim(kind, start, start + name.length, name, {
      ...(isPlace && !isPerson && { row: { city: name, place: name } }),
      ...((isPerson || (kind === 'name' && others.length === 1)) && {
        row: { first, last: others.join(' ') || first },
      }),
    })
  }
}

function findLanguages(finder: Finder): void {
  const { text, list } = finder
  for (const [name, words] of Object.entries(fixtures.languages)) {
    const hits = text.match(new RegExp(`(?<!\\p{L})(?:${words})(?!\\p{L})`, 'giu')) ?? []
    const [value = '', code = ''] = name.split(':')
    if (hits.length > 1 && !list.some(({ kind }) => kind === 'language'))
      finder.add('language', text.indexOf(hits[0] ?? ''), text.length, value, {
        row: { language: value, code },
      })
  }
}

/** Returns true for `17, 1915` in `March 17, 1915`. */
function isPartOfDate({ kind, value, start, end }: Fact, list: readonly Fact[]): boolean {
  if (kind !== 'array' || String(value).startsWith('[')) return false
  return list.some(
    (other) => /^(?:date|time|money)$/.test(other.kind) && other.start < end && start < other.end,
  )
}

function findLists(finder: Finder, nouns: readonly Phrase[]): void {
  const { text, list } = finder
  for (const { start, end, items } of [...enumerations(text), ...phraseLists(text, nouns)])
    finder.add('list', start, end, items.join(', '), {
      items,
      row: {
        kinds: list.flatMap((fact) => (fact.start >= start && fact.end <= end ? fact.kind : [])).join(' '),
      },
    })
}

/** Finds the noun phrases, and returns the prompt's subject. */
function findThings(finder: Finder, nouns: readonly Phrase[]): Pick<Facts, 'topic' | 'query' | 'statement'> {
  const { text, list } = finder
  const titled = list.find((fact) => fact.kind === 'quote' && isTitle(fact))
  const statement = statementIn(
    text,
    list.find(({ kind }) => kind === 'passage'),
  )
  // The last word of a thing is neither a number, a date nor another known term.
  const isTerm = (start: number, end: number) =>
    list.some((fact) => fact.start < end && start < fact.end && terms.test(fact.kind))
  const things = nouns.flatMap((phrase) => {
    const value = phrase.value.replace(new RegExp(fixtures.adjectives, 'i'), '')
    const head = phrase.end - (/\S+$/.exec(value)?.[0].length ?? 0)
    return isTerm(head, phrase.end) || isGeneric(value) ? [] : [{ ...phrase, value }]
  })
  const { topic: object, query } = topicOf(text, things, statement)
  const about = titled ?? list.find(({ kind }) => kind === 'about')
  const message = list.find(({ kind }) => kind === 'message')
  const topic = about ? String(about.value) : message ? headline(String(message.value)) : object
  const main = statement
    ? things.find(({ isOwn, start }) => isOwn && start < text.indexOf(statement) + statement.length)
    : (things.find(({ isObject }) => isObject) ?? things[0])
  for (const thing of things) {
    const { value, end } = thing
    const start = end - value.length
    finder.add(thing === main ? 'object' : 'noun', start, end, value)
    const [, modifier, head] = /^(.+)\s(\S+)$/.exec(value) ?? []
    const isTyped = list.some(
      (fact) =>
        fact.start < end &&
        start < fact.end &&
        /^(?:city|country|region|id|league|date|number|person)$/.test(fact.kind),
    )
    if (modifier && head && !isTyped && !/^\p{Lu}/u.test(head))
      finder.add('modifier', start, start + modifier.length, modifier, { row: { head } })
  }
  for (const { value, end } of nouns) {
    const [, rest] = /^\S+\s(.+)$/.exec(value) ?? []
    if (rest && !isTerm(end - value.length, end - rest.length))
      finder.add('rest', end - rest.length, end, rest)
  }
  return { topic, query, statement }
}

/** Returns true for `today` and the date in `Today is 4 May 2026`. */
function isToday({ kind, before, after }: Fact): boolean {
  return kind === 'date' && (/\btoday\S*(?: \S+){0,4} $/.test(before) || /^ is\b/.test(after))
}

const terms =
  /^(?!(?:name|company|symbol|list|passage|quote|noun|object|tail|message|reason|purpose|feature|place|task|title|about|upside|downside|event|team|service|hobby)$)/

const common = new Set([...fixtures.verbs, ...fixtures.stops])

/** Returns the date that follows `today is`, or the current one. */
export function dateOfToday(text: string, now: number): number {
  const [, stated] =
    /\btoday(?:'s date)?(?: and time)?(?: is| are|,|:)? (?:\p{L}+day,? )?(.{8,20})/iu.exec(text) ?? []
  const date = readers().datePattern.exec(stated ?? '')
  const iso = date?.index === 0 && /\d{4}/.test(date[0]) ? dateOf(date[0], now) : undefined
  return iso ? Date.parse(iso) : now
}

/** Parses `[1, 2]`, `['I', 'V']`, `(1, 2)`, `1, 2 and 3`, or a list of lists such as `[[1, 2], [3, 4]]`. */
function arrayOf(source: string): unknown[] | undefined {
  const isBracket = source.startsWith('[')
  const inner = (/^[[(]/.test(source) ? source.slice(1, -1) : source).replace(
    /^(?:from|between) |[a-z] ?= ?/gi,
    '',
  )
  if (inner.includes('[')) return (inner.match(/\[[^\]]*\]/g) ?? []).map((each) => arrayOf(each) ?? [])
  const parts = isBracket
    ? (inner.match(/"[^"]*"|'[^']*'|[^,]+/g) ?? [])
    : inner.replace(/^e\.g\.,? ?/, '').split(/,? and | to |, ?|(?<=[NSEW]) /)
  const values = parts.flatMap((part) => {
    const text = part.trim().replace(/(?<=^\d+)(?:st|nd|rd|th)$/, '')
    const [, number = '', side = ''] = /^(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?:°? ?([NSEW]))?$/i.exec(text) ?? []
    if (number) return /[sw]/i.test(side) ? -Number(number) : Number(number)
    return text.replace(/^["']|["']$/g, '') || []
  })
  return values.length > 1 || (isBracket && values.length > 0) ? values : undefined
}

/** Returns true for request verbs and words without meaning of their own. */
export function isCommon(word: string): boolean {
  return common.has(word.toLowerCase())
}

function readValue(kind: string, raw: string, now: number): string | number | undefined {
  if (/^(?:number|span|money|percent|latitude|longitude)$/.test(kind))
    return numberOf(raw.replace(/[NESW]$/, '')) * (/[SW]$/.test(raw) ? -1 : 1)
  if (kind === 'date') return dateOf(raw, now)
  if (kind === 'time') return timeOf(raw)
  if (kind === 'glob') return `*.${raw}`
  if (kind === 'id') return raw.replace(/^#\s?/, '')
  return raw.trim().replace(/^['"“‘*]+|['"”’*]+$/g, '')
}

function numberOf(raw: string): number {
  const word = fixtures.numbers[raw.toLowerCase() as keyof typeof fixtures.numbers]
  const [unit = ''] = /(?:thousand|[mbtr]{1,2}illion|pi|[kmb])$/i.exec(raw) ?? []
  const scale = fixtures.scales[unit.toLowerCase() as keyof typeof fixtures.scales] ?? 1
  return word ?? Number(raw.replace(/,|\s*(?:thousand|[mbtr]{1,2}illion|pi|[kmb])$/gi, '')) * scale
}

function currencyOf(text: string): string {
  return (
    ({ '€': 'EUR', '£': 'GBP', '¥': 'JPY', '₹': 'INR' } as Record<string, string>)[text.trim().charAt(0)] ??
    'USD'
  )
}

/** An amount with a currency. */
export const price =
  '(?:[$€£¥]\\s?(?:\\d[\\d,]*(?:\\.\\d+)?)|\\d[\\d,]*(?:\\.\\d+)?\\s?(?:[€$£]|USD|EUR|GBP|euros?|dollars?|pounds?)(?!\\w))'

const count = '(?:\\d+(?:\\.\\d+)?(?:g|kg|ml|l|x|cm|oz|lb)?|two|three|four|five|six|an?) '
const connector = new RegExp(
  `^(?:, |,? (?:and|or|plus) | [&+] )(?:also )?(${count})?(?:(?:the|some|my|with) )?$`,
  'i',
)

/** Yields lists of noun phrases, such as `milk, two eggs and some bread`. */
function* phraseLists(
  text: string,
  phrases: readonly Phrase[],
): Generator<{ start: number; end: number; items: string[] }> {
  let [items, start]: [string[], number] = [[], 0]
  for (const [place, { start: own, end, value }] of phrases.entries()) {
    if (items.length === 0) {
      const [number = ''] = new RegExp(`(?<!\\S)${count}$`, 'i').exec(text.slice(0, own)) ?? []
      start = own - number.length
      items = [number + value]
    }
    const next = phrases[place + 1]
    const gap = next && connector.exec(text.slice(end, next.start))
    if (gap) items.push((gap[1] ?? '') + next.value)
    else {
      if (items.length > 1) yield { start, end, items }
      items = []
    }
  }
}

/** Yields enumerations after a colon or of priced items, such as `todo: buy milk, call Tom`. */
function* enumerations(text: string): Generator<{ start: number; end: number; items: string[] }> {
  const clauses = text
    .replace(/\b(?:but|however|although)\b|["“”]|\b(?:hi|hello|hey|dear \w+),/gi, (word) =>
      ';'.padEnd(word.length),
    )
    .replace(new RegExp(`\\s(?:for|at|costs?|@)(?=\\s${price})`, 'gi'), (word) => ' '.repeat(word.length))
  for (const match of clauses.matchAll(/(?:[^.!?;:\n]|\.(?=\d)){3,400}/g)) {
    const isHead = /:\s*$/.test(text.slice(0, match.index))
    if (!isHead && (match[0].match(new RegExp(price, 'g')) ?? []).length < 2) continue
    const parts = match[0].split(/,(?!\d)\s*(?:and\s|or\s|&\s)?|\s(?:and|or|&|plus)\s/)
    if (parts.length < 2) continue
    const words = (parts[0] ?? '').trim().split(/\s+/)
    const number = words.findIndex((word) => /^\d/.test(word) || word in fixtures.numbers)
    // After a colon, the first item can start with a verb, as in `todo: buy milk, call Tom`.
    const isShort = isHead && words.length < 4
    const stop = isShort ? -1 : words.findLastIndex((word) => isCommon(word))
    const items = [words.slice(number >= 0 ? number : stop + 1).join(' '), ...parts.slice(1)]
    const cut = items.map((item) =>
      item
        .trim()
        .replace(/\s+/g, ' ')
        .replace(/^(?:a|an|the|some|with|also)\s/i, '')
        .replace(
          /\s(?:to|for|in|on|from|at|with|by|please|into|who|that|which|tomorrow|today|using|as|are|is|about)\b.*$/is,
          '',
        )
        .trim(),
    )
    const kept = cut.filter(
      (item) =>
        item !== '' &&
        item.split(' ').length <= 6 &&
        !/^then\b/.test(item) &&
        (isShort || !isCommon(item.split(' ')[0] ?? '')),
    )
    if (kept.length > 1) yield { start: match.index, end: match.index + match[0].length, items: kept }
  }
}

/** Returns true for text of several words that ends like a sentence or starts a clause. */
function isSentence(text: string): boolean {
  return (
    text.split(/\s+/).length > 4 &&
    (/[.!?]$/.test(text) ||
      (/^(?:I|we|my|the|it|please|hi|hello)\b/i.test(text) &&
        !/^\S+(?: \p{Lu}\S*| of| the| and){3}/u.test(text)))
  )
}

/** Returns true if a value follows `titled` or a similar word. */
export function isTitle({ before }: Fact): boolean {
  return /(?:titled?|called|named|subject)\W*$/.test(before)
}

function statementIn(text: string, passage: Fact | undefined): string | undefined {
  const quoted =
    passage && /["“'«]\s*$/.test(text.slice(0, passage.start)) ? String(passage.value) : undefined
  const [, tail] = /^[^:"“\n]{3,60}(?<!\d):\s+["“]?(\S[\s\S]{15,}?)["”]?$/.exec(text.trim()) ?? []
  const source = quoted ?? tail ?? (passage ? String(passage.value) : text)
  const isGiven = source !== text
  // Lines such as `Subject: Login broken` can precede the text.
  const plain = source
    .trim()
    .replace(/^(?:(?:\p{Lu}[\w-]*(?: [\w-]+)?: )?.{1,60}\n)+\n/u, '')
    .replace(/^\p{Lu}\p{L}+(?: \p{L}+)?:\s+/u, '')
  const [sentence = ''] = /^.{12,200}?(?:[.!?](?=\s|$)|$)/m.exec(plain) ?? []
  const first = /^[\p{L}'’]+/u.exec(sentence)?.[0].toLowerCase() ?? ''
  const isRequest =
    fixtures.verbs.includes(first) || sentence.endsWith('?') || new RegExp(fixtures.lead, 'i').test(sentence)
  return isGiven || (!isRequest && /\s\S+\s/.test(sentence)) ? sentence || undefined : undefined
}

/** Returns the first words of a sentence, for a title. */
function headline(sentence: string): string {
  const clause = sentence
    .replace(/^(?:(?:hi|hello|dear \p{L}+|please),?\s+|(?:an?|the)\s)+/iu, '')
    .split(/[.!?;]\s|[.!?]$|,\s|\s(?:since|because|while|so that|which|that)\s/)[0] as string
  const words = clause.split(' ').slice(0, 6)
  while (words.length > 2 && fixtures.stops.includes(words.at(-1)?.toLowerCase() ?? '')) words.pop()
  return words.join(' ')
}

/** Returns the prompt's topic, and the prompt without its opening words, such as `Please find`. */
function topicOf(
  text: string,
  phrases: readonly Phrase[],
  statement?: string,
): { topic: string; query: string } {
  const first = /^[\s\S]*?(?:[.?!](?=\s)|\n|$)/.exec(text.trim().slice(0, 300))?.[0] ?? ''
  const request = first.replace(/[.?!:\s]+$/, '').replace(new RegExp(fixtures.lead, 'i'), '')
  const start = Math.max(0, text.indexOf(request))
  const own = phrases.find((phrase) => phrase.start >= start)
  const whole = text.slice(own?.start ?? start, start + request.length)
  const query = whole
    .replace(/,?\s*(?:please|(?:top|limit(?:ed)?(?: to)?|max(?:imum)?|first) \d+.*)$/i, '')
    .replace(new RegExp(fixtures.wrappers, 'i'), '')
  const within = start + request.lastIndexOf(query)
  const main = phrases.find((phrase) => phrase.start >= within && !isGeneric(phrase.value)) ?? own
  const topic = statement && !text.trim().startsWith(statement) ? headline(statement) : main?.value
  return { topic: topic || query || 'the request', query: query || whole || 'the request' }
}

const generic = new RegExp(fixtures.generic, 'i')

function isGeneric(phrase: string): boolean {
  return generic.test(phrase)
}

const quotes = () =>
  /"([^"\n]{1,1000})"|“([^”]{1,1000})”|«\s?([^»]{1,1000}?)\s?»|„([^“”]{1,1000})[“”]|(?<![\p{L}\d])'([^'\n]{1,200}(?:'(?=\p{Ll})[^'\n]{1,200})?)'(?![\p{L}\d])/gu
const names = () =>
  /(?<![\p{L}\d'’])\p{Lu}[\p{L}\d'’&-]*(?:(?:(?<=(?<![\p{L}\d])\p{Lu}|Dr|Mr|Mrs|Ms|Prof|St)\. | | (?:of|de|del|la|da|van|von|der|the|&) )\p{Lu}[\p{L}\d'’&-]*){0,5}/gu

type Term = readonly [tag: string, value: string, row?: Row]
interface Readers {
  patterns: (readonly [string, RegExp])[]
  phrases: (readonly [string, RegExp])[]
  datePattern: RegExp
  termOf(text: string): Term | undefined
}

/** Yields the terms in a text, the longest first at each position. */
function* termsIn(
  text: string,
  termOf: Readers['termOf'],
): Generator<{ start: number; end: number; term: Term }> {
  const words = [
    ...text.matchAll(
      /(?:\p{Lu}\.)+\p{Lu}?(?!\p{L})|[\p{L}\d°/+#-]*[\p{L}\d°/+#](?:\.(?= \p{Lu}))?(?<=\bSt\.|[^.])/gu,
    ),
  ]
  for (let at = 0; at < words.length; at++) {
    for (let length = 3; length > 0; length--) {
      const [first, last] = [words[at], words[at + length - 1]]
      if (!first || !last) continue
      const end = last.index + last[0].length
      // A unit can follow its number without a space.
      const start = first.index + (/^\d+(?=[^\d])/.exec(first[0])?.[0].length ?? 0)
      const term = termOf(text.slice(start, end))
      if (!term) continue
      yield { start, end, term }
      at += length - 1
      break
    }
  }
}

let made: Readers | undefined

/** Created on first use, because compiling the patterns takes a few milliseconds. */
function readers(): Readers {
  if (made) return made
  const all = new Map<string, Term>()
  const set = (alias: string, term: Term) => {
    const key = alias.length < 3 ? alias : alias.toLowerCase()
    if (!all.has(key)) all.set(key, term)
  }
  for (const row of fixtures.tables.places) {
    set(row.city, ['city', row.city, row])
    set(row.country, ['country', row.country, { ...row, code: row.countryCode }])
  }
  for (const [tag, list] of Object.entries(fixtures.terms))
    for (const entry of list) {
      const [names = '', code = ''] = entry.split(':')
      const aliases = names.split('|')
      const value = aliases[0] as string
      const row: Row | undefined =
        tag === 'country' || tag === 'language'
          ? fixtures.tables.places.find((place) => place[tag] === value)
          : tag === 'city'
            ? { city: value, state: code }
            : undefined
      for (const alias of aliases)
        set(alias, [
          tag,
          tag === 'unit' ? alias : value,
          { ...row, [tag]: value, code: code || row?.['countryCode'] || '', value },
        ])
    }
  const compile = ([kind = '', source = '']: readonly string[]) =>
    [
      kind,
      new RegExp(
        source.replaceAll('{month}', fixtures.month),
        /^(?:url|email|uuid|date|time|number|percent|sql)$/.test(kind) ? 'giu' : 'gu',
      ),
    ] as const
  made = {
    patterns: fixtures.facts.map(compile),
    phrases: fixtures.phrases.map(compile),
    datePattern: new RegExp(
      compile(fixtures.facts.findLast(([kind]) => kind === 'date') ?? [])[1].source,
      'iu',
    ),
    termOf: (text) => all.get(text.length < 3 ? text : text.toLowerCase()),
  }
  return made
}

let firstNames: ReadonlySet<string> | undefined
function personFirst(): ReadonlySet<string> {
  firstNames ??= new Set(fixtures.firstNames)
  return firstNames
}
