import * as Effect from "effect/Effect"
import { isNamespaceTerminating } from "../../store/storeErrors.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { isGone, keyInNamespaceOf } from "../controllerServices.ts"
import { isRevisionCommand, performRevisionCommand } from "../revisionWrites.ts"
import { performRequest } from "../../runtime/reconciler/controller.ts"
import type { Command } from "../../kubernetes/apps/commands.ts"
import type { CommandRefused } from "../../runtime/reconciler/controller.ts"
import type { ControllerServices } from "../controllerServices.ts"
import type { DaemonPodDraft } from "../../kubernetes/apps/daemonSets/daemonPods.ts"
import type { DaemonSet, DaemonSetStatus } from "../../kubernetes/apps/daemonSets/daemonSetTypes.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { ObjectIdentity } from "../../kubernetes/apps/sharedCommands.ts"
import type { StoreError } from "../../store/storeErrors.ts"

const component = "daemonset-controller"

/**
 * The writes of a DaemonSet's actor, each with its Event.
 *
 * Source: pkg/controller/daemon/daemon_controller.go (syncNodes), pkg/controller/controller_utils.go (RealPodControl).
 */
export const performDaemonSetCommand = (
  services: ControllerServices,
  daemonSet: DaemonSet,
  command: Command
): Effect.Effect<unknown, CommandRefused> => {
  if (isRevisionCommand(command)) return performRevisionCommand(services, daemonSet, command)
  switch (command.type) {
    case "createDaemonPods":
      return performRequest(command.type, createPods(services, daemonSet, command.pods))
    case "deleteDaemonPods":
      return performRequest(
        command.type,
        Effect.forEach(command.children, (child) => deletePod(services, daemonSet, child), { discard: true })
      )
    case "deleteFinishedPod": {
      const { child, nodeName, phase } = command
      const hasFailed = phase === "Failed"
      const place = `daemon pod ${keyInNamespaceOf(daemonSet, child.name)} on node ${nodeName}`
      const found = services.events.record({
        component,
        about: daemonSet,
        event: hasFailed
          ? {
              eventType: "Warning",
              reason: "FailedDaemonPod",
              message: `Found failed ${place}, will try to kill it`
            }
          : {
              eventType: "Normal",
              reason: "SucceededDaemonPod",
              message: `Found succeeded ${place}, will try to delete it`
            }
      })
      return performRequest(command.type, Effect.andThen(found, deletePod(services, daemonSet, child)))
    }
    case "reportDaemonSet":
      return performRequest(command.type, report(services, daemonSet, command.status))
    default:
      return Effect.die(new Error(`not a command of a DaemonSet: ${command.type}`))
  }
}

/** Up to the first that is refused. A terminating namespace refuses every Pod, which is no failure. */
const createPods = Effect.fnUntraced(function* (
  { store, view, events }: ControllerServices,
  daemonSet: DaemonSet,
  drafts: ReadonlyArray<DaemonPodDraft>
): Effect.fn.Return<void, StoreError> {
  let last: KubeObject | undefined
  for (const draft of drafts) {
    const created = yield* Effect.catch(store.create(draft), (error: StoreError) => Effect.succeed(error))
    const isCreated = "metadata" in created
    if (!isCreated && isNamespaceTerminating(created)) return
    yield* events.record({
      component,
      about: daemonSet,
      event: isCreated
        ? {
            eventType: "Normal",
            reason: "SuccessfulCreate",
            message: `Created pod: ${created.metadata.name}`
          }
        : { eventType: "Warning", reason: "FailedCreate", message: `Error creating: ${created.message}` }
    })
    if (!isCreated) return yield* Effect.fail(created)
    last = created
  }
  if (last !== undefined) yield* view.waitForVersion(last.metadata.resourceVersion)
})

const deletePod = (
  { store, events }: ControllerServices,
  daemonSet: DaemonSet,
  { name, uid }: ObjectIdentity
): Effect.Effect<void, StoreError> => {
  const ref = { resource: resources.pods, key: keyInNamespaceOf(daemonSet, name) }
  const told = (eventType: "Normal" | "Warning", reason: string, message: string) =>
    events.record({ component, about: daemonSet, event: { eventType, reason, message } })
  return Effect.matchEffect(store.delete(ref, { preconditions: { uid } }), {
    onSuccess: () => told("Normal", "SuccessfulDelete", `Deleted pod: ${name}`),
    onFailure: (error) =>
      isGone(error)
        ? Effect.void
        : Effect.andThen(
            told("Warning", "FailedDelete", `Error deleting: ${error.message}`),
            Effect.fail(error)
          )
  })
}

/** A refused status write is retried once, on the DaemonSet in the store. */
const report = (
  { store }: ControllerServices,
  daemonSet: DaemonSet,
  status: DaemonSetStatus
): Effect.Effect<unknown, StoreError> => {
  const reportOn = (object: DaemonSet) => store.updateStatus({ ...object, status } as DaemonSet)
  const ref = { resource: resources.daemonSets, key: objectKeyOf(daemonSet) }
  return Effect.catch(reportOn(daemonSet), () => Effect.flatMap(store.get(ref), reportOn))
}
