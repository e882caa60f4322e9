/** Twelve turns: one call, ten turns with two parallel calls, and a text. */
export const turns = (agent) => [
  { expect: { tools: ['look', 'note'] }, call: { look: { at: `${agent}.1` } } },
  ...Array.from({ length: 10 }, (_turn, index) => ({
    expect: { result: { look: `seen ${agent}.${index + 1}.` } },
    call: [{ look: { at: `${agent}.${index + 2}` } }, { note: { text: `${agent}.${index + 1}` } }],
  })),
  {
    expect: { result: { look: { matches: `^seen ${agent}\\.11\\.$` }, note: 'noted' } },
    text: `Agent ${agent} is done.`,
  },
]

export const look = ({ at }) => `seen ${at}.`
export const note = ({ text }) => `noted ${text}`
export const question = 'Look around and note what you see.'
