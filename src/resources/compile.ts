/** The compiler of schemas, in a file of its own so that it is loaded apart. */
export { compile } from 'zod'
