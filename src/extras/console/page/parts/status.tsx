/**
 * The status of a call, and how its delivery ended where that is of interest.
 */
export function Status({ status, delivery }: { status: number; delivery: string }) {
  const kind = status === 0 || status >= 500 || delivery === 'cut' ? 'bad' : status >= 400 ? 'warn' : 'good'
  const text = status === 0 ? 'none' : String(status)
  const more = { pending: ' …', cut: ' cut', 'client-left': ' left', complete: '' }[delivery] ?? ''
  return <span class={`status ${kind}`}>{text + more}</span>
}
