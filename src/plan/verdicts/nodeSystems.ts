import { selectsNode, toleratesNode } from "../../kubernetes/scheduling/nodeSelection.ts"
import type { Node, Pod, PodSpec } from "../../kubernetes/meta/objects.ts"

export interface NodeSystems {
  /** The operating system of the Pods. */
  readonly required: string
  /** The other systems of nodes that may take the Pods, whose kubelets reject them. */
  readonly others: ReadonlyArray<string>
  readonly isOnSomeNode: boolean
}

/**
 * Undefined where no node of another system may take the Pods; the scheduler does not look at `spec.os`.
 * Source: pkg/kubelet/lifecycle/predicate.go (rejectPodAdmissionBasedOnOSField).
 */
export const nodeSystemsFor = (
  spec: Partial<PodSpec>,
  nodes: ReadonlyArray<Node>
): NodeSystems | undefined => {
  const required = spec.os?.name
  if (required === undefined) return undefined
  const podSpec: PodSpec = { containers: [], ...spec }
  const { nodeName = "" } = spec
  const systems = nodes
    .filter((node) =>
      nodeName === ""
        ? selectsNode(podSpec, node) && toleratesNode(podSpec, node.spec.taints ?? [])
        : node.metadata.name === nodeName
    )
    .map(systemOf)
  const others = [...new Set(systems.filter((name) => name !== required))]
  return others.length === 0 ? undefined : { required, others, isOnSomeNode: systems.includes(required) }
}

export const rejectionText = ({ required, others }: NodeSystems): string =>
  `PodOSNotSupported: nodes of ${others.join(" and ")} may take its Pods, and their kubelets reject Pods of ${required}`

export const isRejectedByKubelet = ({ spec }: Pod, node: Node | undefined): boolean =>
  spec.os !== undefined && node !== undefined && systemOf(node) !== spec.os.name

const systemOf = ({ metadata, status }: Node): string =>
  metadata.labels?.["kubernetes.io/os"] ?? status.nodeInfo?.operatingSystem ?? "linux"
