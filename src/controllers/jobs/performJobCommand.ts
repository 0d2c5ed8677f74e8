import * as Effect from "effect/Effect"
import { ignoreGoneOrReplaced } from "../controllerServices.ts"
import { hasTrackingFinalizer, trackingFinalizer } from "../../kubernetes/batch/jobs/jobPods.ts"
import { keyInNamespaceOf } from "../controllerServices.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { performRequest, toCommandRefused } from "../../runtime/reconciler/controller.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { withoutFinalizer } from "../../kubernetes/meta/deletion.ts"
import { createOwnedPods, deleteOwnedPod, performAllDespiteRefusals } from "../ownedPods.ts"
import type { Command } from "../../kubernetes/apps/commands.ts"
import type { CommandRefused } from "../../runtime/reconciler/controller.ts"
import type { ControllerServices } from "../controllerServices.ts"
import type { Job, JobStatus } from "../../kubernetes/batch/jobs/jobTypes.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { ObjectIdentity } from "../../kubernetes/apps/sharedCommands.ts"
import type { StoreError } from "../../store/storeErrors.ts"

const component = "job-controller"

/**
 * Returns the Job as stored after the command: the next report of the look must have its `resourceVersion`.
 * Source: pkg/controller/job/job_controller.go (deleteJobPods, removeTrackingFinalizer).
 */
export const performJobCommand = (
  services: ControllerServices,
  job: Job,
  command: Command
): Effect.Effect<Job, CommandRefused> =>
  command.type === "reportJob"
    ? report(services, job, command.status)
    : Effect.as(performOther(services, job, command), job)

const report = (
  { store }: ControllerServices,
  job: Job,
  status: JobStatus
): Effect.Effect<Job, CommandRefused> => {
  const updated: Job = { ...job, status }
  return Effect.mapBoth(store.updateStatus(updated), {
    onSuccess: (stored) => stored as Job,
    onFailure: toCommandRefused("reportJob")
  })
}

const performOther = (
  services: ControllerServices,
  job: Job,
  command: Command
): Effect.Effect<unknown, CommandRefused> => {
  const { store, events } = services
  switch (command.type) {
    case "createJobPods":
      return performRequest(command.type, createOwnedPods(services, { component, owner: job }, command.pods))
    case "deleteJobPods": {
      const deletions = performAllDespiteRefusals(command.children, (child) =>
        Effect.andThen(
          command.countAsFailed ? Effect.void : releasePod(services, job, child),
          deleteOwnedPod(services, { component, owner: job }, child)
        )
      )
      return performRequest(command.type, deletions)
    }
    case "releaseJobPods":
      return performRequest(
        command.type,
        performAllDespiteRefusals(command.children, (child) => releasePod(services, job, child))
      )
    case "deleteJob": {
      const ref = { resource: resources.jobs, key: objectKeyOf(job) }
      const request = { propagationPolicy: "Foreground", preconditions: { uid: job.metadata.uid } } as const
      return performRequest(command.type, ignoreGoneOrReplaced(store.delete(ref, request)))
    }
    case "recordEvent":
      return events.record({ component, about: job, event: command })
    default:
      return Effect.die(new Error(`not a command of a Job: ${command.type}`))
  }
}

export const releasePod = (
  { store, view }: ControllerServices,
  objectInNamespace: KubeObject,
  { name, uid }: ObjectIdentity
): Effect.Effect<void, StoreError> => {
  const key = keyInNamespaceOf(objectInNamespace, name)
  const pod = view.get(resources.pods, key)
  if (pod === undefined || !hasTrackingFinalizer(pod)) return Effect.void
  const write = store.modify(
    { resource: resources.pods, key },
    (object) => withoutFinalizer(object, trackingFinalizer),
    { uid }
  )
  return ignoreGoneOrReplaced(write)
}
