/**
 * Bars over the last minutes, drawn by hand.
 */
interface Series {
  name: string
  /** Its colour: all of something, a bad part of it, or a value inside. */
  kind: 'all' | 'part' | 'inner'
  /** Oldest first; drawn over those of the series before. */
  values: readonly number[]
}

const width = 600
const height = 96

export function Chart({
  title,
  series,
  unit,
  minutes,
  barMs,
}: {
  title: string
  series: readonly Series[]
  unit: (value: number) => string
  minutes: number
  barMs: number
}) {
  const highest = Math.max(0, ...series.flatMap(({ values }) => values))
  const said = highest > 0 ? `at most ${unit(highest)} in ${barMs / 1000} s` : 'nothing yet'
  return (
    <figure class="card">
      <figcaption>
        <strong>{title}</strong>
        {series.map(({ name, kind }) => (
          <span key={name} class={`key ${kind}`}>
            {name}
          </span>
        ))}
        <span class="muted">{said}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title}: ${said}`}
      >
        <line x1="0" x2={width} y1={height} y2={height} class="axis" />
        {series.map(({ kind, values }) => {
          const step = width / values.length
          return values.map((value, index) => {
            const tall = (value / highest) * (height - 8)
            return (
              value > 0 && (
                <rect
                  key={index}
                  class={kind}
                  x={index * step + 1}
                  width={step - 2}
                  y={height - tall}
                  height={tall}
                />
              )
            )
          })
        })}
      </svg>
      <div class="ends muted">
        <span>{minutes} minutes ago</span>
        <span>now</span>
      </div>
    </figure>
  )
}
