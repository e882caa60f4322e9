/** The `resources` extension: workspaces, presets, API keys, and a sandbox's activity. */
import type { ExtraDefinition } from '../../gateway/extra.ts'
import { listUserModels } from '../../operations/extensions/list-models.ts'
import { getActivity, getGenerationContent, submitGenerationFeedback } from './activity.ts'
import {
  apiKeys,
  createApiKey,
  deleteApiKey,
  getApiKey,
  isLivingKey,
  listApiKeys,
  updateApiKey,
} from './api-keys.ts'
import { createCoinbaseCharge, getListedModel, getModel } from './models.ts'
import { createPresetOperations, getPresetVersion, listPresets, listPresetVersions } from './presets.ts'
import { rerank } from './rerank.ts'
import { createWorkspace, deleteWorkspace, getWorkspace, listWorkspaces } from './workspaces.ts'

export const accountResources: ExtraDefinition = {
  name: 'resources',
  collections: [apiKeys],
  isValidKey: isLivingKey,
  operations: [
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
    getModel,
    getListedModel,
    listUserModels,
    getActivity,
    getGenerationContent,
    submitGenerationFeedback,
    rerank,
    createCoinbaseCharge,
  ],
}
