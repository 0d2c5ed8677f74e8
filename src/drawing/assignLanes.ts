/** Puts each interval into the first lane where it overlaps no earlier one. */
export const assignLanes = <A>(
  items: ReadonlyArray<A>,
  intervalOf: (item: A) => readonly [from: number, to: number]
): ReadonlyArray<{ readonly item: A; readonly lane: number }> => {
  const laneEnds: Array<number> = []
  return items.map((item) => {
    const [from, to] = intervalOf(item)
    const freeLane = laneEnds.findIndex((end) => end <= from)
    const lane = freeLane === -1 ? laneEnds.length : freeLane
    laneEnds[lane] = to
    return { item, lane }
  })
}
