import * as Effect from "effect/Effect"
import { isSemanticallyEqual } from "../kubernetes/meta/semanticEquality.ts"
import { annotationOf } from "../kubernetes/apps/revisions/revisions.ts"
import { recordWithAnswer } from "../kubernetes/steering/steeringQuestions.ts"
import { noteWritten, recordRefusedApproval, recordRefusedJob, recordUndeletableJob } from "./refusals.ts"
import { objectKeyOf } from "../kubernetes/meta/objects.ts"
import { templateHashLabel } from "../kubernetes/apps/revisions/podTemplates.ts"
import { recordAnnotation, steeredCondition, steeringManager } from "../kubernetes/steering/steeringNames.ts"
import { withCompletionMark, withSteeringRecord } from "../kubernetes/steering/steeringWrites.ts"
import { isPodActive } from "../kubernetes/pods/podState.ts"
import { withApprovalCondition } from "../kubernetes/steering/podApproval.ts"
import { Conflict, modifiedMeanwhile } from "../store/storeErrors.ts"
import { isGoneOrReplaced, keyInNamespaceOf, modifyWithoutFiber } from "../controllers/controllerServices.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import { performRequest, toCommandRefused } from "../runtime/reconciler/controller.ts"
import { withCondition, withoutCondition } from "../kubernetes/meta/conditions.ts"
import type { Deployment, KubeObject } from "../kubernetes/meta/objects.ts"
import type { DesiredCondition } from "../kubernetes/meta/conditions.ts"
import type { GroupResource } from "../kubernetes/meta/kinds.ts"
import type { Command } from "../kubernetes/apps/commands.ts"
import type { CommandRefused } from "../runtime/reconciler/controller.ts"
import type { ControllerServices } from "../controllers/controllerServices.ts"
import type { StoreError } from "../store/storeErrors.ts"
import type { WrittenSoFar } from "./refusals.ts"
import type { SteeringSources } from "./sources/steeringSources.ts"
import type { SteeringCommand } from "../kubernetes/steering/steeringCommands.ts"

/**
 * Each write has the resource version of the observation or of the previous write. If the object has changed in
 * between, the server refuses the write, and the chart decides again.
 */
export const performSteering = (
  services: SteeringServices,
  deployment: Deployment,
  commands: ReadonlyArray<Command>
): Effect.Effect<void, CommandRefused> => {
  const performedWithoutFiber = performWithoutFiber(services, deployment, commands)
  if (performedWithoutFiber !== undefined) return performedWithoutFiber
  const written: WrittenSoFar = { deployment, lastVersion: undefined }
  const perform = (command: Command): Effect.Effect<unknown, CommandRefused> =>
    performCommand(services, written, deployment, command)
  const performing = Effect.forEach(commands, perform, { discard: true })
  return Effect.flatMap(Effect.exit(performing), (exit) =>
    written.lastVersion === undefined
      ? exit
      : Effect.andThen(services.view.waitForVersion(written.lastVersion), exit)
  )
}

/**
 * Avoids a fiber for a single write. Undefined for other commands, or if the store needs a fiber or refuses.
 */
const performWithoutFiber = (
  services: ControllerServices,
  deployment: Deployment,
  commands: ReadonlyArray<Command>
): Effect.Effect<void> | undefined => {
  const [command] = commands
  if (command === undefined || commands.length !== 1) return undefined
  const { store, view } = services
  const write = singleWriteOf(services, deployment, command)
  if (write === undefined || write.object === deployment) return undefined
  const { resource, object, isStatusUpdate } = write
  const written = modifyWithoutFiber(store, { resource, key: objectKeyOf(object) }, () => object, {
    status: isStatusUpdate
  })
  return written && view.waitForVersion(written.value.metadata.resourceVersion)
}

