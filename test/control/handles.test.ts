import { expect, it } from 'vitest'
import { Handles } from '../../src/control/handles.ts'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'

it('Handles are kept for each sandbox, the newest thousand', () => {
  const handles = new Handles<number>()
  const [one, other] = [{}, {}] as [Sandbox, Sandbox]
  for (let id = 0; id < 1000; id++) handles.keep(one, `h${id}`, id)
  const found = (sandbox: Sandbox, ...ids: string[]) => ids.map((id) => handles.find(sandbox, id))
  expect([...found(one, 'h0', 'h999'), ...found(other, 'h0')]).toEqual([0, 999, undefined])
  handles.keep(one, 'h1000', 1000)
  expect(found(one, 'h0', 'h1', 'h1000')).toEqual([undefined, 1, 1000])
  handles.drop(one, 'h1')
  handles.drop(other, 'h2')
  expect(found(one, 'h1', 'h2')).toEqual([undefined, 2])
})
