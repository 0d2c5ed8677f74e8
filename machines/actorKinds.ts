import { resources } from "../src/kubernetes/meta/kinds.ts"
import { containerGuards, containerStepNumbers } from "./containerGuards.ts"
import { deploymentGuards, deploymentStepNumbers } from "./deploymentGuards.ts"
import { nodeGuards, nodeStepNumbers } from "./nodeGuards.ts"
import { podGuards, podStepNumbers } from "./podGuards.ts"
import { replicaSetGuards, replicaSetStepNumbers } from "./replicaSetGuards.ts"
import { statefulSetGuards, statefulSetStepNumbers } from "./statefulSetGuards.ts"
import type { ObservedNumbers } from "./guard.ts"

export type ActorChart = "deployment" | "replicaSet" | "statefulSet" | "pod" | "container" | "node"

export interface ActorKind {
  readonly chart: ActorChart
  readonly kind: "Deployment" | "ReplicaSet" | "StatefulSet" | "Pod" | "Container" | "Node"
  readonly resource?: (typeof resources)["deployments" | "replicaSets" | "statefulSets" | "pods" | "nodes"]
  readonly isNamespaced: boolean
  /** The names kubectl accepts, in lower case, the singular first. */
  readonly names: ReadonlyArray<string>
  readonly about: string
  readonly guards: Readonly<Record<string, unknown>>
  /** The numbers that `charthouse why` shows of the observation with which a step began. */
  readonly numbers: ObservedNumbers
}

export const actorKindList: ReadonlyArray<ActorKind> = [
  {
    chart: "deployment",
    kind: "Deployment",
    resource: resources.deployments,
    isNamespaced: true,
    names: ["deployment", "deployments", "deploy"],
    about: "A rollout: its next commands, its progress, and whether enough Pods are available",
    guards: deploymentGuards,
    numbers: deploymentStepNumbers
  },
  {
    chart: "replicaSet",
    kind: "ReplicaSet",
    resource: resources.replicaSets,
    isNamespaced: true,
    names: ["replicaset", "replicasets", "rs"],
    about: "Creates missing Pods and deletes surplus ones",
    guards: replicaSetGuards,
    numbers: replicaSetStepNumbers
  },
  {
    chart: "statefulSet",
    kind: "StatefulSet",
    resource: resources.statefulSets,
    isNamespaced: true,
    names: ["statefulset", "statefulsets", "sts"],
    about: "Keeps a Pod for every ordinal, in order, and updates them from the highest down",
    guards: statefulSetGuards,
    numbers: statefulSetStepNumbers
  },
  {
    chart: "pod",
    kind: "Pod",
    resource: resources.pods,
    isNamespaced: true,
    names: ["pod", "pods", "po"],
    about: "What a kubelet does with a Pod, from its scheduling to its deletion",
    guards: podGuards,
    numbers: podStepNumbers
  },
  {
    chart: "container",
    kind: "Container",
    isNamespaced: true,
    names: ["container", "containers"],
    about: "Pulls, probes, crashes and back-offs",
    guards: containerGuards,
    numbers: containerStepNumbers
  },
  {
    chart: "node",
    kind: "Node",
    resource: resources.nodes,
    isNamespaced: false,
    names: ["node", "nodes", "no"],
    about: "Leases, taints, and which Pods are evicted",
    guards: nodeGuards,
    numbers: nodeStepNumbers
  }
]

export const actorKindCalled = (name: string): ActorKind | undefined =>
  actorKindList.find(({ names }) => names.includes(name.toLowerCase()))
