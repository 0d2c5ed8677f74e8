import { defaultNodeCount } from "../cluster/defaultNodeCount.ts"
import { isOfResource } from "./documentKeys.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import type { ManifestDocument } from "../manifests/manifestDocument.ts"
import type { PlanInput } from "./seeds/playSeed.ts"

const isNode = isOfResource(resources.nodes)
const isNoNode = (document: ManifestDocument): boolean => !isNode(document)

/**
 * The option's nodes replace Node documents; without the option, Node documents replace the default nodes, and
 * `nodes` is 0.
 */
export const withNodes = <W extends Pick<PlanInput, "from" | "next">>(
  input: W,
  nodesOption: PlanInput["nodes"]
): W & Required<Pick<PlanInput, "nodes">> => {
  const { from, next } = input
  if (nodesOption !== undefined) {
    const fromWithoutNodes = from === undefined ? {} : { from: from.filter(isNoNode) }
    return { ...input, next: next.filter(isNoNode), ...fromWithoutNodes, nodes: nodesOption }
  }
  const hasNodes = [...(from ?? []), ...next].some(isNode)
  // The Pods of `from` start before `next` is applied, and need its nodes.
  const fromWithNodes = from === undefined ? {} : { from: [...next.filter(isNode), ...from] }
  return { ...input, ...fromWithNodes, nodes: hasNodes ? 0 : defaultNodeCount }
}
