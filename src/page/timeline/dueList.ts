/** What will be so by waiting alone, the next first. */
export interface DueList<A> {
  readonly add: (atMillis: number, thing: A) => void
  /** Takes what is due at a moment, in order. */
  readonly take: (nowMillis: number) => { readonly atMillis: number; readonly thing: A } | undefined
}

export const makeDueList = <A>(): DueList<A> => {
  let due: Array<{ readonly atMillis: number; readonly thing: A }> = []
  let taken = 0
  return {
    add: (atMillis, thing) => {
      // Most of what is added is due last: it is looked for from there.
      const before = due.findLastIndex((it) => it.atMillis <= atMillis)
      due.splice(Math.max(taken, before + 1), 0, { atMillis, thing })
    },
    take: (nowMillis) => {
      const next = due[taken]
      if (next === undefined || next.atMillis > nowMillis) return undefined
      taken += 1
      // What was taken is let go of when no more than as much is left: for each taken one moves, whatever there is.
      if (taken >= due.length - taken) {
        due = due.slice(taken)
        taken = 0
      }
      return next
    }
  }
}
