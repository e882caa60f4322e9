/**
 * Who watches the calls of a gateway while they happen, whatever their sandbox: metrics, and the console.
 */
import type { CallRecord } from './call-record.ts'

export interface CallListener {
  /** The reply is made, and the journal has the record. */
  replied?(record: CallRecord): void
  /** The delivery is over. */
  settled?(record: CallRecord): void
}
