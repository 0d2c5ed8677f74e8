import * as Effect from "effect/Effect"
import { kindOf } from "./kinds/faultKinds.ts"
import { firstTurnOrder } from "../runtime/time/kernel.ts"
import { toDurationMillis } from "../kubernetes/meta/amounts/durations.ts"
import { makeFaultChanges } from "./faultChanges.ts"
import { makeNodeValuesBeforeFaults } from "./nodeValuesBeforeFaults.ts"
import { noSnapshotParts } from "../runtime/snapshotParts.ts"
import type { Pod } from "../kubernetes/meta/objects.ts"
import type { PodLife } from "../kubernetes/pods/podLife.ts"
import type { PodFaults } from "./pods/podFaults.ts"
import type { Fault, FaultGiven } from "./fault.ts"
import type { FaultContext, FaultEffect } from "./faultKind.ts"
import type { FaultRefused } from "./faultRefused.ts"
import type { FaultChanges } from "./faultChanges.ts"
import type { SnapshotParts } from "../runtime/snapshotParts.ts"
import type { Timer, TimerPlace } from "../runtime/time/timerHeap.ts"

/** Which Pods faults affect, and how: the ledger of a story computes from it which requests are lost. */
interface PodFaultEffects {
  /** A Pod's life by its behaviour and by the active faults. */
  readonly lifeOf: (pod: Pod) => PodLife
  /** Subscribes to the Pods whose life a fault changes. */
  readonly onPodChange: PodFaults["onPodChange"]
}

export interface Faults {
  /** Begins a fault now. `isValidated`: skips the validation. */
  readonly begin: (
    fault: FaultGiven,
    options?: { readonly isValidated?: boolean }
  ) => Effect.Effect<FaultHandle, FaultRefused>
  /** Oldest first. A fault that happens at once, such as `kill`, is never active. */
  readonly active: () => ReadonlyArray<ActiveFault>
  /** Whether the cluster does not settle before a caller ends the fault. */
  readonly keepsMoving: (fault: ActiveFault) => boolean
  readonly podEffects: PodFaultEffects
}

/** For code on the cluster's timeline; `faultsForUsers` makes `Faults` for users. */
export interface TimelineFaults extends Omit<Faults, "begin"> {
  readonly begin: (fault: Fault) => Effect.Effect<FaultHandle, FaultRefused>
  /** How many active faults end by themselves or keep the cluster moving. */
  readonly movingCount: () => number
  readonly onFaultChange: FaultChanges["onFaultChange"]
}

export interface FaultHandle extends ActiveFault {
  /** Undefined while the fault lasts. */
  readonly endedMillis: () => number | undefined
}

export interface ActiveFault {
  readonly id: string
  readonly fault: Fault
  readonly beganMillis: number
  /** Undefined if no end is known. */
  readonly endsMillis: number | undefined
  /** Count of Pods or writes affected so far; undefined for faults of nodes, watches and controllers. */
  readonly met: () => number | undefined
  readonly end: Effect.Effect<void>
}

interface ActiveFaultState {
  readonly id: string
  readonly fault: Fault
  readonly beganMillis: number
  readonly endsMillis: number | undefined
  readonly timer: TimerPlace | undefined
  /** Pods affected at the beginning. A fault that goes on counting has its count in `state`. */
  readonly met?: number
  /** From `begin` or `save` of the fault's `FaultKind`. */
  readonly state: unknown
}

interface SavableActiveFault extends ActiveFault {
  readonly save: () => ActiveFaultState
}

