import { explainRollout } from "../domain/explanation/explain.ts"
import { nowMillis } from "./time.ts"
import { ownerOf } from "./fleet.ts"
import type { Deployment, EventObject } from "../domain/objects.ts"
import type { Explanation } from "../domain/explanation/explain.ts"
import type { Fleet } from "./fleet.ts"
import type { Time } from "./time.ts"

/** Why a rollout is not finished, by what the page knows of it. */
export const explanationOf = (
  deployment: Deployment,
  {
    fleet,
    events,
    time
  }: {
    readonly fleet: Fleet
    readonly events: ReadonlyArray<EventObject>
    readonly time: Time | undefined
  }
): Explanation => {
  const replicaSets = [...fleet.replicaSets.values()].filter((it) => ownerOf(it) === deployment.metadata.uid)
  const pods = replicaSets.flatMap(({ metadata }) => [...(fleet.podsOf.get(metadata.uid)?.values() ?? [])])
  return explainRollout({
    deployment,
    replicaSets,
    pods,
    events,
    namespace: undefined,
    nowMillis: nowMillis(time)
  })
}
