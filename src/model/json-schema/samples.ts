/** Values that fit a field's name: `email` is an address, `city` a city, `rating` a number up to 5. */
import type { Faker } from '@faker-js/faker'
import { lookUp } from '../../lib/json.ts'
import type { ValuePlace } from './generate-value.ts'

type Sample = (faker: Faker) => string | number

const dateTime = (faker: Faker) =>
  `${faker.date.between({ from: '2025-01-01', to: '2025-12-28' }).toISOString().slice(0, 19)}Z`
const date: Sample = (faker) => dateTime(faker).slice(0, 10)
const url: Sample = (faker) => `https://example.com/${faker.lorem.slug(2)}`
const hostname: Sample = (faker) => `${faker.lorem.word()}.example.com`
const email: Sample = (faker) => `${faker.person.firstName().toLowerCase()}@example.com`
const ipv4: Sample = (faker) => `192.0.2.${faker.number.int({ min: 1, max: 254 })}`
const person: Sample = (faker) => faker.person.fullName()
const int = (min: number, max: number) => (faker: Faker) => faker.number.int({ min, max })

const formats: Readonly<Record<string, Sample>> = {
  'date-time': dateTime,
  date,
  time: (faker) => dateTime(faker).slice(11),
  duration: (faker) => `PT${int(1, 59)(faker)}M`,
  email,
  hostname,
  ipv4,
  'json-pointer': (faker) => `/${faker.lorem.word()}`,
  'relative-json-pointer': (faker) => `1/${faker.lorem.word()}`,
  ipv6: (faker) => `2001:db8::${int(1, 0xfffe)(faker).toString(16)}`,
  uri: url,
  url,
  uuid: (faker) => faker.string.uuid(),
}

/** Sample strings by the last words of the field's name. The first match is used. */
const texts = byEnding({
  'e-?mail( address)?': email,
  'ip( address)?': ipv4,
  '(phone|mobile|fax|telephone)( number)?': (faker) => `+1-202-555-01${faker.string.numeric(2)}`,
  '(user|nick) ?name|handle|login': (faker) => faker.internet.username().toLowerCase(),
  'first name|given name': (faker) => faker.person.firstName(),
  '(last|family|sur) ?name': (faker) => faker.person.lastName(),
  '(full|contact|customer|author|person|guest) name': person,
  '^(author|customer|person|recipient|passenger|assignee|employee|attendee|guest)s?': person,
  '(company|organi[sz]ation|employer|vendor|brand)( name)?': (faker) => faker.company.name(),
  'job( title)?|occupation|profession': (faker) => faker.person.jobTitle(),
  'product( name)?': (faker) => faker.commerce.productName(),
  'country code': (faker) => faker.location.countryCode(),
  'country|nationality': (faker) => faker.location.country(),
  'state|province|region': (faker) => faker.location.state(),
  'city|town|origin|destination|location': (faker) => faker.location.city(),
  '(postal|post|zip) ?code|zip': (faker) => faker.location.zipCode('#####'),
  'street|address( line)?( 1)?': (faker) => faker.location.streetAddress(),
  'time ?zone': (faker) => faker.location.timeZone(),
  'ur[il]|link|website|homepage|avatar|image|photo': url,
  'domain|host( ?name)?': hostname,
  'uuid|guid': (faker) => faker.string.uuid(),
  id: (faker) => faker.string.alphanumeric({ length: 10, casing: 'lower' }),
  ' at|timestamp|date ?time': dateTime,
  'date|birthday|deadline|day': date,
  time: (faker) => dateTime(faker).slice(11, 16),
  'currency( code)?': (faker) => faker.finance.currencyCode(),
  'colou?r': (faker) => faker.color.human(),
  language: (faker) => faker.location.language().name,
})

const numbers = byEnding({
  'latitude|lat': (faker) => faker.location.latitude(),
  'longitude|l(on|ng)': (faker) => faker.location.longitude(),
  age: int(18, 80),
  year: int(1990, 2026),
  month: int(1, 12),
  day: int(1, 28),
  'hours?': int(1, 23),
  'rating|stars|score': int(1, 5),
  'confidence|probability|ratio': (faker) => int(50, 99)(faker) / 100,
  'percent(age)?': int(1, 100),
  'price|cost|amount|total|budget|fee|salary|income': (faker) => int(500, 50_000)(faker) / 100,
  'quantity|count|guests|people|passengers|adults|seats': int(1, 6),
  'temperature|celsius': int(-5, 35),
})

/** Proposes values by format and field name. `fakerFor` returns a Faker that takes random numbers from a function. */
export function namedSamples(fakerFor: (random: () => number) => Faker): (place: ValuePlace) => unknown {
  return ({ path, type, schemas, random }) => {
    if (type !== 'string' && type !== 'number' && type !== 'integer') return undefined
    const format = type === 'string' ? schemas.find((schema) => schema.format)?.format : undefined
    const name = wordsOf(path.findLast((step) => typeof step === 'string'))
    const table = type === 'string' ? texts : numbers
    const sample =
      format === undefined ? table.find(([ending]) => ending.test(name))?.[1] : lookUp(formats, format)
    const value = sample ? sample(fakerFor(random)) : undefined
    return typeof value === 'number' && type === 'integer' ? Math.round(value) : value
  }
}

function wordsOf(name = ''): string {
  return name
    .slice(-60)
    .replace(/([a-z\d])(?=[A-Z])/g, '$1 ')
    .replace(/[^A-Za-z\d]+/g, ' ')
    .trim()
    .toLowerCase()
}

function byEnding(samples: Readonly<Record<string, Sample>>): [ending: RegExp, sample: Sample][] {
  return Object.entries(samples).map(([words, sample]) => [new RegExp(`\\b(?:${words})$`), sample])
}
