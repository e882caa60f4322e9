/** Rates how well a value of the prompt matches a field: by type, unit, labels and the words around it. */
import { type Fact, isTitle, price } from './facts.ts'
import { type Leaf, stem } from './fields.ts'
import { isMeasuredIn, unitAfter, unitAsked } from './units.ts'

/** Rates a number. `order` is 1 if the field's place among the numeric fields is that of the number, otherwise lower. */
export function numberScore(leaf: Leaf, fact: Fact, order: number, isOneWay: boolean): number {
  const { field, role, words, description } = leaf
  const about = `${leaf.name} ${description}`.toLowerCase()
  const unit = unitAfter(fact)
  const own = unitAsked(leaf)
  const isMeasured = own && isMeasuredIn(fact, own[1])
  let score = order
  const cue = cueScore(leaf, fact)
  score += cue
  if (unit && own) score += isMeasured ? 3 : -3
  else if (own && own[1] !== 'money' && /^(?:money|percent)$/.test(fact.kind)) score -= 2
  else if (unit && unit[1] !== 'money' && !own) score -= 1.5
  if (fact.kind === 'percent') score += isShare.test(about) ? 2.5 : -2
  if (fact.kind === 'money') score += isMoney.test(about) ? 2.5 : -2
  if (fact.kind !== 'percent' && fact.kind !== 'money' && isShare.test(words.join(' ')))
    score -= Number(fact.value) > 1 ? 1.5 : 0
  const number = Number(fact.value)
  const isYear = number > 1500 && number < 2200 && !unit && Number.isInteger(number) && fact.kind === 'number'
  if (/(?<!per )\byear$/.test(leaf.name)) score += isYear ? 4 : cue > 2 ? 0 : -9
  else if (isYear) score -= 1.5
  if (/^-[\p{L}]|^x\d/u.test(fact.after) && cue < 2 && !field?.after?.test(fact.after)) score -= 1.5
  // `two bodies` counts the fields `charge1` and `charge2`.
  if (fact.row?.['word']) score -= /\d$|first|second/.test(leaf.name) ? 5 : cue < 2 ? 1.5 : 0
  if (/^(?:st|nd|rd|th)\b/.test(fact.after) && !/century|floor|grade|rank|day|place|edition/.test(about))
    score -= 2
  if (field?.after?.test(fact.after)) score += 2
  if (field?.near?.test(fact.before)) score += 1
  const place = field?.takes.findIndex(([kind]) => kind === fact.kind) ?? -1
  if (place >= 0) score += 0.6 - place * 0.2
  if (role) score += Math.max(roleScore(role, fact, words), isOneWay ? 0 : -3)
  return score
}

const isShare =
  /\b(?:rate|percent\w*|ratio|discount|probabilit\w*|interest|return|growth|tax|share|yield|volatility|margin|contributions?|humidity|confidence|chance|proportion|enganche)\b/
const isMoney =
  /\b(?:amount|price|cost|invest\w*|principa?le?|value|income|revenue|salary|budget|fee|payment|payout|deposit|dividends?|equity|balance|money|dollars?|usd|loan|sales?|cash|profit|expenses?|fund|rent|wage|total|limit|spend|bid|fare|bill|tip|monto|debt|assets?|liabilit\w*|price_\w+)\b/

/** Rates the field's words near a value, the nearest ones higher. */
export function cueScore(leaf: Leaf, { before, after }: Fact): number {
  const left =
    (before.split(/[.;!?\n]\s|(?<!\p{L})\d[\d,.]*(?=\s|,)/u).at(-1) ?? '').match(wordPattern)?.reverse() ?? []
  const right = (after.split(/[.;!?\n,](?=\s|$)|\d|\s(?:and|with|of)\s/)[0] ?? '').match(wordPattern) ?? []
  const near = (words: readonly string[], cue: string) =>
    words.findIndex(
      (word) =>
        stem(word) === cue || (cue.length > 2 && word.startsWith(cue) && word.length < cue.length + 5),
    )
  let score = 0
  for (const [cue, weight] of leaf.weights) {
    const [before, after] = [near(left, cue), near(right, cue)]
    score +=
      weight * Math.max(before < 0 ? 0 : 3.2 / (1 + 0.3 * before), after < 0 ? 0 : 3 / (1 + 0.5 * after))
  }
  return Math.min(score, 6)
}

