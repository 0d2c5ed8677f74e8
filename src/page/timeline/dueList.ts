/** What will be so by waiting alone, the next first. */
export interface DueList<A> {
  readonly add: (atMillis: number, thing: A) => void
  /** Takes what is due at a moment, in order. */
  readonly take: (nowMillis: number) => { readonly atMillis: number; readonly thing: A } | undefined
}

/** Most of what is added is due last: it is looked for from there. */
export const makeDueList = <A>(): DueList<A> => {
  let due: Array<{ readonly atMillis: number; readonly thing: A }> = []
  let taken = 0
  return {
    add: (atMillis, thing) => {
      let index = due.length
      while (index > taken && (due[index - 1]?.atMillis ?? 0) > atMillis) index -= 1
      due.splice(index, 0, { atMillis, thing })
    },
    take: (nowMillis) => {
      const next = due[taken]
      if (next === undefined || next.atMillis > nowMillis) return undefined
      taken += 1
      if (taken === due.length) {
        due = []
        taken = 0
      }
      return next
    }
  }
}
