import * as Effect from "effect/Effect"
import { controllerOf } from "../kubernetes/meta/ownerReferences.ts"
import { isApproved } from "../kubernetes/steering/podApproval.ts"
import { isPodActive } from "../kubernetes/pods/podState.ts"
import { keyInNamespaceOf } from "../controllers/controllerServices.ts"
import { performRequest } from "../runtime/reconciler/controller.ts"
import { recordEvent } from "../kubernetes/apps/sharedCommands.ts"
import { recordOf } from "../kubernetes/steering/steeringRecord.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import { steeringManager } from "../kubernetes/steering/steeringNames.ts"
import { withSteeringRecord } from "../kubernetes/steering/steeringWrites.ts"
import type { CommandRefused } from "../runtime/reconciler/controller.ts"
import type { ControllerServices } from "../controllers/controllerServices.ts"
import type { Deployment, KubeObject } from "../kubernetes/meta/objects.ts"
import type { HookJobDraft } from "../kubernetes/steering/steeringCommands.ts"
import type { SteeringRecord } from "../kubernetes/steering/steeringRecord.ts"

export interface WrittenSoFar {
  deployment: Deployment
  lastVersion: string | undefined
}

export const noteWritten = (written: WrittenSoFar, object: KubeObject): void => {
  if (object.kind === "Deployment") written.deployment = object as Deployment
  written.lastVersion = object.metadata.resourceVersion
}

/** Later looks find the record, so that the Event is written once. */
const recordRefusal = (
  { store, events }: ControllerServices,
  written: WrittenSoFar,
  record: SteeringRecord,
  { reason, message }: { readonly reason: string; readonly message: string }
): Effect.Effect<unknown, CommandRefused> => {
  const recorded = withSteeringRecord(written.deployment, { type: "recordSteering", record })
  return Effect.andThen(
    performRequest(
      "recordSteering",
      Effect.map(store.update(recorded), (object) => noteWritten(written, object))
    ),
    Effect.suspend(() =>
      events.record({
        component: steeringManager,
        about: written.deployment,
        event: recordEvent("Warning", reason, message)
      })
    )
  )
}

const missingRightsHint = "give charthouse steer the rights that charthouse steer manifests prints"

export const recordUndeletableJob = (
  services: ControllerServices,
  written: WrittenSoFar,
  name: string
): Effect.Effect<unknown, CommandRefused> => {
  const record = recordOf(written.deployment)
  if (record === undefined) return Effect.void
  const leftJobs = [...(record.leftJobs ?? []), name]
  const message = `Job ${name} runs on: deleting it is forbidden. Delete it, and ${missingRightsHint}`
  return recordRefusal(services, written, { ...record, leftJobs }, { reason: "HookNotStopped", message })
}

/** Other errors, such as a conflict or a lost connection, are gone at the next attempt. */
const lastingErrors: ReadonlySet<string> = new Set(["Forbidden", "Invalid", "BadRequest", "InternalError"])

const isLasting = ({ error }: CommandRefused): boolean => lastingErrors.has(error._tag)

/** Quotas and webhooks forbid requests, too. */
const whyRefused = ({ error: { message } }: CommandRefused): string =>
  /cannot \w+ resource/u.test(message) ? `${message}. To allow it, ${missingRightsHint}` : message

export const recordRefusedApproval = Effect.fnUntraced(function* (
  services: ControllerServices,
  written: WrittenSoFar,
  podName: string,
  refused: CommandRefused
): Effect.fn.Return<void, CommandRefused> {
  const record = recordOf(written.deployment)
  if (record === undefined || !isLasting(refused)) return
  const { refusedApproval } = record
  if (refusedApproval !== undefined && (yield* waitsForApproval(services, written, refusedApproval.name)))
    return
  const why = `Pod ${podName} cannot be approved: ${whyRefused(refused)}`
  const at = new Date(services.nowMillis()).toISOString()
  yield* recordRefusal(
    services,
    written,
    { ...record, refusedApproval: { at, name: podName, why } },
    { reason: "ApprovalRefused", message: why }
  )
})

const waitsForApproval = (
  { store }: ControllerServices,
  { deployment }: WrittenSoFar,
  podName: string
): Effect.Effect<boolean> =>
  Effect.match(store.get({ resource: resources.pods, key: keyInNamespaceOf(deployment, podName) }), {
    onFailure: () => false,
    onSuccess: (pod) => isPodActive(pod) && !isApproved(pod)
  })

export const recordRefusedJob = Effect.fnUntraced(function* (
  services: ControllerServices,
  written: WrittenSoFar,
  job: HookJobDraft,
  refused: CommandRefused
): Effect.fn.Return<void, CommandRefused> {
  const { name = "" } = job.metadata
  const record = recordOf(written.deployment)
  if (record === undefined || record.refusedJob?.name === name) return
  const why =
    refused.error._tag === "AlreadyExists"
      ? yield* foreignJobText(services, written, job)
      : isLasting(refused)
        ? whyRefused(refused)
        : undefined
  if (why === undefined) return
  const at = new Date(services.nowMillis()).toISOString()
  yield* recordRefusal(
    services,
    written,
    { ...record, refusedJob: { at, name, why } },
    { reason: "HookNotStarted", message: `Job ${name} cannot be created: ${why}` }
  )
})

/** Undefined for the hook's own Job, which a late watch does not show. */
const foreignJobText = (
  { store }: ControllerServices,
  { deployment }: WrittenSoFar,
  { metadata: { name = "", ownerReferences = [] } }: HookJobDraft
): Effect.Effect<string | undefined> => {
  const [owner] = ownerReferences
  return Effect.match(store.get({ resource: resources.jobs, key: keyInNamespaceOf(deployment, name) }), {
    onFailure: () => undefined,
    onSuccess: (existing) =>
      controllerOf(existing)?.uid === owner?.uid
        ? undefined
        : `a Job of this name exists, which ReplicaSet ${owner?.name ?? ""} does not own. Delete it, or rename the hook`
  })
}