const wordPattern = /\p{L}+/gu

/** Rates the words around a value by a field's direction, as in `from Paris to Rome`. */
export function roleScore(
  role: 'from' | 'to',
  { before, after, kind }: Fact,
  words: readonly string[],
): number {
  // In `How many euros are 5 dollars?`, the amount has the unit to convert from.
  if (/^(?:currency|unit|option)$/.test(kind) && /\d\s?(?:\p{L}+\s)?$/u.test(before))
    return role === 'from' ? 3.5 : -6
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
  if (role === 'from') return isFrom ? 3.5 : isSure ? -6 : /date|time|number/.test(kind) ? 0.5 : -2
  if (isFrom && !isTo) return -6
  const isPlainDate = /date|time/.test(kind) && !isSure && !words.includes('due')
  return isSure ? 3 : isTo ? 1 : isPlainDate ? -1.5 : -0.5
}

/** Rates a text for a required field that nothing else fits: by kind, preposition and the words around it. */
export function openScore(leaf: Leaf, fact: Fact, isFollowed: boolean): number {
  const about = `${leaf.name} ${leaf.description}`.toLowerCase()
  const kind = fact.kind
  const isNoun = /^(?:noun|object)$/.test(kind)
  if (kind === 'modifier')
    return leaf.words.includes('type') &&
      leaf.words.some((word) => stem(word) === stem(String(fact.row?.['head']).toLowerCase()))
      ? 5
      : 0
  if (
    !isNoun &&
    !/^(?:quote|name|person|company|city|country|region|id|code|league|platform|religion|ticker|symbol|slug|event|about|formula|instrument|diet|genre|color|sport|animal|room|weather|cuisine)$/.test(
      kind,
    )
  )
    return 0
  const isPlace =
    /\b(?:location|city|place|country|region|state|area|jurisdiction|court|venue|address|habitat|zone|where|river|lake|organelle|compartment|site)\b/.test(
      about.slice(0, 120),
    )
  const isTopic = /\b(?:topic|subject|about|theme|discovery|theory|crime|event)\b/.test(about)
  const isProper =
    /\b(?:player|artist|author|scientist|person|actor|director|singer|team|company|brand|name|title|president|lawyer|book|movie|song|game)\b/.test(
      about,
    )
  const isCapital = /^\p{Lu}\S+ \p{Lu}/u.test(String(fact.value))
  let score = isNoun ? (isCapital ? 2 : 1) : kind === 'about' ? 1.2 : /^(?:id|slug)$/.test(kind) ? 2.6 : 2
  if (isPlace)
    score += /^(?:city|country|region)$/.test(kind)
      ? 2
      : /\b(?:in|at|near|of|from|around)\s(?:the\s)?$/.test(fact.before)
        ? 1.4
        : 0
  else if (/^(?:city|country|region)$/.test(kind)) score -= 1.5
  if (isProper && !isNoun) score += 0.8
  if (/\bof\s(?:the\s|an?\s)?$/.test(fact.before)) score += 1
  else if (/\b(?:for|about|on|to|regarding|between)\s(?:the\s|an?\s)?$/.test(fact.before))
    score += isTopic ? 1.4 : 0.8
  if (isFollowed) score -= 1.6
  return score + Math.min(2.5, cueScore(leaf, fact) * 0.6)
}

/** Kinds that a list of plain words does not replace. */
const typedKinds =
  /^(?:email|url|date|time|city|country|person|number|money|phone|file|id|language|currency)$/

