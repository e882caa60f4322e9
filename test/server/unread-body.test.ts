import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { cutUnreadBody } from '../../src/server/unread-body.ts'

function exchange(state: object = {}) {
  let isCut = () => {}
  const cut = new Promise<void>((resolve) => {
    isCut = resolve
  })
<<<<<<< HEAD
  const log: string[] = []
  const request = Object.assign(new EventEmitter(), {
    complete: false,
    destroyed: false,
    resume: () => void log.push('resumed'),
    destroy() {
      log.push('cut')
=======
  const actions: string[] = []
  const request = Object.assign(new EventEmitter(), {
    complete: false,
    destroyed: false,
    resume: () => void actions.push('resumed'),
    destroy() {
      actions.push('cut')
>>>>>>> 417a587 (Describe behaviour in the test titles of server, control, CLI and delivery)
      isCut()
    },
    ...state,
  })
  const response = Object.assign(new EventEmitter(), { writableFinished: false })
  const watch = (ms = 1) => cutUnreadBody(request as never, response as never, ms)
<<<<<<< HEAD
  return { request, response, log, cut, watch }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))
/** Waits until a later request is aborted, so that every earlier abort has happened. */
=======
  return { request, response, actions, cut, watch }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))
/** Resolves after another connection has been cut, so that earlier timers have fired too. */
>>>>>>> 417a587 (Describe behaviour in the test titles of server, control, CLI and delivery)
const later = async () => {
  const { response, watch, cut } = exchange()
  response.writableFinished = true
  watch(20)
  await cut
}

<<<<<<< HEAD
it('reads the body after the reply, and destroys the connection if it does not end in time', async () => {
  const { response, log, cut, watch } = exchange()
  watch()
  await turn()
  expect(log).toEqual([])
  response.emit('finish')
  await cut
  expect(log).toEqual(['resumed', 'cut'])
})

it('handles a reply that is already sent', async () => {
  const { response, log, cut, watch } = exchange()
  response.writableFinished = true
  watch()
  await cut
  expect(log).toEqual(['resumed', 'cut'])
})

it('keeps the connection if the body ends in time', async () => {
=======
it('cutUnreadBody() reads on after the reply and cuts the connection if the body does not end in time', async () => {
  const { response, actions, cut, watch } = exchange()
  watch()
  await turn()
  expect(actions).toEqual([])
  response.emit('finish')
  await cut
  expect(actions).toEqual(['resumed', 'cut'])
})

it('cutUnreadBody() also works after the reply has been sent', async () => {
  const { response, actions, cut, watch } = exchange()
  response.writableFinished = true
  watch()
  await cut
  expect(actions).toEqual(['resumed', 'cut'])
})

it('cutUnreadBody() leaves connections alone whose body has ended', async () => {
>>>>>>> 417a587 (Describe behaviour in the test titles of server, control, CLI and delivery)
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
<<<<<<< HEAD
  expect(whole.log).toEqual([])
  expect(ending.map(({ log }) => log)).toEqual([['resumed'], ['resumed']])
  expect(lateEnds.map(({ log }) => log)).toEqual([[], []])
=======
  expect(whole.actions).toEqual([])
  expect(ending.map(({ actions }) => actions)).toEqual([['resumed'], ['resumed']])
  expect(lateEnds.map(({ actions }) => actions)).toEqual([[], []])
>>>>>>> 417a587 (Describe behaviour in the test titles of server, control, CLI and delivery)
})
