import * as Effect from "effect/Effect"
import { groupResourceOf, storedKindOfObject, resources } from "../../kubernetes/meta/kinds.ts"
import { isStartedResource, podsWantedBy, startedOutcomeOf } from "./startedOutcome.ts"
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
import type { StartedOutcome, StartedObject } from "./startedOutcome.ts"
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
    yield* renderer.beginStage(title)
    const beganMillis = millisSinceStart()
    costTracker.beginStage(beganMillis)
    const makeReport = (
      started: StartedObject,
      startedOutcome: StartedOutcome,
      atMillis: number
    ): RolloutReport => {
      const costs = costTracker.costsOf(started.uid)
      return reportOf({ started, startedOutcome, cluster, costs, millis: atMillis - beganMillis })
    }
    /**
     * By uid: reports made before the end of the stage, of rollouts that another writer superseded, and of Jobs that
     * ended or paused.
     */
    const earlyReports = new Map<string, RolloutReport>()
    const reportEarly = (
      startedObject: StartedObject,
      startedOutcome: StartedOutcome,
      atMillis: number
    ): void => {
      const earlyReport = makeReport(startedObject, startedOutcome, atMillis)
      earlyReports.set(startedObject.uid, earlyReport)
      renderer.onRolloutEnd(earlyReport, atMillis)
    }
    const jobEnds = makeJobEnds((startedObject, startedOutcome) =>
      reportEarly(startedObject, startedOutcome, millisSinceStart())
    )
    rolloutTracker.beginStageWrites()
    // In the same kernel instant as the write, before any controller reacts.
    const applyAndTrack = Effect.map(apply, (written) => {
      const started = written.flatMap(startedObjectsOf)
      // The stage reports these rollouts, until another writer begins a new one of the same object.
      rolloutTracker.suppressNews(started, reportEarly)
      renderer.onApplied(written, beganMillis)
      for (const startedObject of started) {
        if (startedObject.resource !== resources.jobs) continue
        const job = cluster.view.get(resources.jobs, `${startedObject.namespace}/${startedObject.name}`)
        if (job?.metadata.uid === startedObject.uid) jobEnds.follow(startedObject, job)
      }
      return { started, unfollowJobs: cluster.onChange(jobEnds.onChange) }
    })
    const { started, unfollowJobs } = yield* cluster.run(applyAndTrack)
    const outcomeOf = (startedObject: StartedObject) =>
      startedOutcomeOf(cluster.view, startedObject, millisSinceStart() - beganMillis)
    const hasEnded = (startedObject: StartedObject) =>
      hasFinalOutcome(earlyReports.get(startedObject.uid)) || outcomeOf(startedObject).outcome !== "waiting"
    yield* Effect.ensuring(
      renderer.waitUntil(() => started.every(hasEnded), stageMillisMax),
      Effect.sync(unfollowJobs)
    )
    rolloutTracker.endStage()
    const endMillis = millisSinceStart()
    const reports = started.map((startedObject) => {
      const early = earlyReports.get(startedObject.uid)
      const startedOutcome = outcomeOf(startedObject)
      if (early !== undefined && (hasFinalOutcome(early) || early.outcome === startedOutcome.outcome))
        return early
      const endReport = makeReport(startedObject, startedOutcome, endMillis)
      renderer.onRolloutEnd(endReport, endMillis)
      return endReport
    })
    const stage = {
      title,
      millis: endMillis - beganMillis,
      rollouts: reports,
      nodeTroubles: costTracker.nodeTroubles()
    }
    yield* renderer.endStage(stage)
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

const startedObjectsOf = ({ object }: AppliedObject): ReadonlyArray<StartedObject> => {
  const kind = storedKindOfObject(object)
  const resource = kind === undefined ? "" : groupResourceOf(kind)
  const { name, namespace = "", uid } = object.metadata
  return isStartedResource(resource) ? [{ resource, kind: object.kind, namespace, name, uid }] : []
}

const reportOf = (options: {
  readonly started: StartedObject
  readonly startedOutcome: StartedOutcome
  readonly cluster: Cluster["Service"]
  readonly costs: RolloutCosts
  readonly millis: number
}): RolloutReport => {
  const { started, startedOutcome, cluster, costs } = options
  const { outcome, message } = startedOutcome
  const object = cluster.view.get(started.resource, `${started.namespace}/${started.name}`)
  // Undefined `costs.millis`: no change in the stage ended the rollout. If it is over, it was so before.
  const isOver =
    outcome !== "superseded" &&
    object !== undefined &&
    isWorkloadResource(started.resource) &&
    workloadStatus(started.resource, object).state !== "waiting"
  const millisWithoutEnd = isOver ? 0 : options.millis
  const hasEnded = outcome === "complete" || outcome === "failed" || outcome === "superseded"
  const isStuck = outcome === "failed" || outcome === "waiting"
  const deadlock =
    isStuck && object !== undefined && started.resource === resources.deployments
      ? placementDeadlockTextIn(cluster.view, object as Deployment)
      : undefined
  return {
    ...started,
    ...costs,
    troubles: [
      ...costs.troubles,
      ...(deadlock === undefined ? [] : [deadlock]),
      ...(object === undefined ? [] : noNodeFitsSentences(cluster.view, object))
    ],
    outcome: outcome === "waiting" ? "unfinished" : outcome,
    message,
    replicas: podsWantedBy(started.resource, object),
    millis: hasEnded ? (costs.millis ?? millisWithoutEnd) : undefined
  }
}
