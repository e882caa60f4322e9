/** Tests dates and times in prompts, and the formats that descriptions ask for. */
import { describe, expect, it } from 'vitest'
import { dateFormatIn, dateOf, inDateFormat, timeOf } from '../../../src/extras/values/dates.ts'

/** A Wednesday. */
const now = Date.UTC(2026, 6, 15, 22)

describe('dates in prompts', () => {
  it.for([
    ['20261231', '2026-12-31'],
    ['2026/3/4', '2026-03-04'],
    ['2026-03-31', '2026-03-31'],
    ['2026-02-31', undefined],
    ['12/13/2026', '2026-12-13'],
    ['12/11/2026', '2026-12-11'],
    ['13/11/2026', '2026-11-13'],
    ['3.4.2026', '2026-04-03'],
    ['January 5', '2026-01-05'],
    ['5th of Dec., 2027', '2027-12-05'],
    ['March 2027', '2027-03-01'],
    ['in March', '2026-03-01'],
    ['the 5th', '2026-07-15'],
    ['today', '2026-07-15'],
    ['Tomorrow', '2026-07-16'],
    ['the day after tomorrow', '2026-07-17'],
    ['yesterday', '2026-07-14'],
    ['next week', '2026-07-22'],
    ['next month', '2026-08-14'],
    ['Thursday', '2026-07-16'],
    ['next Tuesday', '2026-07-21'],
    ['Wednesday', '2026-07-22'],
    ['sunday', '2026-07-19'],
    ['last Sunday', '2026-07-12'],
    ['last Wednesday', '2026-07-08'],
  ] as const)('%s', ([text, expected]) => {
    expect(dateOf(text, now)).toBe(expected)
  })
})

describe('times in prompts', () => {
  it.for([
    ['noon', '12:00'],
    ['midnight', '00:00'],
    ['7', '07:00'],
    ['15:30', '15:30'],
    ['12 am', '00:00'],
    ['12:45 p.m.', '12:45'],
    ['11pm', '23:00'],
    ['8 in the morning', '08:00'],
    ['12 in the afternoon', '12:00'],
    ['9 in the evening', '21:00'],
    ['10 at night', '22:00'],
  ] as const)('%s', ([text, expected]) => {
    expect(timeOf(text)).toBe(expected)
  })
})

describe('date formats in descriptions', () => {
  it.for([
    ['The date in DD-MM-YYYY', 'DD-MM-YYYY', '07-05-2026'],
    ['as dd/mm/yy', 'dd/mm/yy', '07/05/26'],
    ['MM/DD/YYY', 'MM/DD/YYYY', '05/07/2026'],
    ['month-day-year', 'MM-DD-YYYY', '05-07-2026'],
    ['day-month-year', 'DD-MM-YYYY', '07-05-2026'],
    ['YYYY-MM-DD HH:MM', 'YYYY-MM-DD HH:MM', '2026-05-07 15:30'],
    ['YYYY-MM-DDTHH:MM:SSZ', 'YYYY-MM-DDTHH:MM:SSZ', '2026-05-07T15:30:00Z'],
  ] as const)('%s', ([description, format, written]) => {
    expect(dateFormatIn(description)).toBe(format)
    expect(inDateFormat(format, '2026-05-07', '15:30')).toBe(written)
  })

  it('uses 9 o’clock if there is no time', () => {
    expect(inDateFormat('YYYY-MM-DD HH:MM', '2026-05-07')).toBe('2026-05-07 09:00')
  })
})
