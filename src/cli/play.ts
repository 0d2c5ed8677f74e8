import * as Effect from "effect/Effect"
import { groupResourceOf, kindOfObject, resources } from "../domain/kinds.ts"
import { isStartedResource, standingOf } from "./standing.ts"
import { makeSummary } from "./summary.ts"
import type { Cluster } from "../cluster.ts"
import type { ManifestsRefused } from "../manifests/manifestsRefused.ts"
import type { ActReport, RolloutReport } from "./reports.ts"
import type { Rollouts } from "./rollouts.ts"
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
  readonly rollouts: Rollouts
  readonly acts: ReadonlyArray<Act>
}): Effect.fn.Return<ReadonlyArray<ActReport>, ManifestsRefused> {
  const { cluster, startMillis, show, rollouts, acts } = options
  const summary = makeSummary()
  const sinceStart = (): number => cluster.nowMillis() - startMillis
  const stop = cluster.onChange((change) => {
    const atMillis = sinceStart()
    summary.see(change, atMillis)
    show.see(change, atMillis)
  })

  const playAct = Effect.fnUntraced(function* ({ title, apply }: Act) {
    // Whatever a show takes to announce the act is not the act's own time.
    yield* show.beginAct(title)
    const beganMillis = sinceStart()
    summary.beginAct(beganMillis)
    const report = (started: Started, standing: Standing, atMillis: number): RolloutReport => {
      const costs = summary.costsOf(started.uid)
      return reportOf({ started, standing, cluster, costs, millis: atMillis - beganMillis })
    }
    /** What others have taken over: what it had come to by then is all that is this act's. */
    const taken = new Map<string, RolloutReport>()
    rollouts.beginWriting()
    // Told as part of the same step, before any controller has seen what was written.
    const told = Effect.map(apply, (written) => {
      const started = written.flatMap(startedBy)
      rollouts.adopt(started, (it, standing, atMillis) => {
        const taking = report(it, standing, atMillis)
        taken.set(it.uid, taking)
        show.over(taking, atMillis)
      })
      show.applied(written, beganMillis)
      return started
    })
    const started = yield* cluster.run(told)
    const standing = (it: Started) => standingOf(cluster.view, it, sinceStart() - beganMillis)
    const isOver = (it: Started) => taken.has(it.uid) || standing(it).outcome !== "waiting"
    yield* show.follow(() => started.every(isOver), actMillisMax)
    rollouts.release()
    const endMillis = sinceStart()
    const reports = started.map((it) => {
      const known = taken.get(it.uid)
      if (known !== undefined) return known
      const fresh = report(it, standing(it), endMillis)
      show.over(fresh, endMillis)
      return fresh
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
  const wasThere = started.resource === resources.deployments && outcome !== "superseded"
  const spanMillis = wasThere ? 0 : options.millis
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
