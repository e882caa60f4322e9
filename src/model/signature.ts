/** Signs thinking blocks, to detect whether a later request returns them unchanged and to the same vendor's models. */
import { hash } from '../lib/seed.ts'

/** @param key Makes the signature unique. */
export function sign(thinking: string, model: string, key: string): string {
  const signed = hash(key) + hash('vendor', vendorOf(model)).slice(8) + hash('thinking', thinking).slice(8)
  return signed + hash('seal', signed)
}

/** Returns undefined for signatures from elsewhere, which cannot be checked. */
export function readSignature(signature: unknown) {
  const text = String(signature)
  const signed = text.slice(0, 32)
  if (text !== signed + hash('seal', signed)) return undefined
  return {
    isOf: (model: string) => signed.slice(16, 24) === hash('vendor', vendorOf(model)).slice(8),
    isUnchanged: (thinking: string) => signed.slice(24) === hash('thinking', thinking).slice(8),
  }
}

function vendorOf(model: string): string {
  return /^\w*/.exec(model)?.[0] ?? ''
}

/** Returns the key under which a sandbox remembers a call that followed thinking. */
export function callAfterThinking(id: string): string {
  return `after thinking: ${id}`
}
