import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { commandFields, deploymentFields } from "./steerLog.ts"
import { errorText } from "../kubernetes/meta/text/errorText.ts"
import { isFenceClosedError } from "./writeFence.ts"
import { makeActors } from "../runtime/actors/actors.ts"
import { makeClusterSnapshotParts } from "../runtime/snapshotParts.ts"
import { makeEventRecorder } from "../controllers/eventRecorder.ts"
import { reconcile } from "../runtime/reconciler/reconciler.ts"
import { resolveFeatureGates } from "../kubernetes/meta/featureGates.ts"
import { httpSources, withoutHooks } from "../steering/sources/httpSources.ts"
import { readStrategy } from "../steering/decodeStrategy.ts"
import { steeringController } from "../steering/steeringController.ts"
import { steeringMachine } from "../../machines/steering.ts"
import type { ClusterView, ObjectStore } from "../store/objectStore.ts"
import type { Command } from "../kubernetes/apps/commands.ts"
import type { CommandRefused, Controller } from "../runtime/reconciler/controller.ts"
import type { KubeObject } from "../kubernetes/meta/objects.ts"
import type { Kernel } from "../runtime/time/kernel.ts"
import type { resources } from "../kubernetes/meta/kinds.ts"
import type { Shadow } from "./shadow.ts"
import type { SteerMeter } from "./steerMetrics.ts"
import type { SteerOptions } from "./steerOptions.ts"

interface ControllerOptions {
  readonly options: SteerOptions
  readonly kernel: Kernel
  readonly view: ClusterView["Service"]
  readonly store: ObjectStore["Service"]
  readonly shadow: Shadow | undefined
  readonly meter: SteerMeter
}

export interface RunningController {
  /** Interrupts unanswered writes. */
  readonly stop: () => Promise<void>
}

export const runController = (controllerOptions: ControllerOptions): RunningController => {
  const { options, kernel, view, store, meter } = controllerOptions
  const { clock, log, strategies, gitManagers } = options
  const snapshotParts = makeClusterSnapshotParts()
  const run = Effect.gen(function* () {
    const actors = makeActors({ kernel })
    yield* Effect.addFinalizer(() => Effect.sync(actors.stopAll))
    const events = yield* makeEventRecorder({ store, view, kernel, snapshotParts })
    const services = {
      store,
      view,
      events,
      featureGates: resolveFeatureGates(),
      nowMillis: clock.nowMillis
    }
    const machine = steeringMachine(strategies)
    const controller = steeringController(services, {
      machine: () => machine,
      strategyReader: () => readStrategy,
      // In shadow mode no hook is called.
      sources: controllerOptions.shadow === undefined ? httpSources() : withoutHooks(httpSources()),
      ...(strategies === undefined ? {} : { strategies }),
      ...(gitManagers === undefined ? {} : { gitManagers })
    })
    yield* reconcile(withLog(controller, controllerOptions), {
      kernel,
      view,
      actors,
      snapshotParts: snapshotParts.forOwner("steering"),
      onDefect: (object, cause) =>
        Effect.sync(() => {
          const error = Cause.squash(cause)
          meter.count("actor_failures_total")
          log("error", "an actor failed and is made anew", {
            ...deploymentFields(object),
            error: errorText(error)
          })
        })
    })
    yield* Effect.never
  })
  const fiber = kernel.run(Effect.scoped(run))
  return {
    stop: () =>
      new Promise((resolve) => {
        fiber.addObserver(() => resolve())
        kernel.run(Fiber.interrupt(fiber))
      })
  }
}

type SteeringController = Controller<typeof resources.deployments>

const withLog = (
  controller: SteeringController,
  controllerOptions: ControllerOptions
): SteeringController => {
  const { shadow, meter, options } = controllerOptions
  const { log } = options
  /** In shadow mode, the commands last logged of each Deployment, by its uid. */
  const lastLoggedByUid = new Map<string, string>()
  const logPerformed = (object: KubeObject, commands: ReadonlyArray<Command>): void => {
    for (const command of commands) {
      meter.count("commands_total", { command: command.type })
      const fields = commandFields(command)
      if (fields !== undefined) log("info", "performed", { ...deploymentFields(object), ...fields })
    }
  }
  const logUnsent = (object: KubeObject, commands: ReadonlyArray<Command>): void => {
    const all = commands.map(commandFields).filter((fields) => fields !== undefined)
    const text = JSON.stringify(all)
    if (lastLoggedByUid.get(object.metadata.uid) === text) return
    lastLoggedByUid.set(object.metadata.uid, text)
    for (const fields of all) log("info", "would perform", { ...deploymentFields(object), ...fields })
  }
  const logRefused = (object: KubeObject, { command, error }: CommandRefused): void => {
    const reason = isFenceClosedError(error) ? "HeldBack" : error._tag
    meter.count("refusals_total", { command, reason })
    log(reasonsWithoutWarning.has(reason) ? "debug" : "warn", "refused", {
      ...deploymentFields(object),
      command,
      reason,
      error: error.message
    })
  }
  return {
    ...controller,
    perform: (deployment, commands) => {
      if (shadow?.isAfterUndo(deployment) === true) return Effect.void
      const logCommands = shadow === undefined ? logPerformed : logUnsent
      return controller.perform(deployment, commands).pipe(
        Effect.tap(() => Effect.sync(() => logCommands(deployment, commands))),
        Effect.tapError((refused) => Effect.sync(() => logRefused(deployment, refused)))
      )
    }
  }
}

/** Reasons of refusals after which the chart simply decides again. */
const reasonsWithoutWarning: ReadonlySet<string> = new Set([
  "AlreadyExists",
  "Conflict",
  "HeldBack",
  "NotFound"
])
