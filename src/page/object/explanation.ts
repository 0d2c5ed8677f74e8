import { explainRollout } from "../../domain/explanation/explain.ts"
import { ownerOf } from "../history/fleet.ts"
import type { Deployment, EventObject } from "../../domain/objects.ts"
import type { Explanation } from "../../domain/explanation/explain.ts"
import type { Fleet } from "../history/fleet.ts"

/** Why a rollout is not finished, by what the page knows of it. */
export const explanationOf = (deployment: Deployment, fleet: Fleet, nowMillis: number): Explanation => {
  const replicaSets = [...fleet.replicaSets.values()].filter((it) => ownerOf(it) === deployment.metadata.uid)
  const pods = replicaSets.flatMap(({ metadata }) => [...(fleet.podsOf.get(metadata.uid)?.values() ?? [])])
  const events: Array<EventObject> = []
  for (const { metadata } of [deployment, ...replicaSets, ...pods]) {
    for (const event of fleet.eventsOf.get(metadata.uid)?.values() ?? []) {
      if (event.type === "Warning") events.push(event)
    }
  }
  return explainRollout({ deployment, replicaSets, pods, events, namespace: undefined, nowMillis })
}
