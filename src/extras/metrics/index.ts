/** Metrics for a running server, in Prometheus format. */
import type { ExtraDefinition } from '../../gateway/extra.ts'

export const metrics: ExtraDefinition = {
  name: 'metrics',
  create: (_, host) => ({
    control: async () => [(await import('./metrics.ts')).getMetrics(host)],
  }),
}
