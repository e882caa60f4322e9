/** Real timers, captured before a test runner fakes them. Sandbox time uses the current timers; see clock.ts. */
export const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate } = globalThis
