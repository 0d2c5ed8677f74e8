/**
 * Merges two lists: the wanted elements in their order, and each other element before the next wanted one that follows
 * it in the live list. So an injected first container stays first.
 * Source: staging/src/k8s.io/apimachinery/pkg/util/strategicpatch/patch.go (normalizeElementOrder, mergeSortedSlice).
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
