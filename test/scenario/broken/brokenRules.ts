import { toResize } from "../../../src/kubernetes/apps/rollingUpdate.ts"
import type { Resize } from "../../../src/kubernetes/apps/rollingUpdate.ts"
import type { DeploymentObservation } from "../../../src/kubernetes/apps/deploymentObservation.ts"
import type { ReplicaSetStatus } from "../../../src/kubernetes/meta/objects.ts"
import type { LedgerRule } from "../../../src/scenario/ledger/violations.ts"

type Module = Readonly<Record<string, unknown>>
type Any = (...given: ReadonlyArray<never>) => unknown

/** One rule of a controller, broken as a person might break it, and how that is to be noticed. */
export interface BrokenRule {
  readonly name: string
  /** Below `src`. */
  readonly module: string
  readonly broken: (real: Module) => Module
  readonly caught: LedgerRule | "unsettled" | `step ${string}`
  /** The day on which the rule is needed. */
  readonly day: "busy" | "hard"
}

/** Changes what a function of the module answers. */
const answering =
  <A, G extends ReadonlyArray<never>>(name: string, change: (real: A, ...given: G) => A) =>
  (real: Module): Module => {
    const original = real[name] as Any
    return { [name]: (...given: G) => change(original(...given) as A, ...given) }
  }

type Plan = ReadonlyArray<Resize>

const oneMore = (plan: Plan): Plan => plan.map((it) => toResize(it.replicaSet, it.replicasTo + 1))
/** The first that may shrink shrinks by one Pod more. */
const oneFewer = (plan: Plan, seen: DeploymentObservation): Plan => {
  const shrinking = seen.previous.find(({ spec }) => spec.replicas > 0)
  if (shrinking === undefined) return plan
  const planned = plan.find(({ replicaSet }) => replicaSet === shrinking)?.replicasTo
  const replicasTo = (planned ?? shrinking.spec.replicas) - 1
  return replicasTo < 0
    ? plan
    : [...plan.filter(({ replicaSet }) => replicaSet !== shrinking), toResize(shrinking, replicasTo)]
}

const status = (change: (of: ReplicaSetStatus) => Partial<ReplicaSetStatus>) =>
  answering<ReplicaSetStatus, []>("replicaSetStatus", (of) => ({ ...of, ...change(of) }))

export const brokenRules: ReadonlyArray<BrokenRule> = [
  {
    name: "the surge is one Pod too many",
    module: "kubernetes/apps/rollingUpdate.ts",
    broken: answering<Plan, []>("planNext", oneMore),
    caught: "ceiling",
    day: "busy"
  },
  {
    name: "one old Pod more is taken away than may be missing",
    module: "kubernetes/apps/rollingUpdate.ts",
    broken: answering<Plan, [never]>("planPrevious", (plan, seen) => oneFewer(plan, seen)),
    caught: "floor",
    day: "busy"
  },
  {
    name: "Recreate does not wait for the old Pods",
    module: "kubernetes/apps/recreate.ts",
    broken: () => ({ isPreviousRunning: () => false }),
    caught: "recreate",
    day: "hard"
  },
  {
    name: "a size that changes in mid-rollout is given to each ReplicaSet with one Pod more",
    module: "kubernetes/apps/scaling.ts",
    broken: answering<Plan, []>("planScaling", oneMore),
    caught: "ceiling",
    day: "busy"
  },
  {
    name: "a ReplicaSet thinks that one Pod more is missing",
    module: "kubernetes/apps/replicaSetObservation.ts",
    broken: answering<number, []>("missingPods", (missing) => (missing > 0 ? missing + 1 : missing)),
    caught: "asked",
    day: "busy"
  },
  {
    name: "a slow start creates a Pod too many in each batch",
    module: "kubernetes/apps/replicaSetObservation.ts",
    broken: answering<number, []>("slowStartBatchSize", (size) => size + 1),
    caught: "asked",
    day: "busy"
  },
  {
    name: "a ReplicaSet reports those that terminate among its Pods",
    module: "kubernetes/apps/replicaSetObservation.ts",
    broken: status(({ replicas, terminatingReplicas = 0 }) => ({ replicas: replicas + terminatingReplicas })),
    caught: "statusCounts",
    day: "busy"
  },
  {
    name: "a ReplicaSet calls a Pod available as soon as it is ready",
    module: "kubernetes/apps/replicaSetObservation.ts",
    broken: status(({ readyReplicas = 0 }) => ({ availableReplicas: readyReplicas })),
    caught: "statusCounts",
    day: "busy"
  },
  {
    name: "a ReplicaSet claims to have seen a spec that is not written yet",
    module: "kubernetes/apps/replicaSetObservation.ts",
    broken: status(({ observedGeneration = 0 }) => ({ observedGeneration: observedGeneration + 1 })),
    caught: "observedGeneration",
    day: "busy"
  },
  {
    name: "revisions are numbered anew from 1",
    module: "kubernetes/apps/revisions/revisions.ts",
    broken: () => ({ maxRevision: () => 0n }),
    caught: "revisionsGrow",
    day: "busy"
  },
  {
    name: "a paused Deployment goes on rolling",
    module: "kubernetes/apps/rolloutPrecedence.ts",
    broken: () => ({ isPaused: () => false }),
    caught: "paused",
    day: "hard"
  },
  {
    name: "a missed deadline is not noticed",
    module: "kubernetes/apps/progress.ts",
    broken: () => ({ isProgressOverdue: () => false }),
    caught: "step waitFor deployment/web is failed",
    day: "hard"
  },
  {
    name: "the Pods that serve go before those that do not",
    module: "kubernetes/pods/deletionOrder.ts",
    broken: answering<number, []>("deletionClass", (of) => -of),
    caught: "invariant",
    day: "busy"
  }
]
