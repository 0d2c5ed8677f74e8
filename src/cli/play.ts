import * as Effect from "effect/Effect"
import { groupResourceOf, kindOfObject, resources } from "../domain/kinds.ts"
import { isStartedResource, standingOf } from "./standing.ts"
import { makeSummary } from "./summary.ts"
import type { Cluster } from "../cluster.ts"
import type { ManifestsRefused } from "../manifests/manifestsRefused.ts"
import type { ActReport, RolloutReport } from "./reports.ts"
import type { Show, Written } from "./shows.ts"
import type { Standing, Started } from "./standing.ts"
import type { Costs } from "./summary.ts"

/** One step of a run: what is applied, and under which title. */
export interface Act {
  readonly title: string
  readonly apply: Effect.Effect<ReadonlyArray<Written>, ManifestsRefused>
}

/** The longest that one act may take. Only a rollout without a deadline ever comes to it. */
const actMillisMax = 86_400_000

/**
 * Plays acts one after the other: each begins when what the one before has started is complete or has
 * failed.
 */
export const playActs = Effect.fnUntraced(function* (options: {
  readonly cluster: Cluster["Service"]
  readonly startMillis: number
  readonly show: Show
  readonly acts: ReadonlyArray<Act>
}): Effect.fn.Return<ReadonlyArray<ActReport>, ManifestsRefused> {
  const { cluster, startMillis, show, acts } = options
  const summary = makeSummary()
  const sinceStart = (): number => cluster.nowMillis() - startMillis
  const stop = cluster.onChange((change) => {
    const atMillis = sinceStart()
    summary.see(change, atMillis)
    show.see(change, atMillis)
  })
  const reports: Array<ActReport> = []
  const play = Effect.gen(function* () {
    show.begin()
    for (const { title, apply } of acts) {
      // Whatever a show takes to announce the act is not the act's own time.
      yield* show.beginAct(title)
      const beganMillis = sinceStart()
      summary.beginAct(beganMillis)
      // Told as part of the same step, before any controller has seen what was written.
      const told = Effect.tap(apply, (written) => Effect.sync(() => show.applied(written, beganMillis)))
      const applied = yield* cluster.run(told)
      const started = applied.flatMap(startedBy)
      const standing = (it: Started) => standingOf(cluster.view, it, sinceStart() - beganMillis)
      yield* show.follow(() => started.every((it) => standing(it).outcome !== "waiting"), actMillisMax)
      const millis = sinceStart() - beganMillis
      const rollouts = started.map((it) =>
        reportOf({ started: it, standing: standing(it), cluster, costs: summary.costsOf(it.uid), millis })
      )
      const report = { title, millis, rollouts, nodeTroubles: summary.nodeTroubles() }
      reports.push(report)
      yield* show.endAct(report)
    }
    return reports
  })
  return yield* Effect.ensuring(play, Effect.sync(stop))
})

const startedBy = ({ object }: Written): ReadonlyArray<Started> => {
  const kind = kindOfObject(object)
  const resource = kind === undefined ? "" : groupResourceOf(kind)
  const { name, namespace = "", uid } = object.metadata
  return isStartedResource(resource) ? [{ resource, kind: object.kind, namespace, name, uid }] : []
}

const reportOf = (options: {
  readonly started: Started
  readonly standing: Standing
  readonly cluster: Cluster["Service"]
  readonly costs: Costs
  /** How long the act took. */
  readonly millis: number
}): RolloutReport => {
  const { started, standing, cluster, costs } = options
  const { outcome, message } = standing
  const object = cluster.view.get(started.resource, `${started.namespace}/${started.name}`)
  const replicas = object !== undefined && "replicas" in object.spec ? object.spec.replicas : 1
  // A Deployment that never began to wait was there already as it should be.
  const spanMillis = started.resource === resources.deployments ? 0 : options.millis
  const isOver = outcome === "complete" || outcome === "failed"
  return {
    ...started,
    ...costs,
    outcome: outcome === "waiting" ? "unfinished" : outcome,
    message,
    replicas,
    millis: isOver ? (costs.millis ?? spanMillis) : undefined
  }
}
