import * as Effect from "effect/Effect"
import { clockFaults } from "./clock.ts"
import { controllerFaults } from "./controllers.ts"
import { firstRank } from "../runtime/kernel.ts"
import { millisOf } from "../domain/durations.ts"
import { nodeFaults } from "./nodes.ts"
import { podFaults } from "./pods.ts"
import { makeFaultNews } from "./news.ts"
import { makeHolds } from "./holds.ts"
import { noMemory } from "../runtime/memory.ts"
import { quotaFaults } from "./quota.ts"
import { watchFaults } from "./watches.ts"
import { writeFaults } from "./writes.ts"
import type { Pod } from "../domain/objects.ts"
import type { PodLife } from "../domain/podLife.ts"
import type { Bodies } from "./bodies.ts"
import type { Fault, FaultGiven } from "./fault.ts"
import type { FaultKind, FaultKinds, FaultRefused, FaultWorld, Lasting } from "./faultWorld.ts"
import type { FaultNewsLine } from "./news.ts"
import type { Memory } from "../runtime/memory.ts"
import type { Timer, TimerPlace } from "../runtime/timerHeap.ts"

/** How Pods live under the active faults. */
interface Befalls {
  readonly lifeOf: (pod: Pod) => PodLife
  /** Calls back when a fault begins or ends for a Pod. Returns how to unsubscribe. */
  readonly onBefall: Bodies["onBefall"]
}

/** Fault injection in one cluster. */
export interface Faults {
  /**
   * Begins a fault at the present instant. With `for` it ends by itself. `isChecked` skips the validation of a fault
   * that was decoded already, as in a story.
   */
  readonly begin: (
    fault: FaultGiven,
    options?: { readonly isChecked?: boolean }
  ) => Effect.Effect<FaultHandle, FaultRefused>
  /** The active faults, oldest first. A fault without duration, such as `kill`, is never active. */
  readonly active: () => ReadonlyArray<ActiveFault>
  /** Whether the fault keeps the cluster moving until it is ended by hand. */
  readonly isRestless: (fault: ActiveFault) => boolean
  /** For measuring what the clients of a Service lose. */
  readonly befalls: Befalls
}

/** Faults without entering the timeline: to be run on the cluster's own timeline. */
export interface FaultsWithin extends Omit<Faults, "begin"> {
  /** Begins a validated fault. */
  readonly begin: (fault: Fault) => Effect.Effect<FaultHandle, FaultRefused>
  /** How many active faults end by themselves or keep the cluster moving. */
  readonly moving: () => number
  readonly onNews: FaultNewsLine["onNews"]
  /** The active faults with the ids of their events. */
  readonly lasting: () => ReadonlyArray<{ readonly id: string; readonly fault: Fault }>
}

export interface FaultHandle extends ActiveFault {
  /** Undefined while the fault lasts. */
  readonly endedMillis: () => number | undefined
}

export interface ActiveFault {
  /** The id in recordings, too: `fault-1`. */
  readonly id: string
  readonly fault: Fault
  readonly beganMillis: number
  /** Undefined where no end is known. */
  readonly endsMillis: number | undefined
  /**
   * How many Pods (or, for faults of writes, writes) it has affected until now or until its end. Undefined for faults
   * of nodes, watches and controllers.
   */
  readonly met: () => number | undefined
  /** Ends the fault now; does nothing if it has ended. */
  readonly end: Effect.Effect<void>
}

const kinds: FaultKinds = {
  ...podFaults,
  ...nodeFaults,
  ...quotaFaults,
  ...controllerFaults,
  ...writeFaults,
  ...watchFaults,
  ...clockFaults
}

export const faultNames: ReadonlyArray<string> = Object.keys(kinds)

/** An active fault as snapshots hold it. */
interface Kept {
  readonly id: string
  readonly fault: Fault
  readonly beganMillis: number
  readonly endsMillis: number | undefined
  readonly timer: TimerPlace | undefined
  /** How many Pods it affected when it began. */
  readonly met?: number
  /** The state of its kind; see `FaultKind`. */
  readonly state: unknown
}

interface Entry extends ActiveFault {
  readonly save: () => Kept
}

