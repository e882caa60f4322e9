/**
 * Numbers and strings of formats: what a schema allows, and what people believe.
 */
import { uuid } from '../../lib/seed.ts'
import { numberAt, type SchemaObject } from './schema.ts'

export interface Range {
  min: number
  max: number
  /** Whether the bound itself is outside. */
  isOpenBelow: boolean
  isOpenAbove: boolean
}

/** The numbers that a schema allows. In draft 4 the exclusive bounds are flags beside the bounds. */
export function rangeOf(schema: SchemaObject): Range {
  const [min, max] = [numberAt(schema, 'minimum') ?? -Infinity, numberAt(schema, 'maximum') ?? Infinity]
  const [above, below] = [numberAt(schema, 'exclusiveMinimum'), numberAt(schema, 'exclusiveMaximum')]
  return {
    min: Math.max(min, above ?? -Infinity),
    max: Math.min(max, below ?? Infinity),
    isOpenBelow: schema['exclusiveMinimum'] === true || (above !== undefined && above >= min),
    isOpenAbove: schema['exclusiveMaximum'] === true || (below !== undefined && below <= max),
  }
}

/** How far a range without an end goes on. */
const usual = 100
/** Bounds by which some clients say "integer": in a range so wide hardly any number is one that people believe. */
const far = Number.MAX_SAFE_INTEGER

/** A number of a range; at times one that only nearly fits. Undefined where there is none. */
export function numberIn(
  { min, max, isOpenBelow, isOpenAbove }: Range,
  factor: number | undefined,
  isInteger: boolean,
  draw: () => number,
): number | undefined {
  const [hasMin, hasMax] = [min > -far, max < far]
  const low = hasMin ? min : hasMax ? Math.min(max - usual, Math.max(0, max - usual)) : 1
  const high = hasMax ? (hasMin || max - low <= 10 * usual ? max : low + usual) : low + usual
  const step = factor ?? (isInteger || high - low >= usual ? 1 : (high - low) / usual)
  if (!(step > 0)) return low === high ? low : undefined
  const unit = isInteger && !Number.isInteger(step) ? step * 10 ** decimalsOf(step) : step
  // A range may begin at no multiple of the step.
  const base = factor === undefined && !isInteger ? low : 0
  let first = Math.ceil((low - base) / unit)
  let last = Math.floor((high - base) / unit)
  if (isOpenBelow && base + first * unit <= low) first++
  if (isOpenAbove && base + last * unit >= high) last--
  if (first > last) return undefined
  const value = base + (first + Math.floor(draw() * (last - first + 1))) * unit
  const rounded = Number(value.toFixed(Math.min(12, decimalsOf(unit) + decimalsOf(base))))
  return rounded < low || rounded > high ? value : rounded
}

function decimalsOf(value: number): number {
  return /e-/.test(String(value)) ? 12 : (String(value).split('.')[1]?.length ?? 0)
}

/** Strings by `format`; any string will do for one that is not here. */
const formats: Record<string, (draw: () => number, words: string) => string> = {
  'date-time': (draw) => `${dateOf(draw)}T${timeOf(draw)}Z`,
  date: dateOf,
  time: (draw) => `${timeOf(draw)}Z`,
  duration: (draw) => `PT${1 + Math.floor(draw() * 59)}M`,
  email: (_, words) => `${words}@example.com`,
  'idn-email': (_, words) => `${words}@example.com`,
  hostname: (_, words) => `${words}.example.com`,
  'idn-hostname': (_, words) => `${words}.example.com`,
  ipv4: (draw) => `192.0.2.${1 + Math.floor(draw() * 254)}`,
  ipv6: (draw) => `2001:db8::${(1 + Math.floor(draw() * 0xfffe)).toString(16)}`,
  uri: (_, words) => `https://example.com/${words}`,
  iri: (_, words) => `https://example.com/${words}`,
  url: (_, words) => `https://example.com/${words}`,
  'uri-reference': (_, words) => `/${words}`,
  'iri-reference': (_, words) => `/${words}`,
  'uri-template': (_, words) => `https://example.com/${words}/{id}`,
  uuid: (draw) => uuid('format', draw()),
  'json-pointer': (_, words) => `/${words}`,
  'relative-json-pointer': (_, words) => `0/${words}`,
  regex: (_, words) => `^${words}$`,
  byte: (_, words) => btoa(words),
}

/** @param words What the value is about; its ASCII letters and digits are taken up. */
export function textOfFormat(format: string, draw: () => number, words: string): string | undefined {
  const make = Object.hasOwn(formats, format) ? formats[format] : undefined
  const plain = words
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '')
  return make?.(draw, plain.join('-').slice(0, 40) || 'something')
}

const day = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])/
const time = /([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i
const shapes: Record<string, RegExp> = {
  'date-time': new RegExp(`${day.source}T${time.source}`, 'i'),
  date: new RegExp(`${day.source}$`),
  time: new RegExp(`^${time.source}`, 'i'),
  duration: /^P(?!$)(\d+Y)?(\d+M)?(\d+W)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+S)?)?$/,
  email: /^[^\s@]+@[a-z\d-]+(\.[a-z\d-]+)+$/i,
  hostname: /^[a-z\d]([a-z\d-]*[a-z\d])?(\.[a-z\d]([a-z\d-]*[a-z\d])?)*$/i,
  ipv4: /^(25[0-5]|2[0-4]\d|1?\d?\d)(\.(25[0-5]|2[0-4]\d|1?\d?\d)){3}$/,
  ipv6: /^[\da-f]{0,4}(:[\da-f]{0,4}){2,7}$/i,
  uri: /^[a-z][a-z\d+.-]*:\S+$/i,
  uuid: /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i,
}

/** Whether a text has the shape of a format; yes where that is not known. */
export function isOfFormat(format: string, text: string): boolean {
  // Longer ones are not made, and would take long to judge.
  return !Object.hasOwn(shapes, format) || (text.length <= 500 && (shapes[format] as RegExp).test(text))
}

function dateOf(draw: () => number): string {
  const [month, day] = [1 + Math.floor(draw() * 12), 1 + Math.floor(draw() * 28)]
  return `2025-${twoDigits(month)}-${twoDigits(day)}`
}

function timeOf(draw: () => number): string {
  return [24, 60, 60].map((count) => twoDigits(Math.floor(draw() * count))).join(':')
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}