/** Rates a text. */
export function textScore(leaf: Leaf, fact: Fact, isOneWay: boolean): number {
  const { field, role, words, hints, isMany } = leaf
  const isIn = (text: string) => leaf.stems.some((each) => text.includes(each))
  const isLabelled = isIn(fact.before) && leaf.label?.test(fact.before) === true
  if (fact.kind === 'rest') return isLabelled && !words.includes(String(fact.value)) ? 4.5 : 0
  if (fact.kind === 'modifier')
    return words.length > 0 &&
      stem(String(fact.row?.['head']).toLowerCase()) === stem(words.at(-1) ?? '') &&
      !words.includes(String(fact.value).toLowerCase())
      ? 5
      : 0
  const place = field?.takes.findIndex(([kind]) => kind === fact.kind) ?? -1
  const isNumber = typeof fact.value === 'number'
  const isBefore = isIn(fact.after) && leaf.suffix?.test(fact.after) === true
  const isNamed = isLabelled || isBefore
  const isText = /^(?:quote|name|id|person|company|slug)$/.test(fact.kind)
  if (place < 0 && !isNumber && !isNamed && !(isMany && fact.kind === 'list') && (field || !isText)) return 0
  const mode = field?.takes[place]?.[1]
  if (field?.takes[0]?.[0] === 'none') return 0
  let score = place < 0 ? 0 : 4 - place * (isNumber ? 0.4 : 0.25)
  if (field?.takes[0]?.[0] === 'person' && /\bat $/.test(fact.before)) score -= 2
  if (
    isNumber &&
    place >= 0 &&
    !/loose|money/.test(mode ?? '') &&
    !/^(?:money|latitude|longitude)$/.test(fact.kind)
  )
    score = 0.5
  if (isMany && !isNumber && place > 0) score -= place / 2
  if (mode === 'loose') score = 3.2
  if (place === 0 && /^(?:email|url|phone|uuid|ip)$/.test(fact.kind)) score += 2
  if (mode === 'weak' || mode === 'near') score = 1
  if (leaf.optional.length > 0 && field?.takes[0]?.[0] === 'team' && fact.kind === 'name') score = 1
  if (fact.kind === 'email' && mode === 'near' && field?.near?.test(fact.before)) score = 4
  if (isMany && fact.kind === 'object') score -= 2
  if (mode === 'year') score = Number(fact.value) > 1500 && Number(fact.value) < 2200 ? 4 : -9
  if (mode === 'titled') score = isTitle(fact) ? 3.8 : 2.5
  if (field?.near?.test(fact.before))
    score += fact.kind === 'list' ? 0.5 : fact.kind === 'noun' && field.takes[0]?.[0] === 'city' ? 1.8 : 2.6
  if (field?.after?.test(fact.after)) score += 3.2
  if (isNamed) score += isBefore ? 4 : place < 0 ? 3.5 : 2.5
  const before = fact.before.slice(-24)
  const next = fact.after.slice(0, 16)
  for (const cue of leaf.cues) {
    if (!isNamed && cue.test(before)) score += 2.5
    if (isNumber && cue.test(next)) score += 3.5
  }
  if (score < 4) for (const hint of hints) if (hint.length > 3 && before.includes(hint)) score += 1
  if (role && fact.kind !== 'email') score += Math.max(roleScore(role, fact, words), isOneWay ? 0 : -9)
  if (isMany && fact.kind === 'list' && place >= 0) score += 2.5
  const kinds = fact.items ? String(fact.row?.['kinds']).split(' ') : []
  if (field?.takes.some(([kind = '']) => kinds.includes(kind))) score += 1.2
  else if (kinds.some((kind) => /^(?:city|country|person|date|email)$/.test(kind))) score -= 1
  if (fact.kind === 'name' && fact.row?.['first'] && field?.takes[0]?.[0] === 'person') score += 0.8
  if (isMany && fact.kind === 'list' && place < 0)
    score =
      field?.takes.some(([kind = '']) => typedKinds.test(kind)) &&
      !/\bname\b/.test(String(fact.row?.['kinds']))
        ? -1
        : 3.2
  if (fact.items?.some((item) => /\d.*\d|(?:\S+\s){3}/.test(item))) score -= 0.3
  if (isRows(leaf, fact)) score = 9
  return score
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
