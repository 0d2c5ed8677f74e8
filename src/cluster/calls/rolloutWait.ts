import * as Effect from "effect/Effect"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { toObjectKey } from "../../kubernetes/meta/objects.ts"
import { rolloutStatus } from "../../kubernetes/apps/rolloutStatus.ts"
import { validateOptionNames } from "../../options/invalidOptions.ts"
import { explainRollout } from "../../explain/objects/explainRollout.ts"
import { toCompleteEvent } from "../../kubernetes/meta/completeEvent.ts"
import { rolloutOptionNames, toLimitMillis } from "./callOptions.ts"
import { NotFound } from "../../store/storeErrors.ts"
import { podsOfDeployment } from "../../store/ownerLookup.ts"
import { placementSurroundingsOf } from "../../store/placementSurroundings.ts"
import type { Deployment } from "../../kubernetes/meta/objects.ts"
import type { Strategy } from "../../../machines/strategies/strategy.ts"
import type { TimelineGate } from "../../runtime/time/timelineGate.ts"
import type { RolloutOptions } from "./callOptions.ts"
import type { ClusterView } from "../../store/objectStore.ts"

export interface RolloutOutcome {
  readonly outcome: "complete" | "failed" | "deleted" | "unfinished"
  /** The message of `kubectl rollout status`. */
  readonly message: string
  /** Why it is failed or unfinished: the sentences of `charthouse explain`. Empty for the other outcomes. */
  readonly reasons: ReadonlyArray<string>
  readonly deployment: Deployment | undefined
}

interface RolloutWaitParts {
  readonly view: ClusterView["Service"]
  readonly until: TimelineGate["until"]
  readonly strategies: ReadonlyArray<Strategy>
  readonly nowMillis: () => number
}

export const makeRolloutWait = ({ view, until, ...environment }: RolloutWaitParts) =>
  Effect.fnUntraced(function* (
    name: string,
    options: RolloutOptions = {}
  ): Effect.fn.Return<RolloutOutcome, NotFound> {
    const { namespace = "default", limit } = validateOptionNames("rollout", options, rolloutOptionNames)
    const limitMillis = toLimitMillis(limit)
    const key = toObjectKey(namespace, name)
    const currentDeployment = (): Deployment | undefined => view.get(resources.deployments, key)
    const isOver = (): boolean => {
      const deployment = currentDeployment()
      return deployment === undefined || rolloutStatus(deployment).state !== "waiting"
    }
    if (currentDeployment() === undefined)
      return yield* new NotFound({ resource: resources.deployments, resourceName: name })
    yield* until(isOver, limitMillis)
    return rolloutOutcome(currentDeployment(), (deployment) => rolloutReasons(deployment, view, environment))
  })

export const rolloutOutcome = (
  deployment: Deployment | undefined,
  readReasons: (deployment: Deployment) => ReadonlyArray<string>
): RolloutOutcome => {
  if (deployment === undefined)
    return { outcome: "deleted", message: "object has been deleted", reasons: [], deployment }
  const { state, message } = rolloutStatus(deployment)
  const outcome = state === "waiting" ? "unfinished" : state
  return { outcome, message, reasons: outcome === "complete" ? [] : readReasons(deployment), deployment }
}

const rolloutReasons = (
  deployment: Deployment,
  view: ClusterView["Service"],
  { strategies, nowMillis }: Pick<RolloutWaitParts, "strategies" | "nowMillis">
): ReadonlyArray<string> => {
  const { namespace = "default", uid } = deployment.metadata
  return explainRollout({
    deployment,
    replicaSets: view.controlled(resources.replicaSets, uid),
    pods: podsOfDeployment(view, deployment),
    events: Array.from(view.all(resources.events), toCompleteEvent),
    nodes: view.all(resources.nodes),
    readSurroundings: () => placementSurroundingsOf(view),
    namespace: view.get(resources.namespaces, toObjectKey(undefined, namespace)),
    strategies,
    nowMillis: nowMillis()
  }).sentences
}