/** Undefined for a command that takes more than one request. */
const singleWriteOf = (
  services: ControllerServices,
  deployment: Deployment,
  command: Command
): SteeringWrite | undefined => {
  if (command.type === "recordSteering")
    return (command.absent ?? []).length > 0 ? undefined : writeFor(services, deployment, command)
  if (command.type !== "approve") return writeFor(services, deployment, command)
  const [pod] = command.pods
  return pod === undefined || command.pods.length !== 1
    ? undefined
    : {
        resource: resources.pods,
        object: withApprovalCondition(pod, approvedCondition, services.nowMillis()),
        isStatusUpdate: true
      }
}

const performCommand = (
  services: SteeringServices,
  written: WrittenSoFar,
  deployment: Deployment,
  command: Command
): Effect.Effect<unknown, CommandRefused> => {
  switch (command.type) {
    case "recordEvent":
      return services.events.record({ component: steeringManager, about: deployment, event: command })
    case "approve":
    case "revoke":
      return setApprovals(services, written, command)
    case "ask":
      return Effect.map(askSources(services, written.deployment, command), (answered) =>
        noteWritten(written, answered)
      )
    case "run":
      return Effect.tapError(performRequest(command.type, services.store.create(command.job)), (refused) =>
        recordRefusedJob(services, written, command.job, refused)
      )
    case "deleteJobs":
      return deleteJobs(services, written, command)
    case "recordSteering":
      return Effect.flatMap(
        Effect.mapError(
          refuseIfAbsentPodExists(services, written.deployment, command),
          toCommandRefused(command.type)
        ),
        () => performWrite(services, written, command)
      )
    default:
      return performWrite(services, written, command)
  }
}

const performWrite = (
  services: SteeringServices,
  written: WrittenSoFar,
  command: Command
): Effect.Effect<void, CommandRefused> => {
  const write = writeFor(services, written.deployment, command)
  if (write === undefined) return Effect.die(new Error(`not a command of steering: ${command.type}`))
  const request = requestFor(services, written.deployment, write)
  return Effect.mapError(
    Effect.map(request, (object) => noteWritten(written, object)),
    toCommandRefused(command.type)
  )
}

export interface SteeringServices extends ControllerServices {
  readonly sources: SteeringSources
}

/** Fails also for a Job that is gone but that a late watch still shows: one Event tells of its deletion. */
const deleteJobs = (
  services: SteeringServices,
  written: WrittenSoFar,
  { type, children }: Extract<SteeringCommand, { readonly type: "deleteJobs" }>
): Effect.Effect<void, CommandRefused> =>
  Effect.forEach(
    children,
    ({ name, uid }) => {
      const ref = { resource: resources.jobs, key: keyInNamespaceOf(written.deployment, name) }
      const options = { propagationPolicy: "Background", preconditions: { uid } } as const
      const deletion = performRequest(type, services.store.delete(ref, options))
      return Effect.tapError(deletion, (refused) =>
        refused.error._tag === "Forbidden" ? recordUndeletableJob(services, written, name) : Effect.void
      )
    },
    { discard: true }
  )

/** The Deployment's status may change meanwhile, but its record must not: the answer could be about another step. */
const askSources = Effect.fnUntraced(function* (
  { store, sources, nowMillis }: SteeringServices,
  deployment: Deployment,
  { question, record }: Extract<SteeringCommand, { readonly type: "ask" }>
): Effect.fn.Return<Deployment, CommandRefused> {
  const answer = yield* sources.answer(question, deployment, record.hash)
  const write = Effect.gen(function* () {
    const latest = yield* store.get({ resource: resources.deployments, key: objectKeyOf(deployment) })
    if (annotationOf(latest, recordAnnotation) !== annotationOf(deployment, recordAnnotation)) {
      const { name } = deployment.metadata
      return yield* new Conflict({ resource: "deployments", resourceName: name, why: modifiedMeanwhile })
    }
    const answered = recordWithAnswer(record, answer, question.limits, nowMillis())
    return yield* store.update(withSteeringRecord(latest, { type: "recordSteering", record: answered }))
  })
  return (yield* Effect.mapError(write, toCommandRefused("ask"))) as Deployment
})

