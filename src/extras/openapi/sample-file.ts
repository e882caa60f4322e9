/** Small, valid files for binary replies. */

/** Returns a file with this media type, such as `audio/wav`, or undefined if there is none. */
export async function sampleFile(mediaType = ''): Promise<Uint8Array | undefined> {
  const { default: files } = await import('../../../fixtures/files.json', { with: { type: 'json' } })
  const type = mediaType.replace(/;.*/, '').trim().toLowerCase()
  const base64 = Object.entries(files).find(([name]) => name === (otherNames[type] ?? type))?.[1]
  return base64 === undefined ? undefined : Uint8Array.from(atob(base64), (unit) => unit.charCodeAt(0))
}

const otherNames: Readonly<Record<string, string>> = {
  'audio/mp3': 'audio/mpeg',
  'audio/opus': 'audio/ogg',
  'audio/wave': 'audio/wav',
  'audio/x-m4a': 'audio/mp4',
  'audio/x-wav': 'audio/wav',
  'image/jpg': 'image/jpeg',
}
