import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { conditionOf } from "../kubernetes/meta/conditions.ts"
import { curesFor } from "./cures.ts"
import { hasProgressDeadline } from "../kubernetes/apps/progress.ts"
import { kindOfResource, resources } from "../kubernetes/meta/kinds.ts"
import { playFuture } from "./playFuture.ts"
import { seedBand } from "./seedBand.ts"
import { timestampMillis } from "../kubernetes/meta/amounts/timestamps.ts"
import { parseJsonOrUndefined } from "../kubernetes/apply/managedFields/pathElements.ts"
import type { ChangeRequest } from "../kubernetes/meta/changeRequest.ts"
import type { Scope } from "effect/Scope"
import type { ClusterView } from "../store/objectStore.ts"
import type { ChangeOutcome, CureOutcome, Forecast, Future } from "./forecast.ts"
import type { Deployment } from "../kubernetes/meta/objects.ts"
import type { Fault } from "../faults/fault.ts"
import type { ForkedCluster, ForecastTarget } from "./playFuture.ts"
import type { PlayableCure } from "./playableCure.ts"
import type { Workload } from "../kubernetes/apps/workloadStatus.ts"

export interface ForecastSettings {
  /** How many other seeds are played. */
  readonly seeds: number
  readonly cures: boolean
  /** How far to look ahead; farther if the progress deadline is later. */
  readonly withinMillis: number
  /** The most changes of objects in all futures together. */
  readonly changesMax: number
  readonly change?: ChangeRequest | undefined
}

interface ForkChanges {
  readonly seed?: number
  readonly changeLife?: PlayableCure["changeLife"]
}

/** A cluster at one instant, from which each fork continues, by default with the cluster's own seed. */
export interface ForecastSource<E> {
  readonly view: ClusterView["Service"]
  readonly nowMillis: number
  readonly seed: number
  readonly faults: ReadonlyArray<{ readonly id: string; readonly fault: Fault }>
  readonly fork: (changes: ForkChanges) => Effect.Effect<ForkedCluster, E, Scope>
}

/** One future may use a quarter of all changes, since it may never settle. */
const futuresWithinChangesMax = 4

export const makeForecast = Effect.fnUntraced(function* <E>(
  source: ForecastSource<E>,
  workload: ForecastTarget & { readonly object: Workload },
  settings: ForecastSettings
): Effect.fn.Return<Forecast, E> {
  const { nowMillis, seed, fork } = source
  const { resource, namespace, name, object } = workload
  const { withinMillis, changesMax } = settings
  const horizonMillis = Math.max(withinMillis, deadlineMillis(workload) - nowMillis + deadlineMarginMillis)
  let changesPlayed = 0
  const changesLeft = (): number => Math.min(changesMax / futuresWithinChangesMax, changesMax - changesPlayed)

  const play = (
    changes: ForkChanges,
    ...requests: ReadonlyArray<ChangeRequest>
  ): Effect.Effect<Result.Result<Future, string>, E> =>
    Effect.scoped(
      Effect.gen(function* () {
        const forkedCluster = yield* fork(changes)
        for (const request of requests) {
          const refusal = yield* sendRequest(forkedCluster, request)
          if (refusal !== undefined) return Result.fail(refusal)
        }
        const future = yield* playFuture(forkedCluster, workload, {
          horizonMillis,
          changesMax: changesLeft()
        })
        changesPlayed += future.changes
        return Result.succeed(future)
      })
    )

  const future = Result.getOrThrow(yield* play({}))
  const change = settings.change === undefined ? undefined : toOutcome(yield* play({}, settings.change))
  const cures = settings.cures ? curesFor(object, source) : []
  const outcomes: Array<CureOutcome> = []
  for (const playable of cures) {
    if (changesLeft() <= 0) break
    const { changeLife, requestWithExample, ...cure } = playable
    // A person fills in the request of a cure; the forecast sends it with an example.
    const requests = [requestWithExample ?? cure.request, cure.followUp].filter(
      (request) => request !== undefined
    )
    const result = yield* play(changeLife === undefined ? {} : { changeLife }, ...requests)
    outcomes.push({ cure, ...toOutcome(result) })
  }
  const otherFutures: Array<Future> = []
  for (let index = 1; index <= settings.seeds && changesLeft() > 0; index += 1) {
    otherFutures.push(Result.getOrThrow(yield* play({ seed: seed + index })))
  }
  return {
    nowMillis,
    workload: { kind: kindOfResource(resource)?.kind ?? resource, namespace, name },
    future,
    band: otherFutures.length === 0 ? undefined : seedBand([future, ...otherFutures]),
    cures: outcomes.toSorted((a, b) => Number(isHelpful(b)) - Number(isHelpful(a))),
    change,
    limits: {
      horizonMillis,
      changesMax,
      changesPlayed,
      seedsLeftOut: settings.seeds - otherFutures.length,
      curesLeftOut: cures.length - outcomes.length
    }
  }
})

const isHelpful = (outcome: CureOutcome): boolean =>
  "future" in outcome && outcome.future.outcome === "complete"

/** The controller notices a missed deadline a moment later. */
const deadlineMarginMillis = 60_000

const deadlineMillis = ({ resource, object }: ForecastTarget & { readonly object: Workload }): number => {
  if (resource !== resources.deployments) return 0
  const { spec, status } = object as Deployment
  if (!hasProgressDeadline(object as Deployment)) return 0
  const { lastUpdateTime = "" } = conditionOf(status.conditions, "Progressing") ?? {}
  const sinceMillis = timestampMillis(lastUpdateTime)
  return Number.isNaN(sinceMillis) ? 0 : sinceMillis + (spec.progressDeadlineSeconds ?? 0) * 1000
}

const toOutcome = (result: Result.Result<Future, string>): ChangeOutcome =>
  Result.isSuccess(result) ? { future: result.success } : { refused: result.failure }

/** Returns the server's message if it refuses the change. */
const sendRequest = (
  forkedCluster: ForkedCluster,
  { method, path, contentType = "application/json", body }: ChangeRequest
): Effect.Effect<string | undefined> =>
  Effect.flatMap(
    forkedCluster.fetch(`https://charthouse${path}`, {
      method,
      ...(body === undefined ? {} : { headers: { "content-type": contentType }, body: JSON.stringify(body) })
    }),
    (response) =>
      Effect.promise(async () => {
        const text = await response.text()
        if (response.ok) return undefined
        // The answer to a path that is not served is plain text.
        const status = parseJsonOrUndefined(text) as { readonly message?: string } | undefined
        return status?.message ?? text.trim()
      })
  )
