/** Reads dates and times in a prompt, and writes them in the format that a field's description asks for. */

const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const weekdays = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ')
const day = 86_400_000

export function isoDay(date: Date): string {
  return date.toISOString().slice(0, 10)
}

/** Returns an ISO date; a date without a year is in the current one. */
export function dateOf(raw: string, now: number): string | undefined {
  const text = raw.toLowerCase().replace(/[.,]/g, ' ').trim()
  const after = (days: number) => isoDay(new Date(now + days * day))
  if (/^\d{8}$/.test(text)) return dayOf(text.slice(0, 4), text.slice(4, 6), text.slice(6))
  const [first = '', second = '', third = ''] = text.match(/\d+/g) ?? []
  if (/^\d{4}[-/]\d/.test(text)) return dayOf(first, second, third)
  if (/^\d+[-/ ]\d+[-/ ]\d{4}$/.test(text)) {
    const isDayFirst = /^\d+\./.test(raw) || Number(first) > 12
    return isDayFirst ? dayOf(third, second, first) : dayOf(third, first, second)
  }
  const month = months.findIndex((name) => new RegExp(`\\b${name}`).test(text)) + 1
  if (month > 0) {
    const year = /\b\d{4}\b/.exec(text)?.[0]
    const date = text.replace(/\b\d{4}\b/, '').match(/\d+/)?.[0] ?? '1'
    return dayOf(year ?? String(new Date(now).getUTCFullYear()), String(month), date)
  }
  if (/after/.test(text)) return after(2)
  if (/tomorrow/.test(text)) return after(1)
  if (/yesterday/.test(text)) return after(-1)
  if (/next month/.test(text)) return after(30)
  if (/week/.test(text)) return after(7)
  const weekday = weekdays.findIndex((name) => text.includes(name))
  if (weekday < 0) return after(0)
  const ahead = (weekday - new Date(now).getUTCDay() + 7) % 7
  return after(text.startsWith('last') ? ahead - 7 : ahead || 7)
}

function dayOf(year: string, month: string, date: string): string | undefined {
  const time = Date.UTC(Number(year), Number(month) - 1, Number(date))
  return new Date(time).getUTCMonth() === Number(month) - 1 ? isoDay(new Date(time)) : undefined
}

/** Returns `15:30`. */
export function timeOf(raw: string): string {
  if (/noon$/i.test(raw) && !/\d/.test(raw)) return '12:00'
  if (/midnight/i.test(raw)) return '00:00'
  const [hour = '0', minute = '00'] = raw.match(/\d+/g) ?? []
  const half = /p\.?m|afternoon|evening|night/i.test(raw) ? 12 : /a\.?m|morning/i.test(raw) ? 0 : undefined
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + half
  return `${String(hours).padStart(2, '0')}:${minute}`
}

/** Returns a format such as `DD-MM-YYYY` or `dd/mm/yyyy HH:MM` in a description. */
export function dateFormatIn(description: string): string | undefined {
  const [format] =
    /\b(?:(?:YYYY|MM|DD)[-/. ]){1,2}(?:YYYY|YYY|MM|DD|YY)(?:[T ]+HH:MM(?::SS)?Z?)?(?![A-Z])|\bmonth-day-year\b|\bday-month-year\b/i.exec(
      description,
    ) ?? []
  return format
    ?.replace(/month/i, 'MM')
    .replace(/day/i, 'DD')
    .replace(/year/i, 'YYYY')
    .replace(/\bY{3}$/i, 'YYYY')
}

/** Writes an ISO date and a time in a format such as `DD-MM-YYYY`. */
export function inDateFormat(format: string, date: string, time = '09:00'): string {
  const [year = '', month = '', dayOfMonth = ''] = date.split('-')
  const [head = '', tail = ''] = format.split(/(?<=[DMY])[T ]+(?=H)/i)
  const written = head
    .replace(/YYYY/i, year)
    .replace(/MM/i, month)
    .replace(/DD/i, dayOfMonth)
    .replace(/YY/i, year.slice(2))
  if (!tail) return written
  const separator = /t/i.test(format.charAt(head.length)) ? 'T' : ' '
  return `${written}${separator}${time}${/SS/i.test(tail) ? ':00' : ''}${/Z$/i.test(tail) ? 'Z' : ''}`
}
