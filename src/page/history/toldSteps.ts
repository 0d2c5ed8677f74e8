import { indexAt } from "./lives.ts"
import { keyOf } from "../place.ts"
import type { Place } from "../place.ts"
import type { StepEntry } from "../../recording/entry.ts"

/** The steps of every actor that told of any, each under the number of the moment at which it was made. */
export interface ToldSteps {
  readonly see: (entry: StepEntry) => void
  /** In the order in which they were made. */
  readonly of: (place: Place) => ReadonlyArray<StepEntry>
  readonly forget: (place: Place) => void
}

/** Of one actor; what would be more pushes the oldest out. */
const stepsMax = 2000

export const makeToldSteps = (): ToldSteps => {
  const all = new Map<string, Array<StepEntry>>()
  return {
    see: (entry) => {
      const key = keyOf(entry.step)
      const own = all.get(key) ?? []
      all.set(key, own)
      const index = indexAt(own, entry.number)
      // One that is told again takes the place of what was known of it.
      if (own[index]?.number === entry.number) own[index] = entry
      else own.splice(index + 1, 0, entry)
      if (own.length > stepsMax) own.shift()
    },
    of: (place) => all.get(keyOf(place)) ?? [],
    forget: (place) => void all.delete(keyOf(place))
  }
}
