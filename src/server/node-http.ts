/**
 * Node's HTTP, taken from where it lies. To `import` it is to read everything that it exports, and so to load the
 * WebSocket client that it exports too: nearly half of what a bare server takes to start.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http')
