import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64"
import { toDurationMillis } from "../kubernetes/meta/amounts/durations.ts"
import { randomGeneratorFor } from "./seededDraws.ts"
import type { Fault, RandomFaults } from "./fault.ts"

export interface TimedFault {
  /** Time since the start of the story. */
  readonly atMillis: number
  readonly fault: Fault
}

/** The draws depend on the seed alone. Stories call random faults their `weather`. */
export const drawRandomFaults = (weather: RandomFaults, seed: number): ReadonlyArray<TimedFault> => {
  const meanMillis = toDurationMillis(weather.every, "weather: every")
  const fromMillis = toDurationMillis(weather.from ?? "0s", "weather: from")
  const untilMillis = toDurationMillis(weather.until, "weather: until")
  if (meanMillis < 1) throw new RangeError(`weather: every must be 1ms or more, not ${weather.every}`)
  let totalWeight = 0
  const weightedFaults = weather.faults.map(({ weight = 1, ...fault }) => {
    const begin = totalWeight
    totalWeight += weight
    return { begin, weight, fault }
  })
  if (!(totalWeight > 0 && totalWeight < Infinity && weightedFaults.every(({ weight }) => weight >= 0))) {
    throw new RangeError("weather: weights are 0 or more, and not all of them 0")
  }
  const random = randomGeneratorFor(seed, "weather")
  const drawWaitMillis = (): number => -meanMillis * Math.log(1 - uniformFloat64(random))
  const drawFault = (): Fault => {
    const point = uniformFloat64(random) * totalWeight
    // A fault of weight 0 begins at the same point as the next fault: that is drawn.
    return weightedFaults.findLast(({ begin }) => begin <= point)?.fault as Fault
  }
  const timedFaults: Array<TimedFault> = []
  for (let at = fromMillis + drawWaitMillis(); at < untilMillis; at += drawWaitMillis()) {
    timedFaults.push({ atMillis: Math.floor(at), fault: drawFault() })
  }
  return timedFaults
}
