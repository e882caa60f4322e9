/**
 * Tabs that links choose: the chosen one is in the URL.
 */
export function Tabs({
  label,
  tabs,
  chosen,
  href,
}: {
  label: string
  tabs: readonly (readonly [id: string, title: string, count?: number])[]
  chosen: string
  href: (id: string) => string
}) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(([id, title, count]) => (
        <a key={id} href={href(id)} aria-current={id === chosen ? 'page' : undefined}>
          {title}
          {count !== undefined && <span class="count"> {count}</span>}
        </a>
      ))}
    </nav>
  )
}
