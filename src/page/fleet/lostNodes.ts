import { conditionOf } from "../../kubernetes/meta/conditions.ts"
import type { Node } from "../../kubernetes/meta/objects.ts"

export const isNodeReady = ({ status }: Node): boolean =>
  conditionOf(status?.conditions, "Ready")?.status === "True"

/** Whether nothing is known any more of what runs there. */
const isNodeLost = ({ status }: Node): boolean =>
  conditionOf(status?.conditions, "Ready")?.status === "Unknown"

let latest: ReadonlySet<string> = new Set()

/** The names of the lost nodes; the same set until another is lost or found again. */
export const lostNodes = (nodes: ReadonlyMap<string, Node>): ReadonlySet<string> => {
  const names = [...nodes.values()].filter(isNodeLost).map(({ metadata }) => metadata.name)
  if (names.length !== latest.size || names.some((name) => !latest.has(name))) latest = new Set(names)
  return latest
}
