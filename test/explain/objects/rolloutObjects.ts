import { explainRollout } from "../../../src/explain/objects/explainRollout.ts"
import {
  aContainerStatus,
  aDeployment,
  anEvent,
  aPod,
  aReplicaSet,
  aTime,
  startMillis
} from "../../builders.ts"
import { normalizeEvent } from "../../../src/kubernetes/meta/normalizeEvent.ts"
import type {
  ContainerStatus,
  EventObject,
  Namespace,
  Node,
  Pod,
  PodSpec
} from "../../../src/kubernetes/meta/objects.ts"
import type { DeploymentOptions, PodOptions, ReplicaSetOptions } from "../../builders.ts"

/** The objects of a rollout to v3, a minute after the start; five replicas by default. */
export interface RolloutObjects {
  readonly deployment?: DeploymentOptions
  readonly old?: ReplicaSetOptions
  readonly next?: ReplicaSetOptions | null
  readonly newPods?: ReadonlyArray<Pod>
  readonly oldPods?: ReadonlyArray<Pod>
  readonly events?: ReadonlyArray<EventObject>
  readonly namespace?: Namespace
  readonly nodes?: ReadonlyArray<Node>
}

export const progressing = (reason: string, seconds: number, message = "") => ({
  type: "Progressing",
  status: reason === "ProgressDeadlineExceeded" ? "False" : "True",
  reason,
  message,
  lastUpdateTime: aTime(seconds),
  lastTransitionTime: aTime(seconds)
})

const next = aReplicaSet({ version: "v3", uid: "uid-new" })
const old = aReplicaSet({ version: "v1", uid: "uid-old" })

export const explained = ({
  deployment = {},
  newPods = [],
  oldPods = [],
  events = [],
  namespace,
  nodes = [],
  ...sets
}: RolloutObjects) => {
  const replicaSets = [
    ...(sets.old === undefined
      ? []
      : [aReplicaSet({ version: "v1", uid: "uid-old", revision: "1", ...sets.old })]),
    ...(sets.next === null
      ? []
      : [aReplicaSet({ version: "v3", uid: "uid-new", revision: "2", replicas: 5, ...sets.next })])
  ]
  const sum = (count: (status: (typeof replicaSets)[number]["status"]) => number | undefined): number =>
    replicaSets.reduce((total, { status }) => total + (count(status) ?? 0), 0)
  const rollingOut = aDeployment({
    replicas: 5,
    surge: 2,
    unavailable: 1,
    deadlineSeconds: 600,
    conditions: [progressing("ReplicaSetUpdated", 0)],
    ...deployment,
    status: {
      observedGeneration: 1,
      replicas: sum(({ replicas }) => replicas),
      updatedReplicas:
        replicaSets.at(-1)?.metadata.uid === "uid-new" ? (replicaSets.at(-1)?.status.replicas ?? 0) : 0,
      availableReplicas: sum(({ availableReplicas }) => availableReplicas),
      ...deployment.status
    }
  })
  return explainRollout({
    deployment: rollingOut,
    replicaSets,
    pods: [...newPods, ...oldPods],
    events: events.map(normalizeEvent),
    namespace,
    nodes,
    nowMillis: startMillis + 60_000
  })
}

export const newPod = (options: PodOptions & { readonly status?: Partial<Pod["status"]> } = {}): Pod => {
  const pod = aPod({ owner: next, name: "web-v3-a", ...options })
  return { ...pod, status: { ...pod.status, ...options.status } }
}
export const oldPod = (options: PodOptions = {}): Pod => aPod({ owner: old, name: "web-v1-a", ...options })

export const container = (status: Partial<ContainerStatus>): Partial<Pod["status"]> => ({
  containerStatuses: [aContainerStatus({ image: "web:broken", ...status })]
})

export const event = (
  pod: Pod,
  reason: string,
  message: string,
  count: number,
  seconds: number,
  firstSeconds = 0
) =>
  anEvent({
    involvedObject: { uid: pod.metadata.uid },
    reason,
    message,
    count,
    first: firstSeconds,
    last: seconds
  })

export const probed: PodSpec = { containers: [{ name: "app", readinessProbe: { periodSeconds: 3 } }] }
