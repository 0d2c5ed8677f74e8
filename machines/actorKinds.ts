import { resources } from "../src/kubernetes/meta/resources.ts"

export type ActorChart =
  | "deployment"
  | "steering"
  | "replicaSet"
  | "statefulSet"
  | "daemonSet"
  | "pod"
  | "container"
  | "node"
  | "job"
  | "cronJob"
  | "horizontalPodAutoscaler"

export interface ActorKind {
  readonly chart: ActorChart
  readonly kind:
    | "Deployment"
    | "Steering"
    | "ReplicaSet"
    | "StatefulSet"
    | "DaemonSet"
    | "Job"
    | "CronJob"
    | "HorizontalPodAutoscaler"
    | "Pod"
    | "Container"
    | "Node"
  /** Absent where the actor has no object of its own: a steering belongs to a Deployment, a container to a Pod. */
  readonly resource?: (typeof resources)[
    | "deployments"
    | "replicaSets"
    | "statefulSets"
    | "daemonSets"
    | "jobs"
    | "cronJobs"
    | "autoscalers"
    | "pods"
    | "nodes"]
  readonly isNamespaced: boolean
  /** The names kubectl accepts, in lower case, the singular first. */
  readonly names: ReadonlyArray<string>
  /** What the actor does. */
  readonly about: string
}

export const actorKindList: ReadonlyArray<ActorKind> = [
  {
    chart: "deployment",
    kind: "Deployment",
    resource: resources.deployments,
    isNamespaced: true,
    names: ["deployment", "deployments", "deploy"],
    about: "A rollout: its next commands, its progress, and whether enough Pods are available"
  },
  {
    chart: "steering",
    kind: "Steering",
    isNamespaced: true,
    names: ["steering"],
    about: "Steers a Deployment with a strategy: takes back a rollout that fails"
  },
  {
    chart: "replicaSet",
    kind: "ReplicaSet",
    resource: resources.replicaSets,
    isNamespaced: true,
    names: ["replicaset", "replicasets", "rs"],
    about: "Creates missing Pods and deletes surplus ones"
  },
  {
    chart: "statefulSet",
    kind: "StatefulSet",
    resource: resources.statefulSets,
    isNamespaced: true,
    names: ["statefulset", "statefulsets", "sts"],
    about: "Keeps a Pod for every ordinal, in order, and updates them from the highest down"
  },
  {
    chart: "daemonSet",
    kind: "DaemonSet",
    resource: resources.daemonSets,
    isNamespaced: true,
    names: ["daemonset", "daemonsets", "ds"],
    about: "Keeps a Pod on every node that fits, and updates them node by node"
  },
  {
    chart: "job",
    kind: "Job",
    resource: resources.jobs,
    isNamespaced: true,
    names: ["job", "jobs"],
    about: "Runs Pods until enough have succeeded, and counts each exactly once"
  },
  {
    chart: "cronJob",
    kind: "CronJob",
    resource: resources.cronJobs,
    isNamespaced: true,
    names: ["cronjob", "cronjobs", "cj"],
    about: "Starts a Job at every time of its schedule"
  },
  {
    chart: "horizontalPodAutoscaler",
    kind: "HorizontalPodAutoscaler",
    resource: resources.autoscalers,
    isNamespaced: true,
    names: ["horizontalpodautoscaler", "horizontalpodautoscalers", "hpa"],
    about: "Changes the size of a workload by what is measured of its Pods"
  },
  {
    chart: "pod",
    kind: "Pod",
    resource: resources.pods,
    isNamespaced: true,
    names: ["pod", "pods", "po"],
    about: "What a kubelet does with a Pod, from its scheduling to its deletion"
  },
  {
    chart: "container",
    kind: "Container",
    isNamespaced: true,
    names: ["container", "containers"],
    about: "Pulls, probes, crashes and back-offs"
  },
  {
    chart: "node",
    kind: "Node",
    resource: resources.nodes,
    isNamespaced: false,
    names: ["node", "nodes", "no"],
    about: "Leases, taints, and which Pods are evicted"
  }
]

export const findActorKind = (name: string): ActorKind | undefined =>
  actorKindList.find(({ names }) => names.includes(name.toLowerCase()))
