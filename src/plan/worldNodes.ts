import { defaultNodeCount } from "../cluster/defaultNodeCount.ts"
import { isOfResource } from "./documentKeys.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import type { ManifestDocument } from "../manifests/manifestDocument.ts"
import type { PlanWorld } from "./seeds/playSeed.ts"

const isNode = isOfResource(resources.nodes)
const isNoNode = (document: ManifestDocument): boolean => !isNode(document)

/** Nodes that the option gives replace the Node documents; these replace the default nodes. */
export const withNodes = <W extends Pick<PlanWorld, "from" | "next">>(
  world: W,
  asked: PlanWorld["nodes"]
): W & Required<Pick<PlanWorld, "nodes">> => {
  const { from, next } = world
  if (asked !== undefined) {
    const others = from === undefined ? {} : { from: from.filter(isNoNode) }
    return { ...world, next: next.filter(isNoNode), ...others, nodes: asked }
  }
  const hasNodes = [...(from ?? []), ...next].some(isNode)
  // What runs before needs the nodes, too.
  const before = from === undefined ? {} : { from: [...next.filter(isNode), ...from] }
  return { ...world, ...before, nodes: hasNodes ? 0 : defaultNodeCount }
}
