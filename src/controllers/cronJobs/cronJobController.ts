import * as Effect from "effect/Effect"
import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { withoutActiveJobs, withActiveJob } from "../../kubernetes/batch/cronJobs/cronJobStatus.ts"
import { controllerTurnOrder } from "../../runtime/reconciler/controllerTurnOrder.ts"
import { isGoneOrReplaced, keyInNamespaceOf } from "../controllerServices.ts"
import { isNamespaceTerminating } from "../../store/storeErrors.ts"
import { performRequest } from "../../runtime/reconciler/controller.ts"
import type { AnyStateMachine } from "xstate"
import type { Command } from "../../kubernetes/apps/commands.ts"
import type { CommandRefused, Controller, Wake } from "../../runtime/reconciler/controller.ts"
import type { Change } from "../../store/objectStore.ts"
import type { ControllerServices } from "../controllerServices.ts"
import type { CronJob, CronJobStatus } from "../../kubernetes/batch/cronJobs/cronJobTypes.ts"
import type { CronJobCommand } from "../../kubernetes/batch/cronJobs/cronJobCommands.ts"
import type { CronJobObservation } from "../../kubernetes/batch/cronJobs/cronJobObservation.ts"
import type { Job } from "../../kubernetes/batch/jobs/jobTypes.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { ObjectIdentity } from "../../kubernetes/apps/sharedCommands.ts"
import type { StoreError } from "../../store/storeErrors.ts"

const component = "cronjob-controller"

export const cronJobController = (
  services: ControllerServices,
  machine: AnyStateMachine
): Controller<typeof resources.cronJobs> => ({
  resource: resources.cronJobs,
  turnOrder: controllerTurnOrder.cronJob,
  machine: () => machine,
  watches: [resources.cronJobs, resources.jobs],
  wakeActors: wakeCronJobs,
  look: (cronJob) => look(services, cronJob),
  perform: (cronJob, commands) =>
    Effect.forEach(commands, (command) => performOne(services, cronJob, command), { discard: true })
})

const wakeCronJobs = ({ resource, object }: Change, wake: Wake): void => {
  if (resource === resources.cronJobs) return wake(objectKeyOf(object))
  const owner = controllerOf(object)
  if (owner?.kind === "CronJob") wake(keyInNamespaceOf(object, owner.name))
}

const look = ({ view, nowMillis }: ControllerServices, cronJob: CronJob): CronJobObservation => ({
  cronJob,
  jobs: [...view.controlled(resources.jobs, cronJob.metadata.uid)].sort(compareByStart),
  nowMillis: nowMillis()
})

/** Sorts a Job without start after every timestamp. */
const notStarted = "~"

const compareByStart = (a: Job, b: Job): number => {
  const [startA, startB] = [a.status.startTime ?? notStarted, b.status.startTime ?? notStarted]
  return startA < startB ? -1 : startA > startB ? 1 : a.metadata.name < b.metadata.name ? -1 : 1
}

/** Source: pkg/controller/cronjob/cronjob_controllerv2.go (syncCronJob), injection.go. */
const performOne = (
  services: ControllerServices,
  cronJob: CronJob,
  command: Command
): Effect.Effect<unknown, CommandRefused> => {
  switch (command.type) {
    case "startJob":
      return performRequest(command.type, startJob(services, cronJob, command))
    case "deleteJobs": {
      const deletions = Effect.forEach(command.children, (child) => deleteJob(services, cronJob, child), {
        discard: true
      })
      return performRequest(command.type, deletions)
    }
    case "reportCronJob":
      return performRequest(command.type, report(services, cronJob, command.status))
    case "recordEvent":
      return services.events.record({ component, about: cronJob, event: command })
    default:
      return Effect.die(new Error(`not a command of a CronJob: ${command.type}`))
  }
}

const report = (
  { store }: ControllerServices,
  cronJob: CronJob,
  status: CronJobStatus
): Effect.Effect<KubeObject, StoreError> => {
  const updated: CronJob = { ...cronJob, status }
  return store.updateStatus(updated)
}

type StartJob = Extract<CronJobCommand, { readonly type: "startJob" }>

/** Reports in the status what was done, even if the rest was refused. */
const startJob = Effect.fnUntraced(function* (
  services: ControllerServices,
  cronJob: CronJob,
  { job, dueMillis, replaces }: StartJob
): Effect.fn.Return<void, StoreError> {
  let { status } = cronJob
  const writes = Effect.gen(function* () {
    for (const replaced of replaces) {
      yield* deleteJob(services, cronJob, replaced)
      status = withoutActiveJobs(status, [replaced.uid])
    }
    const started = yield* createJob(services, cronJob, job)
    if (started !== undefined) status = withActiveJob(status, started, dueMillis)
  })
  const exit = yield* Effect.exit(writes)
  if (status !== cronJob.status) {
    // The next look must see the new Job in the status, or it would take the Job for one that the CronJob does not
    // know.
    const reported = yield* report(services, cronJob, status)
    yield* services.view.waitForVersion(reported.metadata.resourceVersion)
  }
  return yield* exit
})

/**
 * The Job may exist: a restarted controller does not start it again. Undefined if the Job of that name has another
 * owner.
 */
const createJob = Effect.fnUntraced(function* (
  { store, events }: ControllerServices,
  cronJob: CronJob,
  job: StartJob["job"]
): Effect.fn.Return<KubeObject | undefined, StoreError> {
  const recordOutcome = (eventType: "Normal" | "Warning", reason: string, message: string) =>
    events.record({ component, about: cronJob, event: { eventType, reason, message } })
  const created = yield* Effect.catch(store.create(job), (error: StoreError) => Effect.succeed(error))
  if ("metadata" in created) {
    yield* recordOutcome("Normal", "SuccessfulCreate", `Created job ${created.metadata.name}`)
    return created
  }
  if (isNamespaceTerminating(created)) return undefined
  if (created._tag === "AlreadyExists") {
    const key = keyInNamespaceOf(cronJob, job.metadata.name ?? "")
    const present = yield* store.get({ resource: resources.jobs, key })
    return controllerOf(present)?.uid === cronJob.metadata.uid ? present : undefined
  }
  yield* recordOutcome("Warning", "FailedCreate", `Error creating job: ${created.message}`)
  return yield* Effect.fail(created)
})

const deleteJob = (
  { store, events }: ControllerServices,
  cronJob: CronJob,
  { name, uid }: ObjectIdentity
): Effect.Effect<void, StoreError> => {
  const recordOutcome = (eventType: "Normal" | "Warning", reason: string, message: string) =>
    events.record({ component, about: cronJob, event: { eventType, reason, message } })
  const ref = { resource: resources.jobs, key: keyInNamespaceOf(cronJob, name) }
  const request = { propagationPolicy: "Background", preconditions: { uid } } as const
  return Effect.matchEffect(store.delete(ref, request), {
    onSuccess: () => recordOutcome("Normal", "SuccessfulDelete", `Deleted job ${name}`),
    onFailure: (error) =>
      isGoneOrReplaced(error)
        ? Effect.void
        : Effect.andThen(
            recordOutcome("Warning", "FailedDelete", `Deleted job: ${error.message}`),
            Effect.fail(error)
          )
  })
}
