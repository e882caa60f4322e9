/** Management of workspaces, presets and API keys, and a sandbox's account and activity. */
import type { ExtraDefinition } from '../../gateway/extra.ts'
import { getCredits, getGeneration } from './account.ts'
import { getActivity } from './activity.ts'
import {
  apiKeys,
  createApiKey,
  deleteApiKey,
  getApiKey,
  getKey,
  isLivingKey,
  listApiKeys,
  updateApiKey,
} from './api-keys.ts'
import { createPresetOperations, getPresetVersion, listPresets, listPresetVersions } from './presets.ts'
import { createWorkspace, deleteWorkspace, getWorkspace, listWorkspaces } from './workspaces.ts'

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
    getKey,
    getCredits,
    getGeneration,
    listWorkspaces,
    createWorkspace,
    getWorkspace,
    deleteWorkspace,
    listPresets,
    ...createPresetOperations,
    listPresetVersions,
    getPresetVersion,
    listApiKeys,
    createApiKey,
    getApiKey,
    updateApiKey,
    deleteApiKey,
    getActivity,
  ],
}
