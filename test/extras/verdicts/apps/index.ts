/** Lists applications with planted defects, for tests of tools that judge how an application survives failures. */
import { anthropicTool } from './anthropic-tool.ts'
import type { App } from './app.ts'
import { backgroundJob } from './background-job.ts'
import { chatUi } from './chat-ui.ts'
import { embeddingIndex } from './embedding-index.ts'
import { langchainChat } from './langchain-chat.ts'
import { ragCitations } from './rag-citations.ts'
import { responsesAgent } from './responses-agent.ts'
import { responsesQueue } from './responses-queue.ts'
import { sseChat } from './sse-chat.ts'
import { stopButton } from './stop-button.ts'
import { structuredOutput } from './structured-output.ts'
import { translate } from './translate.ts'

export type { App, Planted, Target } from './app.ts'
export { waits } from './persist.ts'

const withSdk = [
  chatUi,
  responsesAgent,
  anthropicTool,
  structuredOutput,
  embeddingIndex,
  translate,
  langchainChat,
]
const withFetch = [sseChat, responsesQueue, ragCitations, backgroundJob, stopButton]

export const apps: readonly App[] = [...withSdk, ...withFetch]
