/** Puts things that take room from one place to another into few rows in which none touches another. */
export const inLanes = <A>(
  things: ReadonlyArray<A>,
  roomOf: (thing: A) => readonly [from: number, to: number]
): ReadonlyArray<{ readonly thing: A; readonly lane: number }> => {
  const ends: Array<number> = []
  return things.map((thing) => {
    const [from, to] = roomOf(thing)
    const free = ends.findIndex((end) => end <= from)
    const lane = free === -1 ? ends.length : free
    ends[lane] = to
    return { thing, lane }
  })
}
