import { conditionOf } from "../../kubernetes/meta/conditions.ts"
import { isNodeReady, kubeletState } from "../../kubernetes/core/nodeStatus.ts"
import type { Node } from "../../kubernetes/meta/objects.ts"

/** Whether nothing is known any more of what runs there. */
const isNodeLost = ({ status }: Node): boolean =>
  conditionOf(status?.conditions, "Ready")?.status === "Unknown"

/** `silent`: its kubelet has stopped, and its conditions do not show it yet. */
export type NodeState = "ready" | "silent" | "not ready" | "lost"

export const nodeState = (node: Node): NodeState => {
  if (isNodeLost(node)) return "lost"
  if (!isNodeReady(node)) return "not ready"
  return kubeletState(node) === "stopped" ? "silent" : "ready"
}

let latest: { readonly names: string; readonly lostNodeNames: ReadonlySet<string> } | undefined

/** The names of the lost nodes: the same set as long as the names are the same, so that cards are not drawn anew. */
export const lostNodes = (nodes: ReadonlyMap<string, Node>): ReadonlySet<string> => {
  const lostNodeNames = new Set([...nodes.values()].filter(isNodeLost).map(({ metadata }) => metadata.name))
  const names = [...lostNodeNames].join(" ")
  if (latest?.names !== names) latest = { names, lostNodeNames }
  return latest.lostNodeNames
}
