import { compileIfPossible, isPartlyInterpreted } from "../../compiler/compile.ts"
import { SharedActorSystem } from "./sharedActorSystem.ts"
import { MacrostepReports } from "./macrostepReports.ts"
import { RunningActor } from "./runningActor.ts"
import { toXStateSnapshot } from "./actorState.ts"
import type { AnyActorLogic, AnyActorRef, AnyStateMachine, InspectionEvent } from "xstate"
import type { Command } from "../../kubernetes/apps/commands.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import type { Key, KubeObject } from "../../kubernetes/meta/objects.ts"
import type { Kernel } from "../time/kernel.ts"
import type { ActorState } from "./actorState.ts"
import type { SharedActorState } from "./runningActor.ts"
import type { ActorObserver } from "./actorObserver.ts"
import type { Timer, TimerPlace } from "../time/timerHeap.ts"

export interface ObjectActor {
  readonly uid: string
  readonly ref: AnyActorRef
  readonly send: (event: { readonly type: string }) => void
  readonly takeCommands: () => ReadonlyArray<Command>
  readonly stop: () => void
}

/** Actors by the uid of their object; a second actor of an object has an id made of the uid. */
export interface Actors {
  readonly make: (
    options: RootActorOptions & { readonly object: KubeObject; readonly uid?: string }
  ) => ObjectActor
  /** The actor is created on demand, or when one of its timers is due. */
  readonly restore: (
    options: RootActorOptions & { readonly uid: string; readonly key: Key },
    state: ActorState
  ) => void
  readonly get: (uid: string) => ObjectActor | undefined
  readonly stop: (uid: string) => void
  readonly stateOf: (uid: string, saveTimerPlace: (timer: Timer) => TimerPlace) => ActorState | undefined
  readonly all: () => Iterable<ObjectActor>
  /** The number of actors in a state that time alone ends (tag `moving`). */
  readonly movingCount: () => number
  readonly observer: ActorObserver | undefined
  /** The caller reports the actors that exist already. */
  readonly attachObserver: (observer: ActorObserver) => void
  readonly stopAll: () => void
}

interface RootActorOptions {
  readonly machine: () => AnyStateMachine
  readonly turnOrder: number
  /** The chart's delay whose timers repeat. */
  readonly repeatedDelay?: string | undefined
  readonly sharesActorSystem?: boolean | undefined
  /** Called when the actor emits a command or throws outside of `send`. */
  readonly onCommands: (key: Key) => void
}

interface ActorsOptions {
  readonly kernel: Kernel
  /** With an inspector, all charts run on XState's interpreter. */
  readonly inspect?: (event: InspectionEvent) => void
}

export const makeActors = ({ kernel, inspect }: ActorsOptions): Actors => {
  const shared: SharedActorState = {
    kernel,
    running: new Map(),
    movingCount: 0,
    observer: undefined,
    macrostepReports: new MacrostepReports()
  }
  const restoredActors = new Map<string, RestoredActor>()
  const logicByMachine = new Map<AnyStateMachine, AnyActorLogic>()
  const logicOf = (machine: AnyStateMachine): AnyActorLogic => {
    const existing = logicByMachine.get(machine)
    if (existing !== undefined) return existing
    const logic = inspect === undefined ? compileIfPossible(machine, shared.macrostepReports) : machine
    logicByMachine.set(machine, logic)
    return logic
  }
  const sharedSystems = new Map<AnyStateMachine, SharedActorSystem>()
  const sharedSystemOf = (
    machine: AnyStateMachine,
    { sharesActorSystem }: RootActorOptions
  ): SharedActorSystem | undefined => {
    if (sharesActorSystem !== true || inspect !== undefined || isPartlyInterpreted(machine)) return undefined
    const sharedSystem = sharedSystems.get(machine) ?? new SharedActorSystem()
    sharedSystems.set(machine, sharedSystem)
    return sharedSystem
  }
  const inspectionOf = (machine: AnyStateMachine, key: Key): object =>
    inspect === undefined ? {} : { inspect, id: `${machine.id}/${key}` }

  const start = (uid: string, key: Key, rootOptions: RootActorOptions, xstateOptions = {}): RunningActor => {
    const { turnOrder, repeatedDelay, onCommands } = rootOptions
    const machine = rootOptions.machine()
    const logic = logicOf(machine)
    const actor = new RunningActor({
      uid,
      key,
      logic,
      isInterpreted: logic === machine,
      turnOrder,
      repeatedDelay,
      onCommands,
      shared,
      sharedSystem: sharedSystemOf(machine, rootOptions),
      actorOptions: { ...inspectionOf(machine, key), ...xstateOptions }
    })
    shared.running.set(uid, actor)
    shared.observer?.actorStarted({ uid, key, ref: actor.ref })
    return actor
  }
  const startRestored = (uid: string): RunningActor | undefined => {
    const restored = restoredActors.get(uid)
    if (restored === undefined) return undefined
    restoredActors.delete(uid)
    if (restored.state.isMoving) shared.movingCount -= 1
    const actor = start(uid, restored.key, restored.rootOptions, {
      snapshot: toXStateSnapshot(restored.state)
    })
    actor.restoreCommandsAndTimers(restored.state, restored.timers)
    return actor
  }
  const get = (uid: string): RunningActor | undefined => shared.running.get(uid) ?? startRestored(uid)
  const stop = (uid: string): void => {
    const restored = restoredActors.get(uid)
    if (restored === undefined) return shared.running.get(uid)?.stop()
    restoredActors.delete(uid)
    if (restored.state.isMoving) shared.movingCount -= 1
    for (const timer of restored.timers) kernel.cancel(timer)
  }

  return {
    make: ({ object, uid = object.metadata.uid, ...rootOptions }) =>
      start(uid, objectKeyOf(object), rootOptions),
    restore: ({ uid, key, ...rootOptions }, state) => {
      const timers = state.timers.map(({ place }, index) => {
        const timer: Timer = kernel.resume(place, () => {
          startRestored(uid)
          // `restoreCommandsAndTimers` has given the timer the actor's own callback.
          restored.timers[index]?.run()
        })
        return timer
      })
      const restored: RestoredActor = { rootOptions, key, state, timers }
      if (state.isMoving) shared.movingCount += 1
      restoredActors.set(uid, restored)
    },
    get,
    stop,
    stateOf: (uid, saveTimerPlace) =>
      shared.running.get(uid)?.save(saveTimerPlace) ??
      stateOfRestored(restoredActors.get(uid), saveTimerPlace),
    all: () => {
      for (const uid of restoredActors.keys()) startRestored(uid)
      return shared.running.values()
    },
    movingCount: () => shared.movingCount,
    get observer() {
      return shared.observer
    },
    attachObserver: (observer) => {
      shared.observer = observer
      shared.macrostepReports.attach(observer.macrostepTaken)
    },
    stopAll: () => {
      for (const uid of [...restoredActors.keys(), ...shared.running.keys()]) stop(uid)
    }
  }
}

interface RestoredActor {
  readonly rootOptions: RootActorOptions
  readonly key: Key
  readonly state: ActorState
  readonly timers: ReadonlyArray<Timer>
}

const stateOfRestored = (
  restored: RestoredActor | undefined,
  saveTimerPlace: (timer: Timer) => TimerPlace
): ActorState | undefined => {
  // The snapshot counts the saved places, to notice a missing one.
  for (const timer of restored?.timers ?? []) saveTimerPlace(timer)
  return restored?.state
}
