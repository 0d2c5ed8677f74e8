/** Binary search: once true, the predicate must stay true. Undefined if it does not hold at `toMillis`. */
const firstTrueMillis = (
  fromMillis: number,
  toMillis: number,
  holdsAt: (atMillis: number) => boolean
): number | undefined => {
  if (!holdsAt(toMillis)) return undefined
  let [before, after] = [fromMillis, toMillis]
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (holdsAt(middle)) after = middle
    else before = middle
  }
  return after
}

/** Sorted times after `fromMillis` and up to `toMillis`. Predicates must stay true once they are. */
export const timesBecomingTrue = (
  fromMillis: number,
  toMillis: number,
  predicates: ReadonlyArray<(atMillis: number) => boolean>
): ReadonlyArray<number> => {
  const times = predicates.flatMap((holdsAt) =>
    holdsAt(fromMillis) ? [] : (firstTrueMillis(fromMillis, toMillis, holdsAt) ?? [])
  )
  return [...new Set(times)].sort((one, other) => one - other)
}
