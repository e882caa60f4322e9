/** Rates how well a value of the prompt matches a field: by type, unit, labels and the words around it. */
import { type Fact, isTitle, price } from './facts.ts'
import { type Leaf, stem } from './fields.ts'
import { isMeasuredIn, unitAfter, unitAsked } from './units.ts'

/** Weights of a hint. */
const weak = 1
const fair = 1.5
const clear = 2.5
const strong = 3.5

/** Rates a number. `order` is 1 if the field's place among the numeric fields is that of the number, otherwise lower. */
export function numberScore(leaf: Leaf, fact: Fact, order: number, isOneWay: boolean): number {
  const { field, role, words, description } = leaf
  const about = `${leaf.name} ${description}`.toLowerCase()
  const unit = unitAfter(fact)
  const own = unitAsked(leaf)
  const isMeasured = own && isMeasuredIn(fact, own[1])
  const cue = cueScore(leaf, fact)
  let score = order + cue
  if (unit && own) score += isMeasured ? 3 : -3
  else if (own && /^(?:money|percent)$/.test(fact.kind)) score -= fair
  else if (unit && unit[1] !== 'money') score -= fair
  if (fact.kind === 'percent') score += isShare.test(about) ? clear : -fair
  else if (fact.kind === 'money') score += isMoney.test(about) ? clear : -fair
  else if (isShare.test(words.join(' ')) && Number(fact.value) > 1) score -= fair
  const isYearNumber = fact.kind === 'number' && !unit && isYear(fact)
  if (/(?<!per )\byear$/.test(leaf.name)) {
    if (!isYearNumber && cue < fair) return -Infinity
    if (isYearNumber) score += strong
  } else if (isYearNumber) score -= fair
  if (/^-[\p{L}]|^x\d/u.test(fact.after) && cue < fair && !field?.after?.test(fact.after)) score -= fair
  // `two bodies` counts the fields `charge1` and `charge2`.
  if (fact.row?.['word'] && /\d$|first|second/.test(leaf.name)) return -Infinity
  if (fact.row?.['word'] && cue < fair) score -= fair
  if (/^(?:st|nd|rd|th)\b/.test(fact.after) && !/century|floor|grade|rank|day|place|edition/.test(about))
    score -= fair
  if (field?.after?.test(fact.after)) score += clear
  if (field?.near?.test(fact.before)) score += weak
  const place = placeOf(leaf, fact)
  if (place >= 0) score += weak / 2 - place / 5
  if (role) score += Math.max(roleScore(role, fact, words), isOneWay ? 0 : -clear)
  return score
}

/** Returns true for an integer from 1500 to 2199. */
export function isYear({ value }: Fact): boolean {
  return /^(?:1[5-9]|2[01])\d\d$/.test(String(value))
}

/** Returns the place of a fact's kind among those that a field takes, or -1. */
function placeOf({ field }: Leaf, fact: Fact): number {
  return [...(field?.takes ?? [])].findIndex(([kind]) => kind === fact.kind)
}

const isShare =
  /\b(?:rate|percent\w*|ratio|discount|probabilit\w*|interest|return|growth|tax|share|yield|volatility|margin|contributions?|humidity|confidence|chance|proportion|enganche)\b/
const isMoney =
  /\b(?:amount|price|cost|invest\w*|principa?le?|value|income|revenue|salary|budget|fee|payment|payout|deposit|dividends?|equity|balance|money|dollars?|usd|loan|sales?|cash|profit|expenses?|fund|rent|wage|total|limit|spend|bid|fare|bill|tip|monto|debt|assets?|liabilit\w*|price_\w+)\b/

/** Rates the field's words near a value, the nearest ones higher. */
export function cueScore(leaf: Leaf, { before, after }: Fact): number {
  const left = before.replace(/^[\s\S]*(?:[.;!?\n]\s|(?<!\p{L})\d[\d,.]*(?=\s|,))/u, '')
  const right = after.replace(/(?:[.;!?\n,](?=\s|$)|\d|\s(?:and|with|of)\s)[\s\S]*$/, '')
  const near = (words: readonly string[], cue: string) =>
    words.findIndex(
      (word) =>
        stem(word) === cue || (cue.length > 2 && word.startsWith(cue) && word.length < cue.length + 5),
    )
  const wordsIn = (part: string) => Array.from(part.matchAll(/\p{L}+/gu), String)
  const [wordsBefore, wordsAfter] = [wordsIn(left).reverse(), wordsIn(right)]
  let score = 0
  for (const [cue, weight] of leaf.weights) {
    const [before, after] = [near(wordsBefore, cue), near(wordsAfter, cue)]
    score += weight * Math.max(before < 0 ? 0 : 3.2 / (1 + 0.3 * before), after < 0 ? 0 : 3 / (1 + after / 2))
  }
  return score
}

