import { describe, expect, it } from "vitest"
import { conditionOf } from "../../../src/kubernetes/meta/conditions.ts"
import { controllerReference } from "../../../src/kubernetes/meta/ownerReferences.ts"
import { timestampMillis, timestampOf } from "../../../src/kubernetes/meta/amounts/timestamps.ts"
import { startMillis } from "../../builders.ts"
import { aDeploymentDraft, aReplicaSetDraft } from "../../store/testStore.ts"
import { workloadControllers } from "./workloadControllers.ts"
import type { DeploymentCondition, Draft } from "../../../src/kubernetes/meta/objects.ts"
import type { WorkloadControllers } from "./workloadControllers.ts"

/** Pods desired, existing and available. */
type PodNumbers = readonly [desired: number, existing: number, available: number]

interface RolloutState {
  readonly deadline: number | undefined
  readonly replicas?: number
  /** Pods, updated Pods and available Pods in the Deployment's last status. */
  readonly reported: PodNumbers
  readonly before: DeploymentCondition | undefined
  readonly old?: PodNumbers
  readonly next: PodNumbers
}

const progressing = (status: string, reason: string): DeploymentCondition => ({
  type: "Progressing",
  status,
  reason,
  message: "",
  lastUpdateTime: timestampOf(startMillis),
  lastTransitionTime: timestampOf(startMillis)
})
const updated = progressing("True", "ReplicaSetUpdated")
const timedOut = progressing("False", "ProgressDeadlineExceeded")
const available = progressing("True", "NewReplicaSetAvailable")

const templateOf = (tag: string) => ({
  metadata: { labels: { app: "web" } },
  spec: { containers: [{ name: "app", image: `registry.example/app:${tag}` }] }
})

/** A Deployment during a rollout, so many seconds after its last condition `before`. */
const duringRollout = (state: RolloutState, seconds: number): WorkloadControllers => {
  const { deadline, replicas = 3, reported, before, old, next } = state
  const controllers = workloadControllers({ withoutReplicaSets: true })
  controllers.pass(seconds * 1000)
  const spec = {
    replicas,
    strategy: { type: "Recreate" },
    template: templateOf("v3"),
    progressDeadlineSeconds: deadline ?? 2147483647
  }
  const revision = { annotations: { "deployment.kubernetes.io/revision": "2" } }
  const deployment = controllers.create(aDeploymentDraft({ name: "web", ...revision }, spec))
  const aSet = (
    name: string,
    tag: string,
    [desired, existing, available]: PodNumbers,
    annotations: object
  ) => {
    const metadata = { name, labels: { app: "web" }, ownerReferences: [controllerReference(deployment)] }
    const draft = { replicas: desired, template: templateOf(tag) }
    const made = controllers.create(aReplicaSetDraft({ ...metadata, ...annotations }, draft))
    const status = {
      replicas: existing,
      availableReplicas: available,
      readyReplicas: available,
      observedGeneration: 1
    }
    controllers.modify(made, (it) => ({ ...it, status }) as Draft, { status: true })
  }
  if (old !== undefined) aSet("web-old", "v1", old, {})
  aSet("web-next", "v3", next, revision)
  const status = {
    observedGeneration: 1,
    replicas: reported[0],
    updatedReplicas: reported[1],
    availableReplicas: reported[2],
    readyReplicas: reported[2],
    ...(before === undefined ? {} : { conditions: [before] })
  }
  controllers.modify(deployment, (it) => ({ ...it, status }) as Draft, { status: true })
  controllers.pass()
  return controllers
}

/** Progressing as `True ReplicaSetUpdated, updated at 90, turned at 0`. */
const progressingText = (controllers: WorkloadControllers): string => {
  const condition = conditionOf(controllers.deployment("web")?.status.conditions, "Progressing")
  if (condition === undefined) return "nothing"
  const at = (time: string | undefined) =>
    time === undefined ? "never" : (timestampMillis(time) - startMillis) / 1000
  const { status, reason, lastUpdateTime, lastTransitionTime } = condition
  return `${status} ${reason}, updated at ${at(lastUpdateTime)}, turned at ${at(lastTransitionTime)}`
}

describe("Progressing 90 s after the last status (TestSyncRolloutStatus)", () => {
  const progressed = { deadline: 60, reported: [2, 2, 2], old: [0, 1, 1], next: [3, 2, 2] } as const
  const complete = { deadline: 60, reported: [3, 3, 3], next: [3, 3, 3] } as const
  const stuck = { deadline: 60, reported: [2, 2, 2], next: [3, 2, 2] } as const
  it.each<RolloutState & { readonly why: string; readonly says: string }>([
    {
      why: "without a deadline there is no condition",
      ...progressed,
      deadline: undefined,
      before: updated,
      says: "nothing"
    },
    {
      why: "complete before and still complete is left as it is",
      ...complete,
      before: available,
      says: "True NewReplicaSetAvailable, updated at 0, turned at 0"
    },
    {
      why: "progress updates the condition without a transition",
      ...progressed,
      before: updated,
      says: "True ReplicaSetUpdated, updated at 90, turned at 0"
    },
    {
      why: "progress after the deadline is a transition",
      ...progressed,
      before: timedOut,
      says: "True ReplicaSetUpdated, updated at 90, turned at 90"
    },
    {
      why: "progress without a condition before",
      ...progressed,
      before: undefined,
      says: "True ReplicaSetUpdated, updated at 90, turned at 90"
    },
    {
      why: "completion without a transition",
      ...complete,
      before: updated,
      says: "True NewReplicaSetAvailable, updated at 90, turned at 0"
    },
    {
      why: "completion after the deadline is a transition",
      ...complete,
      before: timedOut,
      says: "True NewReplicaSetAvailable, updated at 90, turned at 90"
    },
    {
      why: "completion without a condition before",
      ...complete,
      before: undefined,
      says: "True NewReplicaSetAvailable, updated at 90, turned at 90"
    },
    {
      why: "the deadline has passed",
      ...stuck,
      before: updated,
      says: "False ProgressDeadlineExceeded, updated at 90, turned at 90"
    },
    {
      why: "it had passed before",
      ...stuck,
      before: timedOut,
      says: "False ProgressDeadlineExceeded, updated at 0, turned at 0"
    }
  ])("is $says: $why", ({ says, ...state }) => {
    expect(progressingText(duringRollout(state, 90))).toBe(says)
  })
})

describe("a stuck Deployment is reconciled again at its deadline (TestRequeueStuckDeployment)", () => {
  const stuck = { deadline: 60, reported: [3, 3, 1], next: [3, 3, 1] } as const
  it.each([0, 30, 59])("one second after the deadline, when last reconciled at %i s", (seconds) => {
    const controllers = duringRollout({ ...stuck, before: updated }, seconds)
    controllers.pass((61 - seconds) * 1000 - 1)
    expect(progressingText(controllers)).toBe("True ReplicaSetUpdated, updated at 0, turned at 0")
    controllers.pass(1)
    expect(progressingText(controllers)).toBe("False ProgressDeadlineExceeded, updated at 61, turned at 61")
  })

  it.each<{ readonly why: string } & RolloutState>([
    { why: "has no deadline", ...stuck, deadline: undefined, before: undefined },
    {
      why: "is complete",
      deadline: 60,
      reported: [3, 3, 3],
      next: [3, 3, 3],
      before: available
    },
    { why: "has reported it already", ...stuck, before: timedOut }
  ])("and not when it $why", (state) => {
    const controllers = duringRollout(state, 30)
    const written = controllers.changes.length
    controllers.pass(86_400_000)
    expect(controllers.changes).toHaveLength(written)
  })
})
