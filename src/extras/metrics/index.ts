/** Metrics for a running server, in Prometheus format. */
import type { ExtraDefinition } from '../../gateway/extra.ts'

export const metrics: ExtraDefinition = {
  name: 'metrics',
  control: async (gateway) => [(await import('./metrics.ts')).getMetrics(gateway)],
}
