import { expect, it, vi } from 'vitest'
import { toLinePrinter } from '../../src/cli/line-printer.ts'

const turnIsOver = () => new Promise((resolve) => setImmediate(resolve))

it('toLinePrinter() prints the lines of one turn together, in order', async () => {
  const print = vi.fn()
  const printLine = toLinePrinter(print)
  printLine('one')
  printLine('two')
  expect(print).not.toHaveBeenCalled()
  await turnIsOver()
  printLine('three')
  await turnIsOver()
  expect(print.mock.calls).toEqual([['one\ntwo'], ['three']])
})

it('toLinePrinter() prints remaining lines once when the process exits', async () => {
  const print = vi.fn()
  const others = process.listeners('exit')
  const printLine = toLinePrinter(print)
  const [atExit] = process.listeners('exit').filter((listener) => !others.includes(listener))
  printLine('last')
  atExit?.(0)
  expect(print.mock.calls).toEqual([['last']])
  await turnIsOver()
  expect(print.mock.calls).toEqual([['last']])
})