export const makeFaults = (
  context: Omit<FaultContext, "reportAffectedPods" | "endThisFault" | "nodeValuesBeforeFaults"> &
    Pick<PodFaultEffects, "lifeOf">,
  snapshotParts: SnapshotParts = noSnapshotParts
): TimelineFaults => {
  const { kernel } = context
  const active = new Set<SavableActiveFault>()
  const nodeValuesBeforeFaults = makeNodeValuesBeforeFaults()
  const { publish, onFaultChange } = makeFaultChanges()
  let faultCount = 0

  const addActive = (
    { id, fault, beganMillis, endsMillis, met: affectedAtBegin, state }: Omit<ActiveFaultState, "timer">,
    setTimer: ((run: () => void) => Timer) | undefined
  ): { readonly effect: FaultEffect; readonly handle: FaultHandle } => {
    let isOver = false
    let affectedAtEnd: number | undefined
    let endedMillis: number | undefined
    let timer: Timer | undefined
    const stop = Effect.suspend(() => {
      if (isOver) return Effect.void
      isOver = true
      endedMillis = kernel.nowMillis()
      affectedAtEnd = affectedNow()
      active.delete(savable)
      if (timer !== undefined) kernel.cancel(timer)
      timer = undefined
      publish({ change: "ENDED", id, fault })
      return effect.end
    })
    const endNow = (): void => void kernel.run(stop)
    const effect = makeLasting(
      fault,
      { ...context, nodeValuesBeforeFaults, reportAffectedPods: () => {}, endThisFault: endNow },
      state
    )
    const affectedNow = (): number | undefined => effect.affectedCount?.() ?? affectedAtBegin
    const save = (): ActiveFaultState => {
      const place = timer === undefined ? undefined : snapshotParts.saveTimerPlace(timer)
      const savedState = effect.save?.(snapshotParts.saveTimerPlace) ?? state
      const met = affectedAtBegin === undefined ? {} : { met: affectedAtBegin }
      return { id, fault, beganMillis, endsMillis, timer: place, ...met, state: savedState }
    }
    const met = (): number | undefined => (isOver ? affectedAtEnd : affectedNow())
    const activeFault: ActiveFault = { id, fault, beganMillis, endsMillis, met, end: stop }
    const savable: SavableActiveFault = { ...activeFault, save }
    active.add(savable)
    // By its turn order the fault ends before the actors look at that instant.
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
    let affectedPods: number | undefined
    const faultNumber = (faultCount += 1)
    const id = `fault-${faultNumber}`
    const identity = { id, fault, beganMillis }
    publish({ change: "BEGAN", id, fault })
    const beginning = kindOf(fault).begin(fault, {
      ...context,
      nodeValuesBeforeFaults,
      reportAffectedPods: (pods) => {
        affectedPods = pods
      },
      // Only the lasting fault that `makeLasting` makes can be ended.
      endThisFault: () => {}
    })
    const state = yield* Effect.tapError(beginning, () =>
      Effect.sync(() => {
        // The refused fault's id is free again, unless another fault has begun meanwhile.
        if (faultCount === faultNumber) faultCount -= 1
        publish({ change: "REFUSED", id, fault })
      })
    )
    if (state === undefined) {
      publish({ change: "ENDED", id, fault })
      const ended = { endsMillis: beganMillis, end: Effect.void, endedMillis: () => beganMillis }
      return { ...identity, ...ended, met: () => affectedPods }
    }
    const setTimer =
      forMillis === undefined ? undefined : (run: () => void) => kernel.after(forMillis, firstTurnOrder, run)
    const metAtBegin = affectedPods === undefined ? {} : { met: affectedPods }
    const { effect, handle } = addActive({ ...identity, endsMillis, ...metAtBegin, state }, setTimer)
    // A restore from a snapshot does not run it again.
    if (effect.runOnce !== undefined) yield* effect.runOnce
    return handle
  })

  snapshotParts.registerPart<number>("begun", {
    save: () => (faultCount === 0 ? undefined : faultCount),
    restore: (count) => {
      faultCount = count
    }
  })
  snapshotParts.registerPart("holds", {
    save: nodeValuesBeforeFaults.save,
    restore: nodeValuesBeforeFaults.restore
  })
  snapshotParts.registerPart<ReadonlyArray<ActiveFaultState>>("lasting", {
    save: () => (active.size === 0 ? undefined : Array.from(active, ({ save }) => save())),
    restore: (savedFaults) => {
      for (const { timer: place, ...saved } of savedFaults) {
        addActive(saved, place === undefined ? undefined : (run) => kernel.resume(place, run))
      }
    }
  })
  const movingCount = (): number => {
    let count = 0
    for (const activeFault of active)
      if (activeFault.endsMillis !== undefined || keepsMoving(activeFault)) count += 1
    return count
  }
  const podEffects = { lifeOf: context.lifeOf, onPodChange: context.podFaults.onPodChange }

  const withoutSave = ({ save: _save, ...activeFault }: SavableActiveFault): ActiveFault => activeFault
  return {
    begin,
    active: () => Array.from(active, withoutSave),
    keepsMoving,
    podEffects,
    movingCount,
    onFaultChange
  }
}

const keepsMoving = ({ fault, endsMillis }: ActiveFault): boolean =>
  kindOf(fault).neverSettles === true && endsMillis === undefined

const makeLasting = (fault: Fault, context: FaultContext, state: unknown): FaultEffect =>
  kindOf(fault).makeLasting?.(fault, context, state as never) ?? { end: Effect.void }
