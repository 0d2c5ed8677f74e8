/**
 * Wanted elements keep their order; each other element stays before its next wanted element in the
 * live list. Source: apimachinery/pkg/util/strategicpatch/patch.go (normalizeElementOrder).
 */
export const mergeInLiveOrder = <A>(
  wanted: ReadonlyArray<A>,
  others: ReadonlyArray<A>,
  livePosition: (element: A) => number | undefined
): ReadonlyArray<A> => {
  // NaN for new elements: no comparison holds.
  const positionOf = (element: A): number => livePosition(element) ?? Number.NaN
  const merged: Array<A> = []
  const remaining = others.values()
  let next = remaining.next()
  for (const element of wanted) {
    for (; next.done !== true && positionOf(next.value) < positionOf(element); next = remaining.next())
      merged.push(next.value)
    merged.push(element)
  }
  return next.done === true ? merged : [...merged, next.value, ...remaining]
}
