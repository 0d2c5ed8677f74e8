import { conditionOf } from "../../kubernetes/meta/conditions.ts"
import { isNodeReady, kubeletState } from "../../kubernetes/core/nodeStatus.ts"
import type { Node } from "../../kubernetes/meta/objects.ts"

const isNodeLost = ({ status }: Node): boolean =>
  conditionOf(status?.conditions, "Ready")?.status === "Unknown"

/** `silent`: the kubelet has stopped, and no condition shows it yet. */
export type NodeState = "ready" | "silent" | "not ready" | "lost"

export const nodeState = (node: Node): NodeState => {
  if (isNodeLost(node)) return "lost"
  if (!isNodeReady(node)) return "not ready"
  return kubeletState(node) === "stopped" ? "silent" : "ready"
}

let latestLostNodes: { readonly names: string; readonly lostNodeNames: ReadonlySet<string> } | undefined

/** Equal names give the same set, so that cards are not drawn anew. */
export const lostNodeNamesIn = (nodes: ReadonlyMap<string, Node>): ReadonlySet<string> => {
  const lostNodeNames = new Set([...nodes.values()].filter(isNodeLost).map(({ metadata }) => metadata.name))
  const names = [...lostNodeNames].join(" ")
  if (latestLostNodes?.names !== names) latestLostNodes = { names, lostNodeNames }
  return latestLostNodes.lostNodeNames
}
