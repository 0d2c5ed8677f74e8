import { storedContainerFacts } from "../../src/kubernetes/pods/containers/storedContainers.ts"
import { aDeployment, aMeta, aReplicaSet, aTemplate, millisAt, textAt } from "./workloadObservations.ts"
import { controllerReference } from "../../src/kubernetes/meta/ownerReferences.ts"
import { podStatus } from "../../src/kubernetes/pods/podStatus.ts"
import type { NodeObservation } from "../../machines/guards/nodeGuards.ts"
import type { PodObservation } from "../../machines/guards/podGuards.ts"
import type { Command } from "../../src/kubernetes/apps/commands.ts"
import type { ContainerFacts } from "../../src/kubernetes/pods/containers/containers.ts"
import type { Pod, PodStatus } from "../../src/kubernetes/meta/objects.ts"
import type { ContainerLife, PodLife } from "../../src/kubernetes/pods/podLife.ts"
import type {
  PodCounts,
  ReplicaSetObservation
} from "../../src/kubernetes/apps/replicaSets/replicaSetObservation.ts"
import type { ReplicaSetTraits } from "./workloadObservations.ts"

const aContainerLife = (life: Partial<ContainerLife> = {}): ContainerLife => ({
  pullMillis: 700,
  pullFailures: 0,
  pullError: "manifest unknown",
  startMillis: 300,
  readyMillis: 500,
  exit: undefined,
  flap: undefined,
  hangMillis: undefined,
  ...life
})

export const aLife = (life: Partial<ContainerLife> = {}, mover: PodLife["mover"] = "kubelet"): PodLife => ({
  mover,
  scheduleMillis: 20,
  containers: {},
  otherContainers: aContainerLife(life),
  terminateMillis: 900
})

/** Lives that together lead to every state of a container. */
export const lives: ReadonlyMap<string, PodLife> = new Map([
  ["healthy", aLife()],
  ["pulled at the third try", aLife({ pullFailures: 2 })],
  ["crashes twice, then lasts", aLife({ exit: { afterMillis: 1700, code: 3, reason: "Error", times: 2 } })],
  ["crashes for ever", aLife({ exit: { afterMillis: 1300, code: 1, reason: "Error", times: Infinity } })],
  ["ends well", aLife({ exit: { afterMillis: 2100, code: 0, reason: "Completed", times: Infinity } })],
  ["flaps three times", aLife({ flap: { readyMillis: 1100, unreadyMillis: 600, times: 3 } })]
])

interface PodTraits {
  readonly name?: string
  readonly node?: string
  readonly deleting?: boolean
  readonly restartPolicy?: string
  readonly containers?: ReadonlyArray<string>
  /** Names of init containers; a name that begins with `side` is a sidecar. */
  readonly inits?: ReadonlyArray<string>
  readonly status?: PodStatus
}

export const aPod = (traits: PodTraits = {}): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: aMeta(traits.name ?? "web-1", {
    labels: { app: "web" },
    ownerReferences: [controllerReference(aDeployment())],
    ...(traits.deleting === true ? { deletionTimestamp: textAt(9), deletionGracePeriodSeconds: 30 } : {})
  }),
  spec: {
    ...aTemplate("v1").spec,
    containers: (traits.containers ?? ["app"]).map((name) => ({
      name,
      image: `registry.example/${name}:v1`
    })),
    ...(traits.inits === undefined ? {} : { initContainers: traits.inits.map(anInit) }),
    restartPolicy: traits.restartPolicy ?? "Always",
    ...(traits.node === undefined ? {} : { nodeName: traits.node })
  },
  status: traits.status ?? { phase: "Pending" }
})

const anInit = (name: string) => ({
  name,
  image: `registry.example/${name}:v1`,
  ...(name.startsWith("side") ? { restartPolicy: "Always" } : {})
})

export const newContainer = (name = "app"): ContainerFacts => storedContainerFacts(name, undefined)

/** The Pod in the store after its kubelet has reported these containers. */
export const reportedPod = (
  pod: Pod,
  { containers, ending }: Pick<PodReport, "containers" | "ending">,
  nowMillis: number
): Pod => {
  const addresses = { podIP: "10.244.0.7", hostIP: "10.0.0.1" }
  return { ...pod, status: podStatus({ pod, containers, ending, addresses, nowMillis }) }
}

type PodReport = Extract<Command, { readonly type: "reportPod" }>

