import * as Effect from "effect/Effect"
import { clockFaults } from "./clock.ts"
import { controllerFaults } from "./controllers.ts"
import { FaultRefused, readMillis } from "./faultWorld.ts"
import { nodeFaults } from "./nodes.ts"
import { podFaults } from "./pods.ts"
import { quotaFaults } from "./quota.ts"
import { watchFaults } from "./watches.ts"
import { writeFaults } from "./writes.ts"
import type { Fault } from "./fault.ts"
import type { Begin, Beginnings, End, FaultWorld } from "./faultWorld.ts"

/** What goes wrong in one cluster. */
export interface Faults {
  /** Begins a fault at the present instant. With `for` it ends by itself when that time is over. */
  readonly begin: (fault: Fault) => Effect.Effect<FaultHandle, FaultRefused>
  /** Those that are on now, in the order in which they began. A deed is over as soon as it is done. */
  readonly active: () => ReadonlyArray<ActiveFault>
}

interface FaultsWithin extends Faults {
  /** How many of them will end by themselves. */
  readonly ending: () => number
}

export interface FaultHandle {
  /** Ends it now. Nothing happens where it is over already. */
  readonly end: Effect.Effect<void>
  /** When it was over; undefined while it lasts. */
  readonly endedMillis: () => number | undefined
  /** How many Pods it has met; undefined for one that is not about Pods. */
  readonly met: number | undefined
}

export interface ActiveFault {
  readonly fault: Fault
  readonly beganMillis: number
  /** When it ends by itself; undefined where that is not known. */
  readonly endsMillis: number | undefined
}

const beginnings: Beginnings = {
  ...podFaults,
  ...nodeFaults,
  ...quotaFaults,
  ...controllerFaults,
  ...writeFaults,
  ...watchFaults,
  ...clockFaults
}

/** The names of all faults. */
export const faultNames: ReadonlyArray<string> = Object.keys(beginnings)

export const makeFaults = (world: Omit<FaultWorld, "met" | "over">): FaultsWithin => {
  const { kernel } = world
  const active = new Set<ActiveFault>()

  const begin: Faults["begin"] = Effect.fnUntraced(function* (fault) {
    const forMillis = fault.for === undefined ? undefined : yield* readMillis(fault.fault, "for", fault.for)
    const beganMillis = kernel.nowMillis()
    const endsMillis = forMillis === undefined ? undefined : beganMillis + forMillis
    let end: End | undefined
    let endedMillis: number | undefined
    let timer: ReturnType<typeof kernel.after> | undefined
    const stop = Effect.suspend(() => {
      const ending = end ?? Effect.void
      end = undefined
      endedMillis ??= kernel.nowMillis()
      active.delete(entry)
      if (timer !== undefined) kernel.cancel(timer)
      timer = undefined
      return ending
    })
    const entry: ActiveFault = { fault, beganMillis, endsMillis }
    let met: number | undefined
    end = yield* beginOne(fault, {
      ...world,
      met: (pods) => {
        met = pods
      },
      over: () => void kernel.run(stop)
    })
    if (end === undefined) endedMillis = beganMillis
    else {
      active.add(entry)
      if (forMillis !== undefined) {
        timer = kernel.after(forMillis, firstRank, () => {
          timer = undefined
          kernel.run(stop)
        })
      }
    }
    return {
      end: stop,
      endedMillis: () => endedMillis,
      get met() {
        return met
      }
    }
  })
  const ending = (): number => {
    let count = 0
    for (const { endsMillis } of active) if (endsMillis !== undefined) count += 1
    return count
  }
  return { begin, active: () => [...active], ending }
}

/** What a fault does to others has ended when they look at that instant. */
const firstRank = 0

type Beginning = (fault: never, world: FaultWorld) => ReturnType<Begin<"clockJump">>

const beginOne = (fault: Fault, world: FaultWorld): Effect.Effect<End | undefined, FaultRefused> => {
  // A table by the fault's own name: TypeScript cannot see that the entry and the fault are of one kind.
  const how: Beginning | undefined = beginnings[fault.fault]
  if (how !== undefined) return how(fault as never, world)
  const why = `there is no such fault: there are ${faultNames.join(", ")}`
  return Effect.fail(new FaultRefused({ fault: fault.fault, why }))
}