/** Rates the words around a value by a field's direction, as in `from Paris to Rome`. */
export function roleScore(
  role: 'from' | 'to',
  { before, after, kind }: Fact,
  words: readonly string[],
): number {
  // In `How many euros are 5 dollars?`, the amount has the unit to convert from.
  if (/^(?:currency|unit|option)$/.test(kind) && /\d\s?(?:\p{L}+\s)?$/u.test(before))
    return role === 'from' ? strong : -Infinity
  const isFrom =
    /\b(?:from|between|since|depart(?:s|ing)?|starting(?: on| at)?|leaving|out of|of)\s+(?:the )?(?:(?!to )[a-z]+ ){0,2}(?:[a-z]\s?=\s?)?$/.test(
      before,
    ) || /^\s*(?:to|->|→|until|till|through|–|-|and back to)\s/.test(after)
  const isTo =
    /\b(?:to|into|until|till|through|and|for|returning(?: on)?|back(?: on)?|by|arriving(?: in| at)?|->|→|–|-|visit|in)\s+(?:the )?(?:[a-z]\s?=\s?)?$/.test(
      before,
    )
  const isSure =
    /\b(?:to|into|until|till|through|arriv(?:es|ing)(?: in| at)?|returning(?: on)?|->|→|–)\s+(?:the )?(?:[a-z]\s?=\s?)?$/.test(
      before,
    )
  if (role === 'from')
    return isFrom ? strong : isSure ? -Infinity : /date|time|number/.test(kind) ? weak / 2 : -fair
  if (isFrom && !isTo) return -Infinity
  return isSure ? strong : isTo ? weak : /date|time/.test(kind) && !words.includes('due') ? -fair : -weak / 2
}

/** Rates a text for a required field that nothing else fits: by kind, preposition and the words around it. */
export function openScore(leaf: Leaf, fact: Fact, isFollowed: boolean): number {
  const about = `${leaf.name} ${leaf.description}`.toLowerCase()
  const kind = fact.kind
  const isNoun = /^(?:noun|object)$/.test(kind)
  if (kind === 'modifier') {
    const head = stem(String(fact.row?.['head']).toLowerCase())
    return leaf.words.includes('type') && leaf.stems.includes(head) ? strong + fair : -Infinity
  }
  if (
    !isNoun &&
    !/^(?:quote|name|person|company|city|country|region|id|code|league|platform|religion|ticker|symbol|slug|event|about|formula|instrument|diet|genre|color|sport|animal|room|weather|cuisine)$/.test(
      kind,
    )
  )
    return -Infinity
  const isPlace =
    /\b(?:location|city|place|country|region|state|area|jurisdiction|court|venue|address|habitat|zone|where|river|lake|organelle|compartment|site)\b/.test(
      about,
    )
  const isTopic = /\b(?:topic|subject|about|theme|discovery|theory|crime|event)\b/.test(about)
  const isProper =
    /\b(?:player|artist|author|scientist|person|actor|director|singer|team|company|brand|name|title|president|lawyer|book|movie|song|game)\b/.test(
      about,
    )
  const isCapital = /^\p{Lu}\S+ \p{Lu}/u.test(String(fact.value))
  let score = kind === 'about' || (isNoun && !isCapital) ? weak : 2
  if (/^(?:city|country|region)$/.test(kind)) score += isPlace ? clear : -fair
  else if (isPlace && /\b(?:in|at|near|of|from|around)\s(?:the\s)?$/.test(fact.before)) score += fair
  if (isProper && !isNoun) score += weak
  if (/\bof\s(?:the\s|an?\s)?$/.test(fact.before)) score += weak
  else if (/\b(?:for|about|on|to|regarding|between)\s(?:the\s|an?\s)?$/.test(fact.before))
    score += isTopic ? fair : weak
  if (isFollowed) score -= fair
  return score + cueScore(leaf, fact) / 2
}

/** Kinds that a list of plain words does not replace. */
const typedKinds =
  /^(?:email|url|date|time|city|country|person|number|money|phone|file|id|language|currency)$/

