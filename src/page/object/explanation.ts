import { explainContainer, explainPod } from "../../explain/objects/explainPod.ts"
import { explainNode } from "../../explain/objects/explainNode.ts"
import { explainReplicaSet } from "../../explain/objects/explainReplicaSet.ts"
import { explainRollout } from "../../explain/objects/explainRollout.ts"
import { ownerOf } from "../history/fleet.ts"
import type { Deployment, KubeObject, Node, Pod, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { StateExplanation } from "../../explain/objects/stateExplanation.ts"
import type { Fleet } from "../history/fleet.ts"
import type { Place } from "../place.ts"
import { toCompleteEvent } from "../../kubernetes/meta/completeEvent.ts"
import type { CompleteEvent } from "../../kubernetes/meta/completeEvent.ts"

/** How an object is, and why it is not as it should be, by what the page knows of it. A container's is its Pod. */
export const explanationOf = (
  { kind, name }: Place,
  object: KubeObject,
  fleet: Fleet,
  nowMillis: number
): Omit<StateExplanation, "isWell"> => {
  switch (kind) {
    // What stands under a kind is an object of it.
    case "Deployment":
      return ofRollout(object as Deployment, fleet, nowMillis)
    case "ReplicaSet": {
      const pods = podsOf(object, fleet)
      const events = warningsOf([object, ...pods], fleet)
      return explainReplicaSet({
        replicaSet: object as ReplicaSet,
        pods,
        events,
        nodes: fleet.nodes.values(),
        nowMillis
      })
    }
    case "Node": {
      const pods = [...fleet.pods.values()].filter(({ spec }) => spec.nodeName === object.metadata.name)
      return explainNode({ node: object as Node, pods, nowMillis })
    }
    case "Pod":
    case "Container": {
      const pod = object as Pod
      const node = [...fleet.nodes.values()].find(({ metadata }) => metadata.name === pod.spec.nodeName)
      const seen = { pod, events: warningsOf([pod], fleet), node, nowMillis }
      return kind === "Pod"
        ? explainPod(seen)
        : explainContainer({ ...seen, name: name.split("/").at(-1) ?? "" })
    }
  }
}

const ofRollout = (deployment: Deployment, fleet: Fleet, nowMillis: number) => {
  const replicaSets = [...fleet.replicaSets.values()].filter((it) => ownerOf(it) === deployment.metadata.uid)
  const pods = replicaSets.flatMap((it) => podsOf(it, fleet))
  const events = warningsOf([deployment, ...replicaSets, ...pods], fleet)
  const nodes = fleet.nodes.values()
  return explainRollout({ deployment, replicaSets, pods, events, namespace: undefined, nodes, nowMillis })
}

const podsOf = ({ metadata }: KubeObject, fleet: Fleet): ReadonlyArray<Pod> => [
  ...(fleet.podsOf.get(metadata.uid)?.values() ?? [])
]

const warningsOf = (objects: ReadonlyArray<KubeObject>, fleet: Fleet): ReadonlyArray<CompleteEvent> =>
  objects.flatMap(({ metadata }) =>
    [...(fleet.eventsOf.get(metadata.uid)?.values() ?? [])]
      .map(toCompleteEvent)
      .filter(({ type }) => type === "Warning")
  )
