import * as Effect from "effect/Effect"
import { isSameValue } from "../kubernetes/meta/semanticEquality.ts"
import {
  recordAnnotation,
  completedAnnotation,
  steeredCondition,
  steeringManager
} from "../kubernetes/steering/steeringNames.ts"
import { steeringRecordText } from "../kubernetes/steering/steeringRecord.ts"
import { toCommandRefused } from "../runtime/reconciler/controller.ts"
import { withCondition, withoutCondition } from "../kubernetes/meta/conditions.ts"
import { withTemplateOnly } from "../kubernetes/apps/revisions/rollback.ts"
import type { Annotations, Deployment, KubeObject } from "../kubernetes/meta/objects.ts"
import type { Command } from "../kubernetes/apps/commands.ts"
import type { CommandRefused } from "../runtime/reconciler/controller.ts"
import type { ControllerServices } from "../controllers/controllerServices.ts"
import type { StoreError } from "../store/storeErrors.ts"
import type { SteeringCommand } from "../kubernetes/steering/steeringCommands.ts"

/**
 * Performs the commands of one look. Each write has the resource version that the look saw, or that of the write before
 * it: when the object was written in between it is refused, and another look decides.
 */
export const performSteering = Effect.fnUntraced(function* (
  services: ControllerServices,
  deployment: Deployment,
  commands: ReadonlyArray<Command>
): Effect.fn.Return<void, CommandRefused> {
  let current = deployment
  let lastVersion: string | undefined
  const perform = Effect.gen(function* () {
    for (const command of commands) {
      if (command.type === "recordEvent") {
        yield* services.events.record({ component: steeringManager, about: deployment, event: command })
        continue
      }
      const request = writeOf(services, current, command)
      if (request === undefined)
        return yield* Effect.die(new Error(`not a command of steering: ${command.type}`))
      const written = yield* Effect.mapError(request, toCommandRefused(command.type))
      if (written.kind === "Deployment") current = written as Deployment
      lastVersion = written.metadata.resourceVersion
    }
  })
  const exit = yield* Effect.exit(perform)
  if (lastVersion !== undefined) yield* services.view.waitForVersion(lastVersion)
  return yield* exit
})

const writeOf = (
  { store, nowMillis }: ControllerServices,
  deployment: Deployment,
  command: Command
): Effect.Effect<KubeObject, StoreError> | undefined => {
  switch (command.type) {
    case "recordSteering":
      return store.update(recordedDeployment(deployment, command))
    case "markComplete": {
      const { replicaSet, mark } = command
      return store.update({
        ...replicaSet,
        metadata: {
          ...replicaSet.metadata,
          annotations: { ...replicaSet.metadata.annotations, [completedAnnotation]: mark }
        }
      })
    }
    case "reportSteering": {
      const present = deployment.status.conditions ?? []
      const conditions =
        command.condition === undefined
          ? withoutCondition(present, steeredCondition)
          : withCondition(present, command.condition, { nowMillis: nowMillis(), refresh: true })
      if (isSameValue(present, conditions)) return Effect.succeed(deployment)
      return store.updateStatus({
        ...deployment,
        status: { ...deployment.status, conditions }
      } as Deployment)
    }
    default:
      return undefined
  }
}

const recordedDeployment = (
  deployment: Deployment,
  { record, removes = [], undoTo }: Extract<SteeringCommand, { readonly type: "recordSteering" }>
): Deployment => {
  const kept: Annotations = Object.fromEntries(
    Object.entries(deployment.metadata.annotations ?? {}).filter(
      ([name]) => name !== recordAnnotation && !removes.includes(name)
    )
  )
  const annotations =
    record === undefined ? kept : { ...kept, [recordAnnotation]: steeringRecordText(record) }
  const recorded = { ...deployment, metadata: { ...deployment.metadata, annotations } }
  return undoTo === undefined ? recorded : withTemplateOnly(recorded, undoTo)
}