/** Rates a text. */
export function textScore(leaf: Leaf, fact: Fact, isOneWay: boolean): number {
  const { field, role, words, hints, isMany } = leaf
  const isIn = (text: string) => leaf.stems.some((each) => text.includes(each))
  const isLabelled = isIn(fact.before) && leaf.label?.test(fact.before) === true
  if (fact.kind === 'rest')
    return isLabelled && !words.includes(String(fact.value)) ? strong + weak : -Infinity
  if (fact.kind === 'modifier')
    return stem(String(fact.row?.['head']).toLowerCase()) === leaf.stems.at(-1) &&
      !words.includes(String(fact.value).toLowerCase())
      ? strong + fair
      : -Infinity
  const place = placeOf(leaf, fact)
  const isNumber = typeof fact.value === 'number'
  const isBefore = isIn(fact.after) && leaf.suffix?.test(fact.after) === true
  const isNamed = isLabelled || isBefore
  const isText = /^(?:quote|name|id|person|company|slug)$/.test(fact.kind)
  const isList = isMany && fact.kind === 'list'
  const mode = field?.takes[place]?.[1]
  const [[first = ''] = []] = field?.takes ?? []
  if (first === 'none' || (place < 0 && !isNumber && !isNamed && !isList && (field || !isText)))
    return -Infinity
  let score = place < 0 ? 0 : strong + weak / 2 - place / 4
  if (first === 'person' && /\bat $/.test(fact.before)) score -= fair
  if (isNumber && !/loose|money/.test(mode ?? '') && !/^(?:money|latitude|longitude)$/.test(fact.kind))
    score = 0
  if (isMany && !isNumber && place > 0) score -= place / 2
  if (mode === 'loose') score = strong
  if (place === 0 && /^(?:email|url|phone|uuid|ip)$/.test(fact.kind)) score += clear
  if (mode === 'weak' || mode === 'near') score = weak
  if (leaf.optional.length > 0 && first === 'team' && fact.kind === 'name') score = weak
  if (fact.kind === 'email' && field?.near?.test(fact.before)) score += strong
  if (isMany && fact.kind === 'object') score -= fair
  if (mode === 'titled') score = isTitle(fact) ? strong : clear
  if (field?.near?.test(fact.before))
    score +=
      fact.kind === 'list'
        ? weak / 2
        : fact.kind === 'noun' && first === 'city'
          ? fair
          : fact.kind === 'noun' && first === 'city'
            ? fair
            : clear
  if (field?.after?.test(fact.after)) score += strong
  if (isNamed)
    score += isBefore || place < 0 ? strong : fact.kind === 'noun' && first === 'city' ? fair : clear
  const before = fact.before.slice(-24)
  const next = fact.after.slice(0, 16)
  for (const cue of leaf.cues) {
    if (!isNamed && cue.test(before)) score += clear
    if (isNumber && cue.test(next)) score += strong
  }
  if (score < strong + weak / 2)
    for (const hint of hints) if (hint.length > 3 && before.includes(hint)) score += weak
  if (role && fact.kind !== 'email') score += Math.max(roleScore(role, fact, words), isOneWay ? 0 : -Infinity)
  if (isList && place >= 0) score += clear
  const kinds = fact.items ? String(fact.row?.['kinds']).split(' ') : []
  if (field?.takes.some(([kind = '']) => kinds.includes(kind))) score += weak
  else if (kinds.some((kind) => /^(?:city|country|person|date|email)$/.test(kind))) score -= weak
  if (fact.kind === 'name' && fact.row?.['first'] && first === 'person') score += weak
  if (isList && place < 0) {
    if (field?.takes.some(([kind = '']) => typedKinds.test(kind)) && !kinds.includes('name')) return -Infinity
    score = strong
  }
  if (fact.items?.some((item) => /\d.*\d|(?:\S+\s){3}/.test(item))) score -= weak
  return isRows(leaf, fact) ? Infinity : score
}

/**
 * Returns true if the fact is a list of priced items, such as `2 x Mug at $9 and 1 x Pot at $20`, and the
 * field holds item names.
 */
export function isRows({ key, isMany }: Leaf, { items }: Fact): boolean {
  return (
    isMany &&
    /\/\*\/(?:name|title|product|item|description)\w*$/i.test(key) &&
    items?.every((item) => new RegExp(price).test(item)) === true
  )
}
