import { lastIndexUpTo } from "./objectVersions.ts"
import { nameKey } from "../pageAddress.ts"
import type { PageAddress } from "../pageAddress.ts"
import type { StepEntry } from "../../recording/entry.ts"

export interface StepLog {
  readonly add: (entry: StepEntry) => void
  readonly stepsOf: (address: PageAddress) => ReadonlyArray<StepEntry>
  readonly forget: (address: PageAddress) => void
}

/** Steps of each actor; the latest are kept. */
const stepsMax = 2000

export const makeStepLog = (): StepLog => {
  const stepsByActor = new Map<string, Array<StepEntry>>()
  return {
    add: (entry) => {
      const key = nameKey(entry.step)
      const steps = stepsByActor.get(key) ?? []
      stepsByActor.set(key, steps)
      const index = lastIndexUpTo(steps, entry.number)
      // A step that is streamed again replaces the known one.
      if (steps[index]?.number === entry.number) steps[index] = entry
      else steps.splice(index + 1, 0, entry)
      if (steps.length > stepsMax) steps.shift()
    },
    stepsOf: (address) => stepsByActor.get(nameKey(address)) ?? [],
    forget: (address) => void stepsByActor.delete(nameKey(address))
  }
}
