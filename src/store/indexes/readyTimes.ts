/** How many Pods became ready at which time. Recent times are counted from the end, whatever the number of Pods. */
export interface ReadyTimes {
  readonly add: (sinceMillis: number) => void
  readonly remove: (sinceMillis: number) => void
  /** How many became ready after this time, and the earliest of these times. */
  readonly readyAfter: (thanMillis: number) => {
    readonly count: number
    readonly earliest: number | undefined
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
    let place = times.length
    while (place > 0 && (times[place - 1] ?? 0) >= time) place -= 1
    return place
  }
  return {
    add: (time) => {
      const place = indexOf(time)
      if (times[place] === time) counts[place] = (counts[place] ?? 0) + 1
      else {
        times.splice(place, 0, time)
        counts.splice(place, 0, 1)
      }
    },
    remove: (time) => {
      const place = indexOf(time)
      const remaining = (counts[place] ?? 0) - 1
      if (remaining > 0) counts[place] = remaining
      else {
        times.splice(place, 1)
        counts.splice(place, 1)
      }
    },
    readyAfter: (thanMillis) => {
      let count = 0
      let earliest: number | undefined
      for (let place = times.length - 1; place >= 0; place -= 1) {
        const time = times[place] ?? 0
        if (time <= thanMillis) break
        count += counts[place] ?? 0
        earliest = time
      }
      return { count, earliest }
    },
    save: () => ({ times: [...times], counts: [...counts] })
  }
}
