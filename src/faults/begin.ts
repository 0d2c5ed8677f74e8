import * as Effect from "effect/Effect"
import { clockFaults } from "./clock.ts"
import { controllerFaults } from "./controllers.ts"
import { firstRank } from "../runtime/kernel.ts"
import { FaultRefused } from "./faultWorld.ts"
import { millisOf } from "../domain/durations.ts"
import { nodeFaults } from "./nodes.ts"
import { podFaults } from "./pods.ts"
import { quotaFaults } from "./quota.ts"
import { watchFaults } from "./watches.ts"
import { writeFaults } from "./writes.ts"
import type { Bodies } from "./bodies.ts"
import type { Fault, FaultGiven } from "./fault.ts"
import type { Begin, Beginnings, End, FaultWorld } from "./faultWorld.ts"

/** What goes wrong in one cluster. */
export interface Faults {
  /**
   * Begins a fault at the present instant. With `for` it ends by itself when that time is over. One that somebody has
   * read already, as the parts of a story are, is not checked once more.
   */
  readonly begin: (
    fault: FaultGiven,
    options?: { readonly isChecked?: boolean }
  ) => Effect.Effect<FaultHandle, FaultRefused>
  /** Those that are on now, in the order in which they began. A deed is over as soon as it is done. */
  readonly active: () => ReadonlyArray<ActiveFault>
  /** Whether something moves for as long as it lasts, which is until somebody ends it. */
  readonly isRestless: (fault: ActiveFault) => boolean
  /** What befalls Pods, for those who count what their clients lose by it. */
  readonly befalls: Pick<Bodies, "answersForMillis" | "onBefall">
}

/** The same from within: to be run on the cluster's timeline. */
export interface FaultsWithin extends Omit<Faults, "begin"> {
  /** One that has been checked. */
  readonly begin: (fault: Fault) => Effect.Effect<FaultHandle, FaultRefused>
  /** How many of them will end by themselves, or let nothing come to rest. */
  readonly moving: () => number
}

export interface FaultHandle {
  /** Ends it now. Nothing happens where it is over already. */
  readonly end: Effect.Effect<void>
  /** When it was over; undefined while it lasts. */
  readonly endedMillis: () => number | undefined
  /** How many Pods it met as it began; undefined where it meets none then: one of a node, one of Pods to come. */
  readonly met: number | undefined
}

export interface ActiveFault {
  readonly fault: Fault
  readonly beganMillis: number
  /** When it ends by itself; undefined where that is not known. */
  readonly endsMillis: number | undefined
  /** Ends it now. */
  readonly end: Effect.Effect<void>
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

  const begin: FaultsWithin["begin"] = Effect.fnUntraced(function* (fault) {
    const forMillis = fault.for === undefined ? undefined : millisOf(fault.for, "for")
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
    const entry: ActiveFault = { fault, beganMillis, endsMillis, end: stop }
    let metPods: number | undefined
    end = yield* beginOne(fault, {
      ...world,
      met: (pods) => {
        metPods = pods
      },
      over: () => void kernel.run(stop)
    })
    if (end === undefined) endedMillis = beganMillis
    else {
      active.add(entry)
      if (forMillis !== undefined) {
        // What a fault does to others has ended when they look at that instant.
        timer = kernel.after(forMillis, firstRank, () => {
          timer = undefined
          kernel.run(stop)
        })
      }
    }
    return { end: stop, endedMillis: () => endedMillis, met: metPods }
  })
  const moving = (): number => {
    let count = 0
    for (const it of active) if (it.endsMillis !== undefined || isRestless(it)) count += 1
    return count
  }
  return { begin, active: () => [...active], isRestless, befalls: world.bodies, moving }
}

const isRestless = ({ fault, endsMillis }: ActiveFault): boolean =>
  fault.fault === "flap" && endsMillis === undefined

type Beginning = (fault: never, world: FaultWorld) => ReturnType<Begin<"clockJump">>

const beginOne = (fault: Fault, world: FaultWorld): Effect.Effect<End | undefined, FaultRefused> => {
  // A table by the fault's own name: TypeScript cannot see that the entry and the fault are of one kind.
  const how: Beginning | undefined = Object.hasOwn(beginnings, fault.fault)
    ? beginnings[fault.fault]
    : undefined
  if (how !== undefined) return how(fault as never, world)
  const why = `there is no such fault: there are ${faultNames.join(", ")}`
  return Effect.fail(new FaultRefused({ fault: fault.fault, why }))
}
