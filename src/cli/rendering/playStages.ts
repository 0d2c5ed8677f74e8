import * as Effect from "effect/Effect"
import { groupResourceOf, storedKindOfObject, resources } from "../../kubernetes/meta/kinds.ts"
import { isAppliedWorkloadResource, podsWantedBy, workloadOutcomeOf } from "./workloadOutcome.ts"
import { noNodeFitsSentences } from "../../explain/workloads/explainDaemonSet.ts"
import { isWorkloadResource, workloadStatus } from "../../kubernetes/apps/workloadStatus.ts"
import { placementDeadlockTextIn } from "../../store/placementInput.ts"
import { makeCostTracker } from "./costTracker.ts"
import { finalOutcomes, makeJobEnds } from "./jobEnds.ts"
import type { Deployment } from "../../kubernetes/meta/objects.ts"
import type { Cluster } from "../../cluster/cluster.ts"
import type { ManifestsRefused } from "../../manifests/manifestsRefused.ts"
import type { StageReport, RolloutReport } from "./stageReports.ts"
import type { RolloutTracker } from "./rolloutTracker.ts"
import type { RunRenderer, AppliedObject } from "./renderers.ts"
import type { WorkloadOutcome, AppliedWorkload } from "./workloadOutcome.ts"
import type { RolloutCosts } from "./costTracker.ts"

export interface RunStage {
  readonly title: string
  readonly apply: Effect.Effect<ReadonlyArray<AppliedObject>, ManifestsRefused>
}

/** The limit of a stage, since some rollouts have no deadline. */
const stageMillisMax = 86_400_000

export interface PlayStagesOptions {
  readonly cluster: Cluster["Service"]
  readonly startMillis: number
  readonly renderer: RunRenderer
  readonly rolloutTracker: RolloutTracker
  readonly stages: ReadonlyArray<RunStage>
}

/** Each stage begins when all rollouts of the previous one are complete or failed. */
export const playStages = Effect.fnUntraced(function* (
  options: PlayStagesOptions
): Effect.fn.Return<ReadonlyArray<StageReport>, ManifestsRefused> {
  const { cluster, startMillis, renderer, rolloutTracker, stages } = options
  const costTracker = makeCostTracker()
  const millisSinceStart = (): number => cluster.nowMillis() - startMillis
  const unsubscribe = cluster.onChange((change) => {
    const atMillis = millisSinceStart()
    costTracker.onChange(change, atMillis)
    renderer.onChange(change, atMillis)
  })

  const playStage = Effect.fnUntraced(function* ({ title, apply }: RunStage) {
    // A renderer's pause before the title does not count.
    yield* renderer.showTitle(title)
    const beganMillis = millisSinceStart()
    costTracker.reset(beganMillis)
    const makeReport = (
      workload: AppliedWorkload,
      workloadOutcome: WorkloadOutcome,
      atMillis: number
    ): RolloutReport => {
      const costs = costTracker.costsOf(workload.uid)
      return reportOf({ workload, workloadOutcome, cluster, costs, millis: atMillis - beganMillis })
    }
    /** Reports by uid from before the end of the stage: of superseded rollouts, and of Jobs that ended or paused. */
    const earlyReports = new Map<string, RolloutReport>()
    const reportEarly = (
      workload: AppliedWorkload,
      workloadOutcome: WorkloadOutcome,
      atMillis: number
    ): void => {
      const earlyReport = makeReport(workload, workloadOutcome, atMillis)
      earlyReports.set(workload.uid, earlyReport)
      renderer.onRolloutEnd(earlyReport, atMillis)
    }
    const jobEnds = makeJobEnds((workload, workloadOutcome) =>
      reportEarly(workload, workloadOutcome, millisSinceStart())
    )
    rolloutTracker.beginApplying()
    // Runs in the instant of the write, before any controller reacts.
    const applyAndTrack = Effect.map(apply, (written) => {
      const workloads = written.flatMap(appliedWorkloadsOf)
      rolloutTracker.endApplying(workloads, reportEarly)
      renderer.onApplied(written, beganMillis)
      for (const workload of workloads) {
        if (workload.resource !== resources.jobs) continue
        const job = cluster.view.get(resources.jobs, `${workload.namespace}/${workload.name}`)
        if (job?.metadata.uid === workload.uid) jobEnds.follow(workload, job)
      }
      return { workloads, unfollowJobs: cluster.onChange(jobEnds.onChange) }
    })
    const { workloads, unfollowJobs } = yield* cluster.run(applyAndTrack)
    const outcomeOf = (workload: AppliedWorkload) =>
      workloadOutcomeOf(cluster.view, workload, millisSinceStart() - beganMillis)
    const hasEnded = (workload: AppliedWorkload) =>
      hasFinalOutcome(earlyReports.get(workload.uid)) || outcomeOf(workload).outcome !== "waiting"
    yield* Effect.ensuring(
      renderer.waitUntil(() => workloads.every(hasEnded), stageMillisMax),
      Effect.sync(unfollowJobs)
    )
    rolloutTracker.resumeNews()
    const endMillis = millisSinceStart()
    const reports = workloads.map((workload) => {
      const early = earlyReports.get(workload.uid)
      const workloadOutcome = outcomeOf(workload)
      if (early !== undefined && (hasFinalOutcome(early) || early.outcome === workloadOutcome.outcome))
        return early
      const endReport = makeReport(workload, workloadOutcome, endMillis)
      renderer.onRolloutEnd(endReport, endMillis)
      return endReport
    })
    const stage = {
      title,
      millis: endMillis - beganMillis,
      rollouts: reports,
      nodeTroubles: costTracker.nodeTroubles()
    }
    yield* renderer.showReport(stage)
    return stage
  })

  const play = Effect.andThen(
    Effect.sync(() => renderer.begin()),
    Effect.forEach(stages, playStage)
  )
  return yield* Effect.ensuring(play, Effect.sync(unsubscribe))
})

