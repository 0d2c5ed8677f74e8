import { toResize } from "../../../src/kubernetes/apps/rollingUpdate.ts"
import { currentRevisionHash } from "../../../src/kubernetes/apps/daemonSets/daemonSetObservation.ts"
import { podRevisionLabel } from "../../../src/kubernetes/apps/controllerRevisions/controllerRevisions.ts"
import type {
  DaemonSetObservation,
  DaemonUpdate,
  NodePod
} from "../../../src/kubernetes/apps/daemonSets/daemonSetObservation.ts"
import type {
  OrdinalReplica,
  StatefulSetObservation
} from "../../../src/kubernetes/apps/statefulSets/statefulSetObservation.ts"
import type { Resize } from "../../../src/kubernetes/apps/rollingUpdate.ts"
import type { DeploymentObservation } from "../../../src/kubernetes/apps/deploymentObservation.ts"
import type { ReplicaSetStatus } from "../../../src/kubernetes/meta/objects.ts"
import type { LedgerRule } from "../../../src/scenario/ledger/violations.ts"

type Module = Readonly<Record<string, unknown>>
type AnyFunction = (...given: ReadonlyArray<never>) => unknown

/** A rule of a controller, a plausible bug in it, and the failure that shows the bug. */
export interface BrokenRule {
  readonly name: string
  /** Below `src`. */
  readonly module: string
  readonly mock: (real: Module) => Module
  readonly violates: LedgerRule | "unsettled" | `step ${string}`
  /** The story that needs the rule. */
  readonly storyName: "busy" | "hard" | "mixed"
}

/** Changes the return value of a function of the module. */
const changingReturn =
  <A, G extends ReadonlyArray<never>>(name: string, change: (real: A, ...given: G) => A) =>
  (real: Module): Module => {
    const original = real[name] as AnyFunction
    return { [name]: (...given: G) => change(original(...given) as A, ...given) }
  }

type Plan = ReadonlyArray<Resize>

const oneMore = (plan: Plan): Plan => plan.map((it) => toResize(it.replicaSet, it.replicasTo + 1))
/** The first that may shrink shrinks by one Pod more. */
const oneFewer = (plan: Plan, seen: DeploymentObservation): Plan => {
  const shrinking = seen.oldReplicaSets.find(({ spec }) => spec.replicas > 0)
  if (shrinking === undefined) return plan
  const planned = plan.find(({ replicaSet }) => replicaSet === shrinking)?.replicasTo
  const replicasTo = (planned ?? shrinking.spec.replicas) - 1
  return replicasTo < 0
    ? plan
    : [...plan.filter(({ replicaSet }) => replicaSet !== shrinking), toResize(shrinking, replicasTo)]
}

const status = (change: (of: ReplicaSetStatus) => Partial<ReplicaSetStatus>) =>
  changingReturn<ReplicaSetStatus, []>("replicaSetStatus", (of) => ({ ...of, ...change(of) }))

const replicaCountOf = ({ statefulSet }: StatefulSetObservation): number => statefulSet.spec.replicas

/** The only Pod of each node, where it is of a former template. */
const oldDaemonPods = (seen: DaemonSetObservation): ReadonlyArray<NodePod> =>
  seen.nodes.flatMap((node) =>
    node.pods.length === 1
      ? node.pods
          .filter(({ metadata }) => metadata.labels?.[podRevisionLabel] !== currentRevisionHash(seen))
          .map((pod) => ({ node, pod }))
      : []
  )

