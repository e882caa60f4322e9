/**
 * The secrets of this machine that must reach no file: the key in use, and what the environment calls a secret.
 */
import type { KnownSecret } from '../tapes/secret-finder.ts'

/** Shorter values stand for too much else. */
const minLength = 8

/** Every value of eight characters or more whose name says key, token, secret or password. */
export function environmentSecrets(environment: NodeJS.ProcessEnv = process.env): KnownSecret[] {
  return Object.entries(environment).flatMap(([name, value = '']) =>
    /key|token|secret|password/i.test(name) && value.length >= minLength
      ? [{ kind: `environment ${name}`, value }]
      : [],
  )
}
