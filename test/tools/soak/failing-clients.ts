/**
 * Runs clients that disconnect at every stage, do not read, or stay silent. All of their resources must be
 * freed.
 */
import { connect, type Socket } from 'node:net'
import type { Child, Reading } from './child.ts'

const body = JSON.stringify({ model: 'aurora/dawn-2', input: 'Hello?', stream: true })
const whole = [
  'POST /api/v1/responses HTTP/1.1',
  'host: localhost',
  'authorization: Bearer any',
  `content-length: ${body.length}`,
  '',
  body,
].join('\r\n')

/** Bytes that clients send before they fall silent, disconnect or stop reading. */
const stages = ['', 'POST', whole.slice(0, 60), whole.slice(0, -10), whole, whole + whole]

/** @returns Readings from before and after the run. Socket and timer counts must match; memory must be close. */
export async function runFailingClients(
  child: Child,
  count: number,
): Promise<{ before: Reading; after: Reading }> {
  const before = await child.read()
  const sockets: Socket[] = []
  for (let index = 0; index < count; index++) {
    const socket = connect(child.port, '127.0.0.1')
    socket.on('error', () => {})
    const kind = index % 4
    // Client kinds: 0 never reads, 1 disconnects immediately, 2 closes its half, 3 stays open and sends nothing more.
    if (kind === 0) socket.pause()
    else socket.resume()
    socket.write(stages[index % stages.length] as string)
    if (kind === 1) socket.destroy()
    if (kind === 2) socket.end()
    sockets.push(socket)
    // A full listen queue drops connections, and the client's kernel then retries for seconds.
    if (index % 200 === 199) await Promise.all(sockets.slice(-200).map(connected))
  }
  await new Promise((resolve) => setTimeout(resolve, 2500))
  for (const socket of sockets) socket.destroy()
  let after = await child.read()
  for (let turn = 0; turn < 300 && (after.sockets > before.sockets || after.timers > before.timers); turn++) {
    await new Promise((resolve) => setTimeout(resolve, 100))
    after = await child.read()
  }
  return { before, after }
}

/** Resolves when the socket is connected or closed. */
function connected(socket: Socket): Promise<void> {
  if (!socket.connecting) return Promise.resolve()
  return new Promise((resolve) => {
    socket.once('connect', resolve)
    socket.once('close', () => resolve())
  })
}
