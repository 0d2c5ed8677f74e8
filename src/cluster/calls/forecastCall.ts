import * as Effect from "effect/Effect"
import { changeMethods, isChangeRequest } from "../../kubernetes/meta/changeRequest.ts"
import { NotFound } from "../../store/storeErrors.ts"
import { integerUpTo, InvalidOptions, mustBe } from "../../options/invalidOptions.ts"
import { requireWorkloadName } from "./rolloutWait.ts"
import { toDurationMillis } from "../../kubernetes/meta/amounts/durations.ts"
import { toObjectKey } from "../../kubernetes/meta/objects.ts"
import { validateOptionNames } from "../../options/invalidOptions.ts"
import type { ChangeRequest } from "../../kubernetes/meta/changeRequest.ts"
import type { CannotSnapshot } from "../snapshots/snapshot.ts"
import type { ClusterView } from "../../store/objectStore.ts"
import type { Duration } from "./callOptions.ts"
import type { Forecast } from "../../forecast/forecast.ts"
import type { ForecastSettings, ForecastSource } from "../../forecast/makeForecast.ts"
import type { OptionChecks, OptionNames } from "../../options/invalidOptions.ts"
import type { UserCalls } from "../../runtime/time/userCalls.ts"

export interface ForecastOptions {
  readonly namespace?: string
  /** How many other seeds are played; 4 by default. */
  readonly seeds?: number
  /** Whether to play changes that may help the workload; true by default. */
  readonly cures?: boolean
  /** How long to play: `15m` by default, and at least until the progress deadline. */
  readonly within?: Duration
  /** The most changes of objects in all futures together; 100,000 by default. */
  readonly changesMax?: number
  /** A request to play as if it were sent now. */
  readonly change?: ChangeRequest
}

const optionNames: OptionNames<ForecastOptions> = {
  namespace: true,
  seeds: true,
  cures: true,
  within: true,
  changesMax: true,
  change: true
}

const seedsMax = 100
const changesMaxLimit = 10_000_000
const withinDefault = "15m"
const seedsDefault = 4
const changesMaxDefault = 100_000

const checks: Pick<OptionChecks<ForecastOptions>, "seeds" | "cures" | "changesMax" | "change"> = {
  seeds: integerUpTo(seedsMax),
  cures: mustBe("true or false", (value) => typeof value === "boolean"),
  changesMax: mustBe(
    `an integer from 1 to ${changesMaxLimit}`,
    (value) => Number.isInteger(value) && (value as number) >= 1 && (value as number) <= changesMaxLimit
  ),
  change: mustBe(
    `a request: a method (${changeMethods.join(", ")}), a path, and perhaps a contentType and a body`,
    isChangeRequest
  )
}

/** @throws InvalidOptions, TypeError */
const readOptions = (options: ForecastOptions): ForecastSettings & { readonly namespace: string } => {
  const validOptions = validateOptionNames("forecast", options, optionNames)
  const { namespace = "default", within = withinDefault } = validOptions
  const { seeds = seedsDefault, cures = true, changesMax = changesMaxDefault, change } = validOptions
  const problems = [
    ...checks.seeds("seeds", seeds),
    ...checks.cures("cures", cures),
    ...checks.changesMax("changesMax", changesMax),
    ...(change === undefined ? [] : checks.change("change", change))
  ]
  if (problems.length > 0) throw new InvalidOptions({ problems })
  return { namespace, seeds, cures, changesMax, change, withinMillis: toDurationMillis(within, "within") }
}

type Fork = ForecastSource<never>["fork"]

interface ForecastedCluster {
  readonly view: ClusterView["Service"]
  readonly seed: number
  readonly nowMillis: () => number
  readonly faults: () => ForecastSource<never>["faults"]
  readonly importForClientRequest: UserCalls["importForClientRequest"]
  /** Saves the cluster's state, from which each `fork` starts a copy. */
  readonly prepareFork: Effect.Effect<Fork, CannotSnapshot>
}

export const makeForecastCall = (cluster: ForecastedCluster) =>
  Effect.fnUntraced(function* (
    text: string,
    options: ForecastOptions = {}
  ): Effect.fn.Return<Forecast, NotFound | CannotSnapshot> {
    const settings = readOptions(options)
    const { namespace } = settings
    const { resource, name } = requireWorkloadName(text)
    const { makeForecast } = yield* cluster.importForClientRequest(
      () => import("../../forecast/makeForecast.ts")
    )
    const fork = yield* cluster.prepareFork
    const object = cluster.view.get(resource, toObjectKey(namespace, name))
    if (object === undefined) return yield* new NotFound({ resource, resourceName: name })
    const { view, seed } = cluster
    const source = { view, seed, fork, nowMillis: cluster.nowMillis(), faults: cluster.faults() }
    return yield* makeForecast(source, { resource, namespace, name, object }, settings)
  })
