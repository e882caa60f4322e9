/**
 * What a promise gives, asked again when the dependencies change.
 */
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { messageOf } from '../api.ts'

export function useLoaded<Value>(load: () => Promise<Value>, dependencies: readonly unknown[]) {
  const value = useSignal<Value | undefined>(undefined)
  const problem = useSignal('')
  const turn = useRef(0)
  const reload = () => {
    const mine = ++turn.current
    load().then(
      (loaded) => {
        if (mine !== turn.current) return
        value.value = loaded
        problem.value = ''
      },
      (error) => {
        if (mine !== turn.current) return
        value.value = undefined
        problem.value = messageOf(error)
      },
    )
  }
  useEffect(reload, dependencies)
  return { value: value.value, problem: problem.value, reload }
}
