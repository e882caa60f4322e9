/** Timers in real time, captured before a test runner fakes them. Sandbox time uses the current ones; see clock.ts. */
export const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate } = globalThis
