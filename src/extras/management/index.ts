/** Management of workspaces, presets and API keys, and a sandbox's account and activity. */
import type { ExtraDefinition } from '../../gateway/extra.ts'
import { getCredits, getGeneration } from './account.ts'
import { getActivity } from './activity.ts'
import { apiKeyOperations, apiKeys, isLivingKey } from './api-keys.ts'
import { presetOperations } from './presets.ts'
import { workspaceOperations } from './workspaces.ts'

export interface ManagementBodies {
  /** `GET /key` */
  getKey: undefined
  /** `GET /credits` */
  getCredits: undefined
  /** `GET /generation` */
  getGeneration: undefined
}

export const management: ExtraDefinition<object, ManagementBodies> = {
  name: 'management',
  collections: [apiKeys],
  isValidKey: isLivingKey,
  operations: [
    getCredits,
    getGeneration,
    getActivity,
    ...workspaceOperations,
    ...presetOperations,
    ...apiKeyOperations,
  ],
}
