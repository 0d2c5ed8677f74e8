import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { noSnapshotParts } from "../snapshotParts.ts"
import { makeControllerPace, ControllerPace } from "./controllerPace.ts"
import type { SnapshotParts } from "../snapshotParts.ts"

export interface Supervisor<Name extends string> {
  /** A disabled controller never starts, but faults may name it. */
  readonly supervise: (
    name: Name,
    run: Effect.Effect<unknown, never, Scope.Scope>,
    isEnabled?: boolean
  ) => Effect.Effect<void>
  readonly stop: (name: Name) => Effect.Effect<void>
  readonly start: (name: Name) => Effect.Effect<void>
  readonly restart: (name: Name) => Effect.Effect<void>
  /** The longest of several delays counts. */
  readonly slow: (name: Name, millis: number) => () => void
  readonly isRunning: (name: Name) => boolean
  readonly delayedKeyCount: () => number
}

interface Supervised {
  readonly run: Effect.Effect<unknown, never, Scope.Scope>
  readonly isEnabled: boolean
  readonly pace: ControllerPace
  readonly delays: Array<number>
  scope: Scope.Closeable | undefined
  stopCount: number
}

export const makeSupervisor = Effect.fnUntraced(function* <Name extends string>(
  snapshotParts: SnapshotParts = noSnapshotParts
): Effect.fn.Return<Supervisor<Name>, never, Scope.Scope> {
  const parent = yield* Effect.scope
  const controllers = new Map<Name, Supervised>()
  const restoredStopCounts = new Map<Name, number>()
  snapshotParts.registerPart<ReadonlyArray<readonly [Name, number]>>("stopped", {
    save: () =>
      [...controllers].flatMap(([name, { stopCount }]) =>
        stopCount > 0 ? [[name, stopCount] as const] : []
      ),
    restore: (state) => {
      for (const [name, stopCount] of state) restoredStopCounts.set(name, stopCount)
    }
  })

  const controllerOf = (name: Name): Supervised => {
    const controller = controllers.get(name)
    if (controller === undefined) throw new Error(`there is no controller ${name}`)
    return controller
  }
  const startController = Effect.fnUntraced(function* (controller: Supervised) {
    if (!controller.isEnabled || controller.scope !== undefined || controller.stopCount > 0) return
    const scope = yield* Scope.fork(parent)
    controller.scope = scope
    yield* controller.run.pipe(
      Effect.provideService(Scope.Scope, scope),
      Effect.provideService(ControllerPace, controller.pace)
    )
  })
  const stopController = Effect.fnUntraced(function* (controller: Supervised) {
    const { scope } = controller
    if (scope === undefined) return
    controller.scope = undefined
    yield* Scope.close(scope, Exit.void)
  })

  return {
    supervise: (name, run, isEnabled = true) => {
      const pace = makeControllerPace()
      const controller: Supervised = {
        run,
        isEnabled,
        pace,
        delays: [],
        scope: undefined,
        stopCount: restoredStopCounts.get(name) ?? 0
      }
      controllers.set(name, controller)
      return startController(controller)
    },
    stop: Effect.fnUntraced(function* (name: Name) {
      const controller = controllerOf(name)
      controller.stopCount += 1
      yield* stopController(controller)
    }),
    start: (name) =>
      Effect.suspend(() => {
        const controller = controllerOf(name)
        controller.stopCount -= 1
        return startController(controller)
      }),
    restart: Effect.fnUntraced(function* (name: Name) {
      const controller = controllerOf(name)
      yield* stopController(controller)
      yield* startController(controller)
    }),
    slow: (name, millis) => {
      const { delays, pace } = controllerOf(name)
      delays.push(millis)
      pace.delayMillis = Math.max(...delays)
      return () => {
        delays.splice(delays.indexOf(millis), 1)
        pace.delayMillis = Math.max(0, ...delays)
      }
    },
    isRunning: (name) => controllerOf(name).scope !== undefined,
    delayedKeyCount: () => {
      let sum = 0
      for (const { pace } of controllers.values()) {
        sum += pace.delayedKeyCount
        for (const countDelayedWakes of pace.delayedWakeCounters) sum += countDelayedWakes()
      }
      return sum
    }
  }
})
