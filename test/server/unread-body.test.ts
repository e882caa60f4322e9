import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { cutUnreadBody } from '../../src/server/unread-body.ts'

function exchange(state: object = {}) {
  let isCut = () => {}
  const cut = new Promise<void>((resolve) => {
    isCut = resolve
  })
  const log: string[] = []
  const request = Object.assign(new EventEmitter(), {
    complete: false,
    destroyed: false,
    resume: () => void log.push('resumed'),
    destroy() {
      log.push('cut')
      isCut()
    },
    ...state,
  })
  const response = Object.assign(new EventEmitter(), { writableFinished: false })
  const watch = (ms = 1) => cutUnreadBody(request as never, response as never, ms)
  return { request, response, log, cut, watch }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))
/** Waits until a later request is aborted, so that every earlier abort has happened. */
const later = async () => {
  const { response, watch, cut } = exchange()
  response.writableFinished = true
  watch(20)
  await cut
}

it('cutUnreadBody() reads the body after the reply, and destroys the connection if it does not end in time', async () => {
  const { response, log, cut, watch } = exchange()
  watch()
  await turn()
  expect(log).toEqual([])
  response.emit('finish')
  await cut
  expect(log).toEqual(['resumed', 'cut'])
})

it('cutUnreadBody() handles a reply that has already been sent', async () => {
  const { response, log, cut, watch } = exchange()
  response.writableFinished = true
  watch()
  await cut
  expect(log).toEqual(['resumed', 'cut'])
})

it('cutUnreadBody() keeps the connection if the body ends in time', async () => {
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
  expect(whole.log).toEqual([])
  expect(ending.map(({ log }) => log)).toEqual([['resumed'], ['resumed']])
  expect(lateEnds.map(({ log }) => log)).toEqual([[], []])
})
