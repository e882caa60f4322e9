/**
 * Whether the list keeps the newest call in view. Whoever scrolls away from it has stopped that.
 */
import { signal } from '@preact/signals'

export const isFollowing = signal(true)
