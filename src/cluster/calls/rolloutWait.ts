import * as Effect from "effect/Effect"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { toObjectKey } from "../../kubernetes/meta/objects.ts"
import { rolloutStatus } from "../../kubernetes/apps/rolloutStatus.ts"
import { validateOptionNames } from "../../options/invalidOptions.ts"
import { rolloutOptionNames, toLimitMillis } from "./callOptions.ts"
import { NotFound } from "../../store/storeErrors.ts"
import type { Deployment } from "../../kubernetes/meta/objects.ts"
import type { TimelineGate } from "../../runtime/time/timelineGate.ts"
import type { RolloutOptions } from "./callOptions.ts"
import type { ClusterView } from "../../store/objectStore.ts"

export interface RolloutOutcome {
  readonly outcome: "complete" | "failed" | "deleted" | "unfinished"
  /** The message of `kubectl rollout status`. */
  readonly message: string
  readonly deployment: Deployment | undefined
}

export const makeRolloutWait = (view: ClusterView["Service"], until: TimelineGate["until"]) =>
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
    return outcomeOf(currentDeployment())
  })

const outcomeOf = (deployment: Deployment | undefined): RolloutOutcome => {
  if (deployment === undefined) return { outcome: "deleted", message: "object has been deleted", deployment }
  const { state, message } = rolloutStatus(deployment)
  return { outcome: state === "waiting" ? "unfinished" : state, message, deployment }
}
