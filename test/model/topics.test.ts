/** What a question is about, read from its own words. Answers, their titles and searches are built around it. */
import { expect, it } from 'vitest'
import { topicsOf } from '../../src/model/text/topics.ts'

const long = 'x'.repeat(40)

it.each<[question: string, topics: string[]]>([
  ['Why is the sky blue?', ['the sky']],
  ['Are whales mammals?', ['whales']],
  ['How do tides work?', ['tides']],
  ['How to bake bread at home', ['bread at home']],
  ['we Bake bread', ['Bake bread']],
  ['Who invented the telephone?', ['the telephone']],
  ['What does a transformer model do?', ['a transformer']],
  ['Tell me about our company policy', ['your company policy']],
  ['Why does the small red balloon rise in warm air?', ['the small red balloon', 'warm air']],
  // Phrases are joined in twos.
  ['What are the best museums in Oslo?', ['museums in Oslo']],
  ['museums in Oslo in winter', ['museums in Oslo', 'winter']],
  [
    'The history of the theory of the origin of species',
    ['the history of the theory', 'the origin of species'],
  ],
  // Each once, and four of them.
  ['The Cat and the cat', ['the Cat']],
  ['Cats, dogs, birds, fish and horses', ['Cats', 'dogs', 'birds', 'fish']],
  // Nouns that are verbs as often.
  ['Good remote work', ['remote work']],
  ['Can you help the team?', ['the team']],
  // Numbers, and letters of their own.
  ['Explain 42 to a child', ['a child']],
  ['What is C?', ['C']],
  ['What is c?', []],
  // Words of up to 40 characters, in the first 600.
  [`${long} and whales`, [long, 'whales']],
  [`${long}x and whales`, ['whales']],
  [`${'and '.repeat(149)}cats dogs`, ['cats']],
  // Other languages; a `a` is a word in many.
  ['Il y a quoi dans ce jardin fleuri', []],
  ['Comment faire du pain', []],
  ['Hola amigo', ['Hola amigo']],
  ['Олег и Анна', []],
])('%j is about %j', (question, topics) => {
  expect(topicsOf(question)).toEqual(topics)
})
