/**
 * Timers in real time, for waits on sockets, readers and other processes. Captured when this module loads, so that a
 * test runner's fake timers do not affect them. Waits in sandbox time use the current timers instead, see `clock.ts`.
 */
export const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate } = globalThis
