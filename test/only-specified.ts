/**
 * Set-up of the test project `specified`, which runs the suites of the six operations with `onlySpecified: true` as the
 * default. `isOnlySpecified` selects expectations for the few requests whose replies differ.
 */
import { gatewayOptions } from '../src/sandbox/options.ts'

export const isOnlySpecified = process.env['UNDERSTUDY_TEST_ONLY_SPECIFIED'] === '1'

if (isOnlySpecified) Object.assign(gatewayOptions.onlySpecified, { default: true })
