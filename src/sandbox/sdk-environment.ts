/** Environment variables that direct the SDKs' default clients to a sandbox. */
import type { Sandbox } from './sandbox.ts'

/** A base URL and an API key for each SDK that reads them from the environment. */
export type SdkEnvironment = {
  readonly OPENAI_BASE_URL: string
  readonly OPENAI_API_KEY: string
  /** Without `/v1`, because Anthropic's SDK appends `/v1/messages`. */
  readonly ANTHROPIC_BASE_URL: string
  readonly ANTHROPIC_API_KEY: string
  readonly OPENROUTER_BASE_URL: string
  readonly OPENROUTER_API_KEY: string
}

export function sdkEnvironment({ baseUrl, apiKey }: Pick<Sandbox, 'baseUrl' | 'apiKey'>): SdkEnvironment {
  return {
    OPENAI_BASE_URL: baseUrl,
    OPENAI_API_KEY: apiKey,
    ANTHROPIC_BASE_URL: baseUrl.replace(/\/v1\/?$/, ''),
    ANTHROPIC_API_KEY: apiKey,
    OPENROUTER_BASE_URL: baseUrl,
    OPENROUTER_API_KEY: apiKey,
  }
}
