import * as Effect from "effect/Effect"
import { claimChildren } from "../../kubernetes/apps/deploymentObservation.ts"
import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { compareByCreation } from "../../kubernetes/meta/objectOrder.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { adoptAndRelease, isClaimCommand } from "../adoption.ts"
import { controllerTurnOrder } from "../../runtime/reconciler/controllerTurnOrder.ts"
import { keyInNamespaceOf, wakeSelectingOwners } from "../controllerServices.ts"
import { isJobFinished } from "../../kubernetes/batch/jobs/jobState.ts"
import { syncJobBatchMillis, jobRetryDelayMillis } from "../../kubernetes/batch/jobs/jobPlan.ts"
import { trackingFinalizer } from "../../kubernetes/batch/jobs/jobPods.ts"
import { mayBeAdopted } from "../changeFilters.ts"
import { performJobCommand } from "./performJobCommand.ts"
import type { AnyStateMachine } from "xstate"
import type { Change, ClusterView } from "../../store/objectStore.ts"
import type { Command } from "../../kubernetes/apps/commands.ts"
import type { CommandRefused, Controller, Wake, WakeOptions } from "../../runtime/reconciler/controller.ts"
import type { ControllerServices } from "../controllerServices.ts"
import type { Job } from "../../kubernetes/batch/jobs/jobTypes.ts"
import type { JobObservation } from "../../kubernetes/batch/jobs/jobObservation.ts"

interface JobServices extends ControllerServices {
  /** Whether finished Jobs are deleted after `ttlSecondsAfterFinished`. */
  readonly deletesExpired: boolean
}

/** Source: pkg/controller/job/job_controller.go (enqueueSyncJobImmediately, enqueueSyncJobBatched). */
export const jobController = (
  services: JobServices,
  machine: AnyStateMachine
): Controller<typeof resources.jobs> => ({
  resource: resources.jobs,
  turnOrder: controllerTurnOrder.job,
  machine: () => machine,
  watches: [resources.jobs, resources.pods],
  wakeActors: (change, wake) => wakeJobs(services.view, change, wake),
  look: (job) => look(services, job),
  perform: (job, commands) => perform(services, job, commands),
  batchMillis: syncJobBatchMillis,
  retryDelayMillis: jobRetryDelayMillis
})

const batched: WakeOptions = { isBatched: true }

const wakeJobs = (view: ClusterView["Service"], change: Change, wake: Wake): void => {
  const { resource, object, old } = change
  if (resource === resources.jobs)
    return wake(objectKeyOf(object), isStatusOfRunningJob(change) ? batched : undefined)
  const wakeLater: Wake = (key) => {
    const job = view.get(resources.jobs, key)
    if (job !== undefined && !isJobFinished(job)) wake(key, batched)
  }
  const owner = controllerOf(object)
  const formerOwner = old === undefined ? undefined : controllerOf(old)
  if (formerOwner?.kind === "Job" && formerOwner.uid !== owner?.uid)
    wakeLater(keyInNamespaceOf(object, formerOwner.name))
  if (owner?.kind === "Job") return wakeLater(keyInNamespaceOf(object, owner.name))
  if (owner === undefined && mayBeAdopted(change))
    wakeSelectingOwners(view.all(resources.jobs), object, wakeLater)
}

/** Upstream's controller that deletes finished Jobs does not batch. */
const isStatusOfRunningJob = ({ type, object, old }: Change): boolean =>
  type === "MODIFIED" &&
  object.metadata.generation === old?.metadata.generation &&
  !isJobFinished(object as Job)

const look = ({ view, nowMillis, deletesExpired }: JobServices, job: Job): JobObservation => {
  const { uid, namespace = "" } = job.metadata
  const { controlled, adopt, release } = claimChildren({
    owner: job,
    selector: job.spec.selector ?? {},
    owned: view.controlled(resources.pods, uid),
    orphans: view.orphans(resources.pods, namespace)
  })
  return {
    job,
    pods: [...controlled].sort(compareByCreation),
    claims: { adopt, release },
    deletesExpired,
    nowMillis: nowMillis()
  }
}

const perform = Effect.fnUntraced(function* (
  services: JobServices,
  job: Job,
  commands: ReadonlyArray<Command>
): Effect.fn.Return<void, CommandRefused> {
  const claims = commands.filter(isClaimCommand)
  if (claims.length > 0)
    yield* adoptAndRelease({
      services,
      ownerResource: resources.jobs,
      owner: job,
      claims,
      finalizerOfAdopted: trackingFinalizer
    })
  let current = job
  for (const command of commands)
    if (!isClaimCommand(command)) current = yield* performJobCommand(services, current, command)
})