const approvedCondition = { isGateOpen: true, reason: "Approved", message: "" }

type ApprovalCommand = Extract<SteeringCommand, { readonly type: "approve" | "revoke" }>

const setApprovals = (
  services: ControllerServices,
  written: WrittenSoFar,
  command: ApprovalCommand
): Effect.Effect<void, CommandRefused> => {
  const { store, nowMillis } = services
  const approval =
    command.type === "approve"
      ? approvedCondition
      : { isGateOpen: false, reason: "Revoked", message: command.reason }
  return Effect.forEach(
    command.pods,
    (pod) => {
      const request = store.updateStatus(withApprovalCondition(pod, approval, nowMillis()))
      const performing = performRequest(
        command.type,
        Effect.map(request, (object) => noteWritten(written, object)),
        isGoneOrReplaced
      )
      return command.type === "approve"
        ? Effect.tapError(performing, (refused) =>
            recordRefusedApproval(services, written, pod.metadata.name, refused)
          )
        : performing
    },
    { discard: true }
  )
}

/**
 * Refuses a record that drops Pods which still exist: a late watch may not have shown them. Reads the store, which
 * is never late.
 */
const refuseIfAbsentPodExists = (
  { store }: ControllerServices,
  deployment: Deployment,
  { absent = [] }: Extract<SteeringCommand, { readonly type: "recordSteering" }>
): Effect.Effect<void, StoreError> =>
  Effect.forEach(
    absent,
    (name) => {
      const key = keyInNamespaceOf(deployment, name)
      return store.get({ resource: resources.pods, key }).pipe(
        Effect.matchEffect({
          onFailure: () => Effect.void,
          onSuccess: (pod) =>
            isPodActive(pod)
              ? Effect.fail(new Conflict({ resource: "pods", resourceName: name, why: modifiedMeanwhile }))
              : Effect.void
        })
      )
    },
    { discard: true }
  )

interface SteeringWrite {
  readonly resource: GroupResource
  readonly object: KubeObject
  readonly isStatusUpdate: boolean
}

const writeFor = (
  { nowMillis }: ControllerServices,
  deployment: Deployment,
  command: Command
): SteeringWrite | undefined => {
  switch (command.type) {
    case "recordSteering":
      return {
        resource: resources.deployments,
        object: withSteeringRecord(deployment, command),
        isStatusUpdate: false
      }
    case "pointService": {
      const { service, hash } = command
      const selector = { ...service.spec.selector, [templateHashLabel]: hash }
      const pointed = { ...service, spec: { ...service.spec, selector } } as KubeObject
      return { resource: resources.services, object: pointed, isStatusUpdate: false }
    }
    case "markComplete":
      return {
        resource: resources.replicaSets,
        object: withCompletionMark(command.replicaSet, command.mark),
        isStatusUpdate: false
      }
    case "reportSteering": {
      const object = withReport(deployment, command.condition, nowMillis())
      return { resource: resources.deployments, object, isStatusUpdate: true }
    }
    default:
      return undefined
  }
}

/** Returns the same Deployment if the report changes nothing. */
const withReport = (
  deployment: Deployment,
  condition: DesiredCondition | undefined,
  nowMillis: number
): Deployment => {
  const present = deployment.status.conditions ?? []
  const conditions =
    condition === undefined
      ? withoutCondition(present, steeredCondition)
      : withCondition(present, condition, { nowMillis, refresh: true })
  return isSemanticallyEqual(present, conditions)
    ? deployment
    : { ...deployment, status: { ...deployment.status, conditions } }
}

const requestFor = (
  { store }: ControllerServices,
  deployment: Deployment,
  { object, isStatusUpdate }: SteeringWrite
): Effect.Effect<KubeObject, StoreError> => {
  if (object === deployment) return Effect.succeed(deployment)
  return isStatusUpdate ? store.updateStatus(object) : store.update(object)
}
