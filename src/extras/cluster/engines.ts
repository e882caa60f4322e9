/**
 * Every configuration that can be printed.
 */
import { compose, dockerfile, kubernetes } from './containers.ts'
import { envoy } from './envoy.ts'
import { haproxy } from './haproxy.ts'
import { nginx } from './nginx.ts'
import type { Engine } from './plan.ts'

export const engines: readonly Engine[] = [nginx, envoy, haproxy, compose, kubernetes, dockerfile]
