import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { cutUnreadBody } from '../../src/server/unread-body.ts'

function exchange(state: object = {}) {
  let isCut = () => {}
  const cut = new Promise<void>((resolve) => {
    isCut = resolve
  })
  const told: string[] = []
  const request = Object.assign(new EventEmitter(), {
    complete: false,
    destroyed: false,
    resume: () => void told.push('resumed'),
    destroy() {
      told.push('cut')
      isCut()
    },
    ...state,
  })
  const response = Object.assign(new EventEmitter(), { writableFinished: false })
  const watch = (ms = 1) => cutUnreadBody(request as never, response as never, ms)
  return { request, response, told, cut, watch }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))
/** Until a later one has been cut: whatever was to be cut before it has been. */
const later = async () => {
  const { response, watch, cut } = exchange()
  response.writableFinished = true
  watch(20)
  await cut
}

it('A body is read on after the reply, and the connection cut where it does not end in time', async () => {
  const { response, told, cut, watch } = exchange()
  watch()
  await turn()
  expect(told).toEqual([])
  response.emit('finish')
  await cut
  expect(told).toEqual(['resumed', 'cut'])
})

it('A reply may be out already', async () => {
  const { response, told, cut, watch } = exchange()
  response.writableFinished = true
  watch()
  await cut
  expect(told).toEqual(['resumed', 'cut'])
})

it('Nothing is cut that has come to its end, in time or before', async () => {
  const whole = exchange()
  whole.watch()
  whole.request.complete = true
  await turn()
  whole.response.emit('finish')

  const ending = ['end', 'close'].map((name) => ({ name, ...exchange() }))
  for (const { request, response, watch, name } of ending) {
    response.writableFinished = true
    watch(10)
    await turn()
    request.emit(name)
  }

  const lateEnds = [{ complete: true }, { destroyed: true }].map((state) => ({ state, ...exchange() }))
  for (const { request, response, watch, state } of lateEnds) {
    watch()
    await turn()
    response.emit('finish')
    Object.assign(request, state)
  }
  await later()
  expect(whole.told).toEqual([])
  expect(ending.map(({ told }) => told)).toEqual([['resumed'], ['resumed']])
  expect(lateEnds.map(({ told }) => told)).toEqual([[], []])
})
