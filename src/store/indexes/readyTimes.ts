/** How many Pods became ready at which time. */
export interface ReadyTimes {
  readonly add: (sinceMillis: number) => void
  readonly remove: (sinceMillis: number) => void
  readonly readyAfter: (afterMillis: number) => {
    readonly count: number
    readonly earliestMillis: number | undefined
  }
  readonly save: () => ReadyTimesState
}

export interface ReadyTimesState {
  readonly times: ReadonlyArray<number>
  readonly counts: ReadonlyArray<number>
}

export const makeReadyTimes = (from?: ReadyTimesState): ReadyTimes => {
  const times: Array<number> = [...(from?.times ?? [])]
  const counts: Array<number> = [...(from?.counts ?? [])]

  const indexOf = (time: number): number => {
    let index = times.length
    while (index > 0 && (times[index - 1] ?? 0) >= time) index -= 1
    return index
  }
  return {
    add: (time) => {
      const index = indexOf(time)
      if (times[index] === time) counts[index] = (counts[index] ?? 0) + 1
      else {
        times.splice(index, 0, time)
        counts.splice(index, 0, 1)
      }
    },
    remove: (time) => {
      const index = indexOf(time)
      const remaining = (counts[index] ?? 0) - 1
      if (remaining > 0) counts[index] = remaining
      else {
        times.splice(index, 1)
        counts.splice(index, 1)
      }
    },
    readyAfter: (afterMillis) => {
      let count = 0
      let earliestMillis: number | undefined
      for (let index = times.length - 1; index >= 0; index -= 1) {
        const time = times[index] ?? 0
        if (time <= afterMillis) break
        count += counts[index] ?? 0
        earliestMillis = time
      }
      return { count, earliestMillis }
    },
    save: () => ({ times: [...times], counts: [...counts] })
  }
}
