import * as Effect from "effect/Effect"
import { kindOf } from "./kinds/faultKinds.ts"
import { firstRank } from "../runtime/time/kernel.ts"
import { toDurationMillis } from "../kubernetes/meta/amounts/durations.ts"
import { makeFaultChanges } from "./faultChanges.ts"
import { makeHeldValues } from "./heldValues.ts"
import { noSnapshotMemory } from "../runtime/snapshotMemory.ts"
import type { Pod } from "../kubernetes/meta/objects.ts"
import type { PodLife } from "../kubernetes/pods/podLife.ts"
import type { PodFaults } from "./pods/podFaults.ts"
import type { Fault, FaultGiven } from "./fault.ts"
import type { FaultContext, FaultEffect } from "./faultKind.ts"
import type { FaultRefused } from "./faultRefused.ts"
import type { FaultChanges } from "./faultChanges.ts"
import type { SnapshotMemory } from "../runtime/snapshotMemory.ts"
import type { Timer, TimerPlace } from "../runtime/time/timerHeap.ts"

/** What faults do to Pods, to measure which requests fail. */
interface PodFaultEffects {
  /** The Pod's life with the faults that affect it. */
  readonly lifeOf: (pod: Pod) => PodLife
  /** Calls back when a fault begins or ends for a Pod. Returns how to unsubscribe. */
  readonly onPodChange: PodFaults["onPodChange"]
}

export interface Faults {
  /** Begins a fault now. `isValidated`: the fault has been validated already. */
  readonly begin: (
    fault: FaultGiven,
    options?: { readonly isValidated?: boolean }
  ) => Effect.Effect<FaultHandle, FaultRefused>
  /** The active faults, oldest first. A fault without duration, such as `kill`, is never active. */
  readonly active: () => ReadonlyArray<ActiveFault>
  /** Whether the fault keeps the cluster moving until it is ended by hand. */
  readonly keepsMoving: (fault: ActiveFault) => boolean
  /** For measuring what the clients of a Service lose. */
  readonly podEffects: PodFaultEffects
}

/** Faults for callers that run on the cluster's timeline already; `begin` takes a validated fault. */
export interface TimelineFaults extends Omit<Faults, "begin"> {
  readonly begin: (fault: Fault) => Effect.Effect<FaultHandle, FaultRefused>
  /** How many active faults end by themselves or keep the cluster moving. */
  readonly movingCount: () => number
  /** Calls back when a fault begins or ends. Returns how to unsubscribe. */
  readonly onFaultChange: FaultChanges["onFaultChange"]
  /** The active faults, for recordings. */
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
  /** How many Pods or writes it has affected so far; undefined for faults of nodes, watches and controllers. */
  readonly met: () => number | undefined
  /** Ends the fault now; does nothing if it has ended. */
  readonly end: Effect.Effect<void>
}

interface ActiveFaultState {
  readonly id: string
  readonly fault: Fault
  readonly beganMillis: number
  readonly endsMillis: number | undefined
  /** Where the timer that ends it stands on the timeline. */
  readonly timer: TimerPlace | undefined
  /** How many Pods it affected when it began, if it said so; one that goes on counting has its count in `state`. */
  readonly met?: number
  /** What `begin` or `save` of its `FaultKind` has returned. */
  readonly state: unknown
}

interface SavableFault extends ActiveFault {
  readonly save: () => ActiveFaultState
}

