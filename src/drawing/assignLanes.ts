/** Puts each interval into the first lane where it overlaps no earlier one. */
export const assignLanes = <A>(
  things: ReadonlyArray<A>,
  intervalOf: (thing: A) => readonly [from: number, to: number]
): ReadonlyArray<{ readonly thing: A; readonly lane: number }> => {
  const laneEnds: Array<number> = []
  return things.map((thing) => {
    const [from, to] = intervalOf(thing)
    const freeLane = laneEnds.findIndex((end) => end <= from)
    const lane = freeLane === -1 ? laneEnds.length : freeLane
    laneEnds[lane] = to
    return { thing, lane }
  })
}
