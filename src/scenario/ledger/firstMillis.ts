/**
 * The first moment after `fromMillis` at which something is so that stays so until `toMillis`, to the millisecond;
 * undefined where it is not so by then.
 */
export const firstMillis = (
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