export const makeFaults = (
  context: Omit<FaultContext, "reportMet" | "endItself" | "heldValues"> & Pick<PodFaultEffects, "lifeOf">,
  memory: SnapshotMemory = noSnapshotMemory
): TimelineFaults => {
  const { kernel } = context
  const active = new Set<SavableFault>()
  // The originals of values that several faults change at once.
  const heldValues = makeHeldValues()
  const { publish, onFaultChange } = makeFaultChanges()
  let faultCount = 0

  const addActive = (
    { id, fault, beganMillis, endsMillis, met: metAtBegin, state }: Omit<ActiveFaultState, "timer">,
    setTimer: ((run: () => void) => Timer) | undefined
  ): { readonly effect: FaultEffect; readonly handle: FaultHandle } => {
    let isOver = false
    let metAtEnd: number | undefined
    let endedMillis: number | undefined
    let timer: Timer | undefined
    const stop = Effect.suspend(() => {
      if (isOver) return Effect.void
      isOver = true
      endedMillis = kernel.nowMillis()
      metAtEnd = metNow()
      active.delete(savable)
      if (timer !== undefined) kernel.cancel(timer)
      timer = undefined
      publish({ change: "ENDED", id, fault })
      return effect.end
    })
    const endNow = (): void => void kernel.run(stop)
    const effect = makeLasting(
      fault,
      { ...context, heldValues, reportMet: () => {}, endItself: endNow },
      state
    )
    const metNow = (): number | undefined => effect.met?.() ?? metAtBegin
    const save = (): ActiveFaultState => {
      const place = timer === undefined ? undefined : memory.timerPlaceOf(timer)
      const savedState = effect.save?.(memory.timerPlaceOf) ?? state
      const met = metAtBegin === undefined ? {} : { met: metAtBegin }
      return { id, fault, beganMillis, endsMillis, timer: place, ...met, state: savedState }
    }
    const met = (): number | undefined => (isOver ? metAtEnd : metNow())
    const activeFault: ActiveFault = { id, fault, beganMillis, endsMillis, met, end: stop }
    const savable: SavableFault = { ...activeFault, save }
    active.add(savable)
    // Ends before the actors look at that instant.
    timer = setTimer?.(() => {
      timer = undefined
      endNow()
    })
    return { effect, handle: { ...activeFault, endedMillis: () => endedMillis } }
  }

  const begin: TimelineFaults["begin"] = Effect.fnUntraced(function* (fault) {
    const forMillis = fault.for === undefined ? undefined : toDurationMillis(fault.for, "for")
    const beganMillis = kernel.nowMillis()
    const endsMillis = forMillis === undefined ? undefined : beganMillis + forMillis
    let met: number | undefined
    const setMet = (pods: number): void => {
      met = pods
    }
    const number = (faultCount += 1)
    const id = `fault-${number}`
    const identity = { id, fault, beganMillis }
    publish({ change: "BEGAN", id, fault })
    const beginning = kindOf(fault).begin(fault, {
      ...context,
      heldValues,
      reportMet: setMet,
      endItself: () => {}
    })
    const state = yield* Effect.tapError(beginning, () =>
      Effect.sync(() => {
        // The next fault gets the id of the refused one, unless another fault has begun meanwhile.
        if (faultCount === number) faultCount -= 1
        publish({ change: "REFUSED", id, fault })
      })
    )
    if (state === undefined) {
      publish({ change: "ENDED", id, fault })
      const ended = { endsMillis: beganMillis, end: Effect.void, endedMillis: () => beganMillis }
      return { ...identity, ...ended, met: () => met }
    }
    const setTimer =
      forMillis === undefined ? undefined : (run: () => void) => kernel.after(forMillis, firstRank, run)
    const metAtBegin = met === undefined ? {} : { met }
    const { effect, handle } = addActive({ ...identity, endsMillis, ...metAtBegin, state }, setTimer)
    // Only once: a fault that is restored from a snapshot has done this already.
    if (effect.first !== undefined) yield* effect.first
    return handle
  })

  memory.registerPart<number>("begun", {
    save: () => (faultCount === 0 ? undefined : faultCount),
    restore: (count) => {
      faultCount = count
    }
  })
  memory.registerPart("holds", { save: heldValues.save, restore: heldValues.restore })
  memory.registerPart<ReadonlyArray<ActiveFaultState>>("lasting", {
    save: () => (active.size === 0 ? undefined : Array.from(active, ({ save }) => save())),
    restore: (savedFaults) => {
      for (const { timer: place, ...saved } of savedFaults) {
        addActive(saved, place === undefined ? undefined : (run) => kernel.resume(place, run))
      }
    }
  })
  const movingCount = (): number => {
    let count = 0
    for (const it of active) if (it.endsMillis !== undefined || keepsMoving(it)) count += 1
    return count
  }
  const podEffects = { lifeOf: context.lifeOf, onPodChange: context.podFaults.onPodChange }
  const lasting = () => Array.from(active, ({ id, fault }) => ({ id, fault }))
  const withoutSave = ({ save: _save, ...it }: SavableFault): ActiveFault => it
  return {
    begin,
    active: () => Array.from(active, withoutSave),
    keepsMoving,
    podEffects,
    movingCount,
    onFaultChange,
    lasting
  }
}

const keepsMoving = ({ fault, endsMillis }: ActiveFault): boolean =>
  kindOf(fault).neverSettles === true && endsMillis === undefined

/** `state` comes from `begin` or `save` of the same kind. */
const makeLasting = (fault: Fault, context: FaultContext, state: unknown): FaultEffect =>
  kindOf(fault).makeLasting?.(fault, context, state as never) ?? { end: Effect.void }
