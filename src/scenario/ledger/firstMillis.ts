/**
 * The first moment after `fromMillis` at which something is so that stays so until `toMillis`, to the millisecond;
 * undefined where it is not so by then.
 */
const firstMillis = (
  fromMillis: number,
  toMillis: number,
  isSoAt: (atMillis: number) => boolean
): number | undefined => {
  if (!isSoAt(toMillis)) return undefined
  let [before, after] = [fromMillis, toMillis]
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (isSoAt(middle)) after = middle
    else before = middle
  }
  return after
}

/**
 * The moments after `fromMillis` and until `toMillis` at which one of several things becomes so that stays so, in their
 * order.
 */
export const turningMillis = (
  fromMillis: number,
  toMillis: number,
  turns: ReadonlyArray<(atMillis: number) => boolean>
): ReadonlyArray<number> => {
  const moments = turns.flatMap((isSoAt) =>
    isSoAt(fromMillis) ? [] : (firstMillis(fromMillis, toMillis, isSoAt) ?? [])
  )
  return [...new Set(moments)].sort((one, other) => one - other)
}
