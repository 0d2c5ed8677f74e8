import { choosePodNode } from "../../../src/kubernetes/scheduling/placement.ts"
import { makeMutableNodeInfos } from "../../../src/kubernetes/scheduling/nodeInfos.ts"
import { aNode, aPod } from "../../builders.ts"
import type { Labels, Node, Pod } from "../../../src/kubernetes/meta/objects.ts"
import type { PodOptions } from "../../builders.ts"

export interface PlacementCase {
  readonly pod: PodOptions
  readonly nodes: ReadonlyArray<Node>
  /** Pods on nodes. */
  readonly pods?: ReadonlyArray<Pod>
  /** Namespaces by name, with their labels. */
  readonly namespaces?: Readonly<Record<string, Labels>>
}

/** The node that a Pod gets, or what is said of it. */
export const placementOf = ({ pod, nodes, pods = [], namespaces = {} }: PlacementCase): string => {
  const { nodeInfos, add } = makeMutableNodeInfos(
    nodes,
    Object.entries(namespaces).map(([name, labels]) => ({ name, labels }))
  )
  pods.forEach(add)
  const placement = choosePodNode(aPod({ node: undefined, name: "new", ...pod }), nodes, nodeInfos)
  return placement.found ? placement.node.metadata.name : placement.message
}

/** A node with the label that every kubelet sets, in a zone where one is given. */
export const aNodeIn = (name: string, zone?: string, labels: Labels = {}): Node =>
  aNode({
    name,
    labels: {
      "kubernetes.io/hostname": name,
      ...(zone === undefined ? {} : { "topology.kubernetes.io/zone": zone }),
      ...labels
    }
  })
