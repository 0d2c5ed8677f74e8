import * as Effect from "effect/Effect"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { createOwnedPods, deleteOwnedPod, performAllDespiteRefusals } from "../ownedPods.ts"
import { keyInNamespaceOf } from "../controllerServices.ts"
import { isRevisionCommand, performRevisionCommand } from "../revisionWrites.ts"
import { performRequest } from "../../runtime/reconciler/controller.ts"
import type { Command } from "../../kubernetes/apps/commands.ts"
import type { CommandRefused } from "../../runtime/reconciler/controller.ts"
import type { ControllerServices } from "../controllerServices.ts"
import type { DaemonSet, DaemonSetStatus } from "../../kubernetes/apps/daemonSets/daemonSetTypes.ts"
import type { StoreError } from "../../store/storeErrors.ts"

const component = "daemonset-controller"

/** Source: pkg/controller/daemon/daemon_controller.go (syncNodes). */
export const performDaemonSetCommand = (
  services: ControllerServices,
  daemonSet: DaemonSet,
  command: Command
): Effect.Effect<unknown, CommandRefused> => {
  if (isRevisionCommand(command)) return performRevisionCommand(services, daemonSet, command)
  switch (command.type) {
    case "createDaemonPods":
      return performRequest(
        command.type,
        createOwnedPods(services, { component, owner: daemonSet }, command.pods)
      )
    case "deleteDaemonPods":
      return performRequest(
        command.type,
        performAllDespiteRefusals(command.children, (child) =>
          deleteOwnedPod(services, { component, owner: daemonSet }, child)
        )
      )
    case "deleteFinishedPod": {
      const { child, nodeName, phase } = command
      const hasFailed = phase === "Failed"
      const podText = `daemon pod ${keyInNamespaceOf(daemonSet, child.name)} on node ${nodeName}`
      const foundEvent = services.events.record({
        component,
        about: daemonSet,
        event: hasFailed
          ? {
              eventType: "Warning",
              reason: "FailedDaemonPod",
              message: `Found failed ${podText}, will try to kill it`
            }
          : {
              eventType: "Normal",
              reason: "SucceededDaemonPod",
              message: `Found succeeded ${podText}, will try to delete it`
            }
      })
      return performRequest(
        command.type,
        Effect.andThen(foundEvent, deleteOwnedPod(services, { component, owner: daemonSet }, child))
      )
    }
    case "reportDaemonSet":
      return performRequest(command.type, report(services, daemonSet, command.status))
    default:
      return Effect.die(new Error(`not a command of a DaemonSet: ${command.type}`))
  }
}

const report = (
  { store }: ControllerServices,
  daemonSet: DaemonSet,
  status: DaemonSetStatus
): Effect.Effect<unknown, StoreError> => {
  const reportOn = (object: DaemonSet) => store.updateStatus({ ...object, status } as DaemonSet)
  const ref = { resource: resources.daemonSets, key: objectKeyOf(daemonSet) }
  return Effect.catch(reportOn(daemonSet), () => Effect.flatMap(store.get(ref), reportOn))
}
