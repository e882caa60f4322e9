/**
 * Text that people copy: a block with a button.
 */
import { CopyButton } from './copy-button.tsx'

export function Code({ text, label }: { text: string; label: string }) {
  return (
    <div class="code">
      <CopyButton text={text} label={`Copy: ${label}`} />
      {/* Reached by keyboard, because it scrolls. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <section class="scroll" tabIndex={0} aria-label={label}>
        <pre>{text}</pre>
      </section>
    </div>
  )
}
