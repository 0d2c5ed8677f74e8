import * as Effect from "effect/Effect"
import { groupResourceOf, kindOfObject, resources } from "../../kubernetes/meta/kinds.ts"
import { isStartedResource, startedOutcomeOf } from "./startedOutcome.ts"
import { makeCostTracker } from "./costTracker.ts"
import type { Cluster } from "../../cluster/cluster.ts"
import type { ManifestsRefused } from "../../manifests/manifestsRefused.ts"
import type { ActReport, RolloutReport } from "./actReports.ts"
import type { RolloutTracker } from "./rolloutTracker.ts"
import type { RunRenderer, AppliedObject } from "./renderers.ts"
import type { StartedOutcome, StartedObject } from "./startedOutcome.ts"
import type { RolloutCosts } from "./costTracker.ts"

/** One step of a run: a file to apply, or another write, and what follows from it. */
export interface RunAct {
  readonly title: string
  readonly apply: Effect.Effect<ReadonlyArray<AppliedObject>, ManifestsRefused>
}

/** A limit for rollouts without a deadline. */
const actMillisMax = 86_400_000

export interface PlayActsOptions {
  readonly cluster: Cluster["Service"]
  readonly startMillis: number
  readonly renderer: RunRenderer
  readonly rollouts: RolloutTracker
  readonly acts: ReadonlyArray<RunAct>
}

/** Plays the acts in order. Each begins when all rollouts of the previous one are complete or failed. */
export const playActs = Effect.fnUntraced(function* (
  options: PlayActsOptions
): Effect.fn.Return<ReadonlyArray<ActReport>, ManifestsRefused> {
  const { cluster, startMillis, renderer: show, rollouts, acts } = options
  const summary = makeCostTracker()
  const sinceStart = (): number => cluster.nowMillis() - startMillis
  const stop = cluster.onChange((change) => {
    const atMillis = sinceStart()
    summary.onChange(change, atMillis)
    show.onChange(change, atMillis)
  })

  const playAct = Effect.fnUntraced(function* ({ title, apply }: RunAct) {
    // The time of an announcement does not count.
    yield* show.beginAct(title)
    const beganMillis = sinceStart()
    summary.beginAct(beganMillis)
    const report = (
      started: StartedObject,
      startedOutcome: StartedOutcome,
      atMillis: number
    ): RolloutReport => {
      const costs = summary.costsOf(started.uid)
      return reportOf({ started, startedOutcome, cluster, costs, millis: atMillis - beganMillis })
    }
    /** The reports of rollouts that another writer superseded, as of that moment. */
    const supersededReports = new Map<string, RolloutReport>()
    rollouts.beginWriting()
    // In the same kernel instant as the write, before any controller reacts.
    const applyAndTrack = Effect.map(apply, (written) => {
      const started = written.flatMap(startedBy)
      rollouts.adopt(started, (it, startedOutcome, atMillis) => {
        const supersededReport = report(it, startedOutcome, atMillis)
        supersededReports.set(it.uid, supersededReport)
        show.onRolloutEnd(supersededReport, atMillis)
      })
      show.onApplied(written, beganMillis)
      return started
    })
    const started = yield* cluster.run(applyAndTrack)
    const outcomeOf = (it: StartedObject) => startedOutcomeOf(cluster.view, it, sinceStart() - beganMillis)
    const isOver = (it: StartedObject) => supersededReports.has(it.uid) || outcomeOf(it).outcome !== "waiting"
    yield* show.waitUntil(() => started.every(isOver), actMillisMax)
    rollouts.release()
    const endMillis = sinceStart()
    const reports = started.map((it) => {
      const superseded = supersededReports.get(it.uid)
      if (superseded !== undefined) return superseded
      const endReport = report(it, outcomeOf(it), endMillis)
      show.onRolloutEnd(endReport, endMillis)
      return endReport
    })
    const act = {
      title,
      millis: endMillis - beganMillis,
      rollouts: reports,
      nodeTroubles: summary.nodeTroubles()
    }
    yield* show.endAct(act)
    return act
  })

  const play = Effect.andThen(
    Effect.sync(() => show.begin()),
    Effect.forEach(acts, playAct)
  )
  return yield* Effect.ensuring(play, Effect.sync(stop))
})

const startedBy = ({ object }: AppliedObject): ReadonlyArray<StartedObject> => {
  const kind = kindOfObject(object)
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
  const replicas = object !== undefined && "replicas" in object.spec ? object.spec.replicas : 1
  const wasCompleteBefore = started.resource === resources.deployments && outcome !== "superseded"
  const spanMillis = wasCompleteBefore ? 0 : options.millis
  const isOver = outcome === "complete" || outcome === "failed" || outcome === "superseded"
  return {
    ...started,
    ...costs,
    outcome: outcome === "waiting" ? "unfinished" : outcome,
    message,
    replicas,
    millis: isOver ? (costs.millis ?? spanMillis) : undefined
  }
}
