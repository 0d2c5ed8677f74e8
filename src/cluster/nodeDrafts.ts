import { fieldsOrEmpty } from "../kubernetes/meta/fields.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { Draft, Labels, Manifest } from "../kubernetes/meta/objects.ts"

export interface NodeShape {
  /** 110 by default. */
  readonly pods?: number
  /** `32` by default. */
  readonly cpu?: string
  /** `128Gi` by default. */
  readonly memory?: string
  /** Such as `{ "nvidia.com/gpu": 4, "ephemeral-storage": "200Gi" }`. */
  readonly resources?: Readonly<Record<string, string | number>>
  /** The nodes are assigned to these zones in turn. */
  readonly zones?: ReadonlyArray<string>
  readonly region?: string
  readonly instanceType?: string
  readonly labels?: Labels
}

/** Without `objects`, `count` nodes of one shape. */
export interface NodesToRegister extends NodeShape {
  readonly count: number
  readonly objects?: ReadonlyArray<Manifest>
}

type NodeDraft = Draft & { readonly spec: object; readonly status: Core.NodeStatus }

/** Source: pkg/kubelet/kubelet_node_status.go (initialNode). */
export const nodeDrafts = (nodes: NodesToRegister): ReadonlyArray<NodeDraft> =>
  nodes.objects === undefined
    ? Array.from({ length: nodes.count }, (_, index) => shapedNode(`node-${index + 1}`, index + 1, nodes))
    : nodes.objects.map((object, index) => registeredNode(object, index + 1))

const shapedNode = (name: string, index: number, shape: NodeShape): NodeDraft => {
  const { zones = [], region, instanceType } = shape
  const zone = zones[(index - 1) % zones.length]
  const labels = {
    ...kubeletLabels(name),
    ...(instanceType === undefined ? {} : { "node.kubernetes.io/instance-type": instanceType }),
    ...(region === undefined ? {} : { "topology.kubernetes.io/region": region }),
    ...(zone === undefined ? {} : { "topology.kubernetes.io/zone": zone }),
    ...shape.labels
  }
  const amounts = amountsOf(shape)
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels },
    spec: {},
    status: {
      capacity: amounts,
      allocatable: amounts,
      addresses: addressesOf(name, index),
      nodeInfo: defaultNodeInfo
    }
  }
}

const defaultShape = { pods: 110, cpu: "32", memory: "128Gi" }

const amountsOf = (shape: NodeShape): Record<string, string> => {
  const { pods, cpu, memory } = { ...defaultShape, ...shape }
  const others = Object.entries(shape.resources ?? {}).map(([name, amount]) => [name, String(amount)])
  return {
    cpu,
    memory,
    pods: String(pods),
    "ephemeral-storage": "100Gi",
    ...(Object.fromEntries(others) as Record<string, string>)
  }
}

const addressesOf = (name: string, index: number): Array<Core.NodeAddress> => [
  { type: "InternalIP", address: `172.18.${index >> 8}.${index & 255}` },
  { type: "Hostname", address: name }
]

const defaultNodeInfo: Core.NodeSystemInfo = {
  architecture: "amd64",
  bootID: "",
  containerRuntimeVersion: "charthouse://1",
  kernelVersion: "",
  kubeProxyVersion: "",
  kubeletVersion: "v1.36.2",
  machineID: "",
  operatingSystem: "linux",
  osImage: "",
  systemUUID: ""
}

const kubeletLabels = (
  name: string,
  {
    operatingSystem,
    architecture
  }: Pick<Core.NodeSystemInfo, "operatingSystem" | "architecture"> = defaultNodeInfo
): Labels => ({
  "beta.kubernetes.io/arch": architecture,
  "beta.kubernetes.io/os": operatingSystem,
  "kubernetes.io/arch": architecture,
  "kubernetes.io/hostname": name,
  "kubernetes.io/os": operatingSystem
})

/** Conditions of the object, and taints that follow from them, are dropped. */
const registeredNode = (object: Manifest, index: number): NodeDraft => {
  const { name = "", labels, annotations } = object.metadata
  const spec = fieldsOrEmpty("spec" in object ? object.spec : undefined) as Core.NodeSpec
  const status = fieldsOrEmpty("status" in object ? object.status : undefined) as Core.NodeStatus
  const capacity = { ...amountsOf({}), ...status.allocatable, ...status.capacity }
  const nodeInfo = { ...defaultNodeInfo, ...status.nodeInfo }
  const { taints, ...otherSpec } = spec
  const ownTaints = (taints ?? []).filter(({ key }) => !key.startsWith("node.kubernetes.io/"))
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: { ...kubeletLabels(name, nodeInfo), ...labels },
      ...(annotations === undefined ? {} : { annotations })
    },
    spec: { ...otherSpec, ...(ownTaints.length === 0 ? {} : { taints: ownTaints }) },
    status: {
      capacity,
      allocatable: { ...capacity, ...status.allocatable },
      addresses: status.addresses ?? addressesOf(name, index),
      nodeInfo,
      ...(status.images === undefined ? {} : { images: status.images })
    }
  }
}