export const brokenRules: ReadonlyArray<BrokenRule> = [
  {
    name: "the surge is one Pod too many",
    module: "kubernetes/apps/rollingUpdate.ts",
    mock: changingReturn<Plan, []>("planNewSize", oneMore),
    violates: "ceiling",
    storyName: "busy"
  },
  {
    name: "one old Pod more is taken away than may be missing",
    module: "kubernetes/apps/rollingUpdate.ts",
    mock: changingReturn<Plan, [never]>("planOldSizes", (plan, seen) => oneFewer(plan, seen)),
    violates: "floor",
    storyName: "busy"
  },
  {
    name: "Recreate does not wait for the old Pods",
    module: "kubernetes/apps/recreate.ts",
    mock: () => ({ areOldPodsLeft: () => false }),
    violates: "recreate",
    storyName: "hard"
  },
  {
    name: "proportional scaling gives each ReplicaSet one Pod more",
    module: "kubernetes/apps/scaling.ts",
    mock: changingReturn<Plan, []>("planScaling", oneMore),
    violates: "ceiling",
    storyName: "busy"
  },
  {
    name: "a ReplicaSet counts one missing Pod too many",
    module: "kubernetes/apps/replicaSets/replicaSetObservation.ts",
    mock: changingReturn<number, []>("missingPodCount", (missing) => (missing > 0 ? missing + 1 : missing)),
    violates: "asked",
    storyName: "busy"
  },
  {
    name: "a slow start creates a Pod too many in each batch",
    module: "kubernetes/apps/replicaSets/replicaSetObservation.ts",
    mock: changingReturn<number, []>("slowStartBatchSize", (size) => size + 1),
    violates: "asked",
    storyName: "busy"
  },
  {
    name: "a ReplicaSet counts terminating Pods in status.replicas",
    module: "kubernetes/apps/replicaSets/replicaSetObservation.ts",
    mock: status(({ replicas, terminatingReplicas = 0 }) => ({ replicas: replicas + terminatingReplicas })),
    violates: "statusCounts",
    storyName: "busy"
  },
  {
    name: "a ReplicaSet calls a Pod available as soon as it is ready",
    module: "kubernetes/apps/replicaSets/replicaSetObservation.ts",
    mock: status(({ readyReplicas = 0 }) => ({ availableReplicas: readyReplicas })),
    violates: "statusCounts",
    storyName: "busy"
  },
  {
    name: "a ReplicaSet reports an observedGeneration that does not exist yet",
    module: "kubernetes/apps/replicaSets/replicaSetObservation.ts",
    mock: status(({ observedGeneration = 0 }) => ({ observedGeneration: observedGeneration + 1 })),
    violates: "observedGeneration",
    storyName: "busy"
  },
  {
    name: "revisions start again from 1",
    module: "kubernetes/apps/revisions/revisions.ts",
    mock: () => ({ maxRevision: () => 0n }),
    violates: "revisionsGrow",
    storyName: "busy"
  },
  {
    name: "a paused Deployment goes on rolling",
    module: "kubernetes/apps/rolloutPrecedence.ts",
    mock: () => ({ isPaused: () => false }),
    violates: "paused",
    storyName: "hard"
  },
  {
    name: "a missed deadline is not noticed",
    module: "kubernetes/apps/progress.ts",
    mock: () => ({ isProgressOverdue: () => false }),
    violates: "step waitFor deployment/web is failed",
    storyName: "hard"
  },
  {
    name: "a StatefulSet creates a Pod beyond its ordinals",
    module: "kubernetes/apps/statefulSets/statefulSetOrder.ts",
    mock: changingReturn<ReadonlyArray<OrdinalReplica>, [seen: never, state: never]>(
      "actionableReplicas",
      (replicas, seen, state) =>
        state === "missing" && replicas.some(({ ordinal }) => ordinal === 0)
          ? [...replicas, { ordinal: replicaCountOf(seen), pod: undefined, state: "missing" }]
          : replicas
    ),
    violates: "ordinals",
    storyName: "mixed"
  },
  {
    name: "a StatefulSet does not wait for the Pods of lower ordinals",
    module: "kubernetes/apps/statefulSets/statefulSetObservation.ts",
    mock: () => ({ isOrderedReady: () => false }),
    violates: "ordered",
    storyName: "mixed"
  },
  {
    name: "a DaemonSet replaces all Pods at once",
    module: "kubernetes/apps/daemonSets/daemonSetObservation.ts",
    mock: changingReturn<DaemonUpdate, [seen: never]>("daemonUpdate", (update, seen) => ({
      ...update,
      podsToDelete: update.podsToDelete.length > 0 ? oldDaemonPods(seen).map(({ pod }) => pod) : []
    })),
    violates: "floor",
    storyName: "mixed"
  },
  {
    name: "a DaemonSet surges on all nodes at once",
    module: "kubernetes/apps/daemonSets/daemonSetObservation.ts",
    mock: changingReturn<DaemonUpdate, [seen: never]>("daemonUpdate", (update, seen) => ({
      ...update,
      nodesToSurge: update.nodesToSurge.length > 0 ? oldDaemonPods(seen).map(({ node }) => node.name) : []
    })),
    violates: "ceiling",
    storyName: "mixed"
  },
  {
    name: "a Job runs one Pod more than its parallelism",
    module: "kubernetes/batch/jobs/jobOutcome.ts",
    mock: changingReturn<number, []>("wantedPodCount", (wanted) => (wanted > 0 ? wanted + 1 : wanted)),
    violates: "parallelism",
    storyName: "mixed"
  },
  {
    name: "ready Pods are deleted before unready ones",
    module: "kubernetes/pods/deletionOrder.ts",
    mock: changingReturn<number, []>("deletionClass", (of) => -of),
    violates: "invariant",
    storyName: "busy"
  }
]
