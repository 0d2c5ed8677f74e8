import { compareTexts } from "../../kubernetes/meta/text/compareTexts.ts"
import { countText } from "../../kubernetes/meta/text/countText.ts"
import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { nodeState } from "./lostNodes.ts"
import { isPodFinished, isPodReady } from "../../kubernetes/pods/podState.ts"
import type { NodeState } from "./lostNodes.ts"
import type { Fleet } from "../history/fleet.ts"
import type { Pod } from "../../kubernetes/meta/objects.ts"

export interface NodeCard {
  /** "" for the Pods without a node. */
  readonly name: string
  readonly state: NodeState | "none"
  readonly isUnschedulable: boolean
  readonly figures: string
  /** The Pods of one controller are side by side. */
  readonly pods: ReadonlyArray<Pod>
}

// A node is silent between the stop of its kubelet and the first condition that shows it.
const stateRanks: ReadonlyArray<NodeCard["state"]> = ["lost", "not ready", "silent", "none", "ready"]

export const nodeCards = ({ nodes, pods }: Fleet): ReadonlyArray<NodeCard> => {
  const podsOf = Map.groupBy(
    [...pods.values()].filter((pod) => !isPodFinished(pod)),
    ({ spec }) => spec.nodeName ?? ""
  )
  const cardOf = (name: string, state: NodeCard["state"], isUnschedulable: boolean): NodeCard => {
    const podsOfNode = (podsOf.get(name) ?? []).toSorted((a, b) => compareTexts(groupKey(a), groupKey(b)))
    return { name, state, isUnschedulable, figures: figuresOf(podsOfNode, state), pods: podsOfNode }
  }
  const cards = [...nodes.values()].map((node) =>
    cardOf(node.metadata.name, nodeState(node), node.spec?.unschedulable === true)
  )
  return (podsOf.has("") ? [...cards, cardOf("", "none", false)] : cards).sort(
    (a, b) =>
      stateRanks.indexOf(a.state) - stateRanks.indexOf(b.state) || numericCollator.compare(a.name, b.name)
  )
}

/** `node-2` comes before `node-10`. */
const numericCollator = new Intl.Collator("en", { numeric: true })

const groupKey = (pod: Pod): string =>
  `${pod.metadata.namespace ?? ""}/${controllerOf(pod)?.name ?? ""}/${pod.metadata.name}`

const figuresOf = (pods: ReadonlyArray<Pod>, state: NodeCard["state"]): string => {
  const readyCount = pods.filter(isPodReady).length
  const isAllReady = readyCount === pods.length || state === "lost"
  return `${countText(pods.length, "Pod")}${isAllReady ? "" : `, ${readyCount} ready`}`
}
