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

/** How Pods live, with what befalls them. */
interface Befalls {
  readonly lifeOf: (pod: Pod) => PodLife
  /** Calls back when something befalls a Pod, or no longer does. Returns how to stop. */
  readonly onBefall: Bodies["onBefall"]
}

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
  readonly befalls: Befalls
}

/** The same from within: to be run on the cluster's timeline. */
export interface FaultsWithin extends Omit<Faults, "begin"> {
  /** One that has been checked. */
  readonly begin: (fault: Fault) => Effect.Effect<FaultHandle, FaultRefused>
  /** How many of them will end by themselves, or let nothing come to rest. */
  readonly moving: () => number
  readonly onNews: FaultNewsLine["onNews"]
  /** Those that are on now, as news of them calls them. */
  readonly lasting: () => ReadonlyArray<{ readonly id: string; readonly fault: Fault }>
}

/** One that has begun, and may be over already. */
export interface FaultHandle extends ActiveFault {
  /** When it was over; undefined while it lasts. */
  readonly endedMillis: () => number | undefined
}

export interface ActiveFault {
  /** As recordings call it, too: `fault-1`. */
  readonly id: string
  readonly fault: Fault
  readonly beganMillis: number
  /** When it ends by itself; undefined where that is not known. */
  readonly endsMillis: number | undefined
  /**
   * How many it has met until now, or until it was over: Pods, or of one that refuses or delays writes, those.
   * Undefined where it is of neither: one of a node, one of what is heard.
   */
  readonly met: () => number | undefined
  /** Ends it now. Nothing happens where it is over already. */
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

/** The names of all faults. */
export const faultNames: ReadonlyArray<string> = Object.keys(kinds)

/** A fault that lasts, as a snapshot holds it. */
interface Kept {
  readonly id: string
  readonly fault: Fault
  readonly beganMillis: number
  readonly endsMillis: number | undefined
  readonly timer: TimerPlace | undefined
  /** How many Pods it met as it began. */
  readonly met?: number
  /** What its kind knows of it. */
  readonly state: unknown
}

/** One that lasts here. */
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

  /** Hangs up a fault: one that begins, or has lasted in the world that this one goes on from. */
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
    // What a fault does to others has ended when they look at that instant.
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
        // It has never been, and its number is the next one's; unless another has come meanwhile.
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

/** A table by the fault's own name: TypeScript cannot see that the entry and the fault are of one kind. */
const kindOf = ({ fault: name }: Fault): FaultKind<never> => kinds[name] as object as FaultKind<never>

/** Undefined where it is a deed, which is over. */
const beginOne = (fault: Fault, world: FaultWorld): Effect.Effect<unknown, FaultRefused> =>
  kindOf(fault).begin(fault as never, world)

/** What a kind said of a fault as it began, or was saved, is what it is told here. */
const lastOf = (fault: Fault, world: FaultWorld, state: unknown): Lasting =>
  kindOf(fault).last?.(fault as never, world, state as never) ?? { end: Effect.void }
