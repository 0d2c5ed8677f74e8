/** Items in the order of the times at which they are due. */
export interface DueList<A> {
  readonly add: (atMillis: number, item: A) => void
  readonly take: (nowMillis: number) => { readonly atMillis: number; readonly item: A } | undefined
}

export const makeDueList = <A>(): DueList<A> => {
  let due: Array<{ readonly atMillis: number; readonly item: A }> = []
  let takenCount = 0
  return {
    add: (atMillis, item) => {
      // New items are mostly due last.
      const precedingIndex = due.findLastIndex((it) => it.atMillis <= atMillis)
      due.splice(Math.max(takenCount, precedingIndex + 1), 0, { atMillis, item })
    },
    take: (nowMillis) => {
      const next = due[takenCount]
      if (next === undefined || next.atMillis > nowMillis) return undefined
      takenCount += 1
      // Dropping half at once costs one move per item on average.
      if (takenCount >= due.length - takenCount) {
        due = due.slice(takenCount)
        takenCount = 0
      }
      return next
    }
  }
}