export const observedPod = (
  pod: Pod,
  life: PodLife = aLife(),
  rest: Partial<PodObservation> = {}
): PodObservation => ({ pod, life, kubelet: "reachable", nowMillis: millisAt(10), ...rest })

const noPods: PodCounts = {
  active: 0,
  fullyLabeled: 0,
  ready: 0,
  available: 0,
  terminating: 0,
  nextAvailableMillis: undefined
}

interface ReplicaSetSituation extends ReplicaSetTraits {
  readonly active?: number
  /** Seconds until the next ready Pod is available. */
  readonly nextAvailable?: number
  readonly adopt?: number
  readonly release?: number
  readonly atSeconds?: number
}

const observedReplicaSet = (situation: ReplicaSetSituation): ReplicaSetObservation => {
  const replicaSet = aReplicaSet(situation)
  const { active = replicaSet.spec.replicas, atSeconds = 10, nextAvailable } = situation
  const ready = nextAvailable === undefined ? active : Math.max(0, active - 1)
  const some = (count = 0, prefix: string): ReadonlyArray<Pod> =>
    Array.from({ length: count }, (_, index) => aPod({ name: `${prefix}${index}` }))
  return {
    replicaSet,
    pods: {
      ...noPods,
      active,
      fullyLabeled: active,
      ready: active,
      available: ready,
      nextAvailableMillis: nextAvailable === undefined ? undefined : millisAt(atSeconds + nextAvailable)
    },
    countsTerminating: true,
    claims: { adopt: some(situation.adopt, "adopted-"), release: some(situation.release, "released-") },
    nowMillis: millisAt(atSeconds)
  }
}

export const replicaSetObservations: ReadonlyMap<string, ReplicaSetObservation> = new Map(
  Object.entries({
    "created, no Pod yet": { pods: 0, active: 0 },
    "some Pods are missing": { pods: 2, active: 2 },
    "eleven Pods are missing": { replicas: 11, pods: 0, active: 0 },
    "all Pods exist": {},
    "all Pods exist, not all available yet": { available: 4, nextAvailable: 7 },
    "too many Pods": { replicas: 3, pods: 7, active: 7 },
    "scaled to nothing": { replicas: 0, pods: 5, active: 5 },
    "two Pods were lost": { active: 3 },
    "an orphan matches": { pods: 4, active: 4, adopt: 1 },
    "a Pod matches no more": { active: 4, release: 1 },
    "being deleted": { deleting: true, active: 2 },
    "Pods were refused": { pods: 0, active: 0, failure: "exceeded quota" }
  } satisfies Readonly<Record<string, ReplicaSetSituation>>).map(([name, situation]) => [
    name,
    observedReplicaSet(situation)
  ])
)

const observedNode = (more: Partial<NodeObservation> = {}): NodeObservation => ({
  kubelet: "running",
  ready: "True",
  lostMillis: millisAt(53),
  hasStaleReadyPods: false,
  isMistainted: false,
  overduePods: [],
  toleratingPods: [],
  nextOverdueMillis: undefined,
  nowMillis: millisAt(10),
  ...more
})

const stoppedKubelet = { kubelet: "stopped", lostMillis: millisAt(50) } as const
const lostNode = { ...stoppedKubelet, ready: "Unknown" } as const
const toleratingPod = { toleratingPods: ["shop/web-2"], nextOverdueMillis: millisAt(31) }

export const nodeObservations: ReadonlyMap<string, NodeObservation> = new Map([
  ["healthy", observedNode()],
  ["new, not ready yet", observedNode({ ready: "False" })],
  ["its kubelet is stopped", observedNode(stoppedKubelet)],
  [
    "its kubelet is stopped, reported not ready",
    observedNode({ ...stoppedKubelet, ready: "False", hasStaleReadyPods: true })
  ],
  [
    "known to be lost, its Pods still serve",
    observedNode({ ...lostNode, hasStaleReadyPods: true, isMistainted: true })
  ],
  ["known to be lost", observedNode(lostNode)],
  ["lost, a Pod still tolerates it", observedNode({ ...lostNode, ...toleratingPod })],
  [
    "lost, the toleration of a Pod is over",
    observedNode({ ...lostNode, ...toleratingPod, overduePods: ["shop/web-1"] })
  ],
  ["back after it was lost", observedNode({ ready: "Unknown", isMistainted: true })],
  ["tainted by hand, a Pod tolerates it", observedNode(toleratingPod)],
  ["tainted by hand, a Pod does not tolerate it", observedNode({ overduePods: ["shop/web-1"] })]
])