const hasFinalOutcome = (report: RolloutReport | undefined): boolean =>
  report !== undefined && finalOutcomes.includes(report.outcome)

const appliedWorkloadsOf = ({ object }: AppliedObject): ReadonlyArray<AppliedWorkload> => {
  const kind = storedKindOfObject(object)
  const resource = kind === undefined ? "" : groupResourceOf(kind)
  const { name, namespace = "", uid } = object.metadata
  return isAppliedWorkloadResource(resource) ? [{ resource, kind: object.kind, namespace, name, uid }] : []
}

const reportOf = (options: {
  readonly workload: AppliedWorkload
  readonly workloadOutcome: WorkloadOutcome
  readonly cluster: Cluster["Service"]
  readonly costs: RolloutCosts
  readonly millis: number
}): RolloutReport => {
  const { workload, workloadOutcome, cluster, costs } = options
  const { outcome, message } = workloadOutcome
  const object = cluster.view.get(workload.resource, `${workload.namespace}/${workload.name}`)
  // Without `costs.millis`, no change of this stage ended the rollout: it may have been over before the stage.
  const isOver =
    outcome !== "superseded" &&
    object !== undefined &&
    isWorkloadResource(workload.resource) &&
    workloadStatus(workload.resource, object).state !== "waiting"
  const millisWithoutEnd = isOver ? 0 : options.millis
  const hasEnded = outcome === "complete" || outcome === "failed" || outcome === "superseded"
  const isStuck = outcome === "failed" || outcome === "waiting"
  const deadlock =
    isStuck && object !== undefined && workload.resource === resources.deployments
      ? placementDeadlockTextIn(cluster.view, object as Deployment)
      : undefined
  return {
    ...workload,
    ...costs,
    troubles: [
      ...costs.troubles,
      ...(deadlock === undefined ? [] : [deadlock]),
      ...(object === undefined ? [] : noNodeFitsSentences(cluster.view, object))
    ],
    outcome: outcome === "waiting" ? "unfinished" : outcome,
    message,
    replicas: podsWantedBy(workload.resource, object),
    millis: hasEnded ? (costs.millis ?? millisWithoutEnd) : undefined
  }
}
