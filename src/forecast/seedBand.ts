import type {
  AvailableBand,
  Future,
  FutureOutcome,
  FutureCounts,
  MilestoneBand,
  SeedBand
} from "./forecast.ts"

export const seedBand = (futures: ReadonlyArray<Future>): SeedBand => ({
  futures: futures.length,
  milestones: milestoneBands(futures),
  available: availableBands(futures),
  outcomes: countOutcomes(futures)
})

/** Of a future's milestones with the same kind and node, only the first counts. */
const milestoneBands = (futures: ReadonlyArray<Future>): ReadonlyArray<MilestoneBand> => {
  const bands = new Map<string, MilestoneBand>()
  for (const { milestones } of futures) {
    const seenIds = new Set<string>()
    for (const { kind, node, millis } of milestones) {
      const id = `${kind} ${node ?? ""}`
      if (seenIds.has(id)) continue
      seenIds.add(id)
      const band = bands.get(id)
      bands.set(id, {
        kind,
        ...(node === undefined ? {} : { node }),
        earliestMillis: Math.min(millis, band?.earliestMillis ?? millis),
        latestMillis: Math.max(millis, band?.latestMillis ?? millis),
        futures: (band?.futures ?? 0) + 1
      })
    }
  }
  return [...bands.values()].sort((a, b) => a.earliestMillis - b.earliestMillis)
}

/** A future that has ended keeps its last count. */
const availableBands = (futures: ReadonlyArray<Future>): ReadonlyArray<AvailableBand> => {
  const instants = new Set(futures.flatMap(({ counts }) => counts.map(({ millis }) => millis)))
  const readers = futures.map(({ counts }) => availableReader(counts))
  const bands: Array<AvailableBand> = []
  for (const millis of [...instants].sort((a, b) => a - b)) {
    const values = readers.map((availableAt) => availableAt(millis))
    const [min, max] = [Math.min(...values), Math.max(...values)]
    const last = bands.at(-1)
    if (last?.min !== min || last.max !== max) bands.push({ millis, min, max })
  }
  return bands
}

/** Each call must be for a later instant than the call before. */
const availableReader = (counts: ReadonlyArray<FutureCounts>): ((millis: number) => number) => {
  let index = 0
  return (millis) => {
    while ((counts[index + 1]?.millis ?? Infinity) <= millis) index += 1
    return counts[index]?.available ?? 0
  }
}

const countOutcomes = (futures: ReadonlyArray<Future>): SeedBand["outcomes"] => {
  const outcomes: Partial<Record<FutureOutcome, number>> = {}
  for (const { outcome } of futures) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
  return outcomes
}
