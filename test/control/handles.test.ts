import { expect, it } from 'vitest'
import { Handles } from '../../src/control/handles.ts'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'

it('Handles are kept for each sandbox, the newest thousand, and count as held', () => {
  const handles = new Handles<number>()
  const held = { one: 0, other: 0 }
  const holder = (name: keyof typeof held) =>
    ({
      holdHandle(bytes: number) {
        held[name] += bytes
      },
    }) as unknown as Sandbox
  const [one, other] = [holder('one'), holder('other')]
  for (let id = 0; id < 1000; id++) handles.keep(one, `h${id}`, id)
  expect(held.one).toBe(1_000_000)
  expect([handles.find(one, 'h0'), handles.find(one, 'h999'), handles.find(other, 'h0')]).toEqual([
    0,
    999,
    undefined,
  ])
  handles.keep(one, 'h1000', 1000)
  expect(['h0', 'h1', 'h1000'].map((id) => handles.find(one, id))).toEqual([undefined, 1, 1000])
  expect(held.one).toBe(1_000_000)
  handles.drop(one, 'h1')
  handles.drop(one, 'h1')
  handles.drop(other, 'h2')
  expect(handles.find(one, 'h1')).toBeUndefined()
  expect(held).toEqual({ one: 999_000, other: 0 })
})