export const makeFaults = (
  world: Omit<FaultWorld, "met" | "over" | "holds"> & Pick<Befalls, "lifeOf">,
  memory: Memory = noMemory
): FaultsWithin => {
  const { kernel } = world
  const active = new Set<Entry>()
  const holds = makeHolds()
  const { tell, onNews } = makeFaultNews()
  let begun = 0

  /** Registers a fault that begins now or is restored from a snapshot. */
  const hang = (
    { id, fault, beganMillis, endsMillis, met: metAtFirst, state }: Omit<Kept, "timer">,
    setTimer: ((run: () => void) => Timer) | undefined
  ): { readonly lasting: Lasting; readonly handle: FaultHandle } => {
    let isOver = false
    let metInAll: number | undefined
    let endedMillis: number | undefined
    let timer: Timer | undefined
    const stop = Effect.suspend(() => {
      if (isOver) return Effect.void
      isOver = true
      endedMillis = kernel.nowMillis()
      metInAll = metNow()
      active.delete(entry)
      if (timer !== undefined) kernel.cancel(timer)
      timer = undefined
      tell({ change: "ENDED", id, fault })
      return lasting.end
    })
    const over = (): void => void kernel.run(stop)
    const lasting = lastOf(fault, { ...world, holds, met: () => {}, over }, state)
    const metNow = (): number | undefined => lasting.met?.() ?? metAtFirst
    const save = (): Kept => {
      const place = timer === undefined ? undefined : memory.placeOf(timer)
      const known = lasting.save?.(memory.placeOf) ?? state
      const met = metAtFirst === undefined ? {} : { met: metAtFirst }
      return { id, fault, beganMillis, endsMillis, timer: place, ...met, state: known }
    }
    const met = (): number | undefined => (isOver ? metInAll : metNow())
    const known: ActiveFault = { id, fault, beganMillis, endsMillis, met, end: stop }
    const entry: Entry = { ...known, save }
    active.add(entry)
    // Ends before the actors look at that instant.
    timer = setTimer?.(() => {
      timer = undefined
      over()
    })
    return { lasting, handle: { ...known, endedMillis: () => endedMillis } }
  }

  const begin: FaultsWithin["begin"] = Effect.fnUntraced(function* (fault) {
    const forMillis = fault.for === undefined ? undefined : millisOf(fault.for, "for")
    const beganMillis = kernel.nowMillis()
    const endsMillis = forMillis === undefined ? undefined : beganMillis + forMillis
    let met: number | undefined
    const meet = (pods: number): void => {
      met = pods
    }
    const number = (begun += 1)
    const id = `fault-${number}`
    const known = { id, fault, beganMillis }
    tell({ change: "BEGAN", id, fault })
    const beginning = beginOne(fault, { ...world, holds, met: meet, over: () => {} })
    const state = yield* Effect.tapError(beginning, () =>
      Effect.sync(() => {
        // The next fault gets the id of the refused one, unless another fault has begun meanwhile.
        if (begun === number) begun -= 1
        tell({ change: "REFUSED", id, fault })
      })
    )
    if (state === undefined) {
      tell({ change: "ENDED", id, fault })
      const over = { endsMillis: beganMillis, end: Effect.void, endedMillis: () => beganMillis }
      return { ...known, ...over, met: () => met }
    }
    const setTimer =
      forMillis === undefined ? undefined : (run: () => void) => kernel.after(forMillis, firstRank, run)
    const metAtFirst = met === undefined ? {} : { met }
    const { lasting, handle } = hang({ ...known, endsMillis, ...metAtFirst, state }, setTimer)
    if (lasting.first !== undefined) yield* lasting.first
    return handle
  })

  memory.carry<number>("begun", {
    save: () => (begun === 0 ? undefined : begun),
    restore: (count) => {
      begun = count
    }
  })
  memory.carry("holds", { save: holds.save, restore: holds.restore })
  memory.carry<ReadonlyArray<Kept>>("lasting", {
    save: () => (active.size === 0 ? undefined : Array.from(active, ({ save }) => save())),
    restore: (lasted) => {
      for (const { timer: place, ...kept } of lasted) {
        hang(kept, place === undefined ? undefined : (run) => kernel.resume(place, run))
      }
    }
  })
  const moving = (): number => {
    let count = 0
    for (const it of active) if (it.endsMillis !== undefined || isRestless(it)) count += 1
    return count
  }
  const befalls = { lifeOf: world.lifeOf, onBefall: world.bodies.onBefall }
  const lasting = () => Array.from(active, ({ id, fault }) => ({ id, fault }))
  const told = ({ save: _ours, ...it }: Entry): ActiveFault => it
  return { begin, active: () => Array.from(active, told), isRestless, befalls, moving, onNews, lasting }
}

const isRestless = ({ fault, endsMillis }: ActiveFault): boolean =>
  fault.fault === "flap" && endsMillis === undefined

/** TypeScript cannot see that the entry belongs to the kind of this fault. */
const kindOf = ({ fault: name }: Fault): FaultKind<never> => kinds[name] as object as FaultKind<never>

/** Undefined for a fault without duration. */
const beginOne = (fault: Fault, world: FaultWorld): Effect.Effect<unknown, FaultRefused> =>
  kindOf(fault).begin(fault as never, world)

/** `state` comes from `begin` or `save` of the same kind. */
const lastOf = (fault: Fault, world: FaultWorld, state: unknown): Lasting =>
  kindOf(fault).last?.(fault as never, world, state as never) ?? { end: Effect.void }
