import { describe, expect, it } from "vitest"
import { conditionOf } from "../../src/kubernetes/meta/conditions.ts"
import { controllerReference } from "../../src/kubernetes/meta/ownerReferences.ts"
import { timestampMillis, timestampOf } from "../../src/kubernetes/meta/amounts/timestamps.ts"
import { startMillis } from "../builders.ts"
import { aDeploymentDraft, aReplicaSetDraft } from "../store/aStore.ts"
import { aWorkshop } from "./workloads.ts"
import type { DeploymentCondition, Draft } from "../../src/kubernetes/meta/objects.ts"
import type { Workshop } from "./workloads.ts"

/** Pods asked for, there, and available. */
type Three = readonly [asked: number, there: number, available: number]

interface World {
  readonly deadline: number | undefined
  readonly replicas?: number
  /** Pods, updated Pods and available Pods that the Deployment reported last. */
  readonly reported: Three
  readonly before: DeploymentCondition | undefined
  readonly old?: Three
  readonly next: Three
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

/** A Deployment in the middle of something, so many seconds after it was said what `before` says. */
const inTheMiddle = (world: World, seconds: number): Workshop => {
  const { deadline, replicas = 3, reported, before, old, next } = world
  const workshop = aWorkshop({ withoutReplicaSets: true })
  workshop.pass(seconds * 1000)
  const spec = {
    replicas,
    strategy: { type: "Recreate" },
    template: templateOf("v3"),
    progressDeadlineSeconds: deadline ?? 2147483647
  }
  const revision = { annotations: { "deployment.kubernetes.io/revision": "2" } }
  const deployment = workshop.create(aDeploymentDraft({ name: "web", ...revision }, spec))
  const aSet = (name: string, tag: string, [asked, there, good]: Three, annotations: object) => {
    const metadata = { name, labels: { app: "web" }, ownerReferences: [controllerReference(deployment)] }
    const draft = { replicas: asked, template: templateOf(tag) }
    const made = workshop.create(aReplicaSetDraft({ ...metadata, ...annotations }, draft))
    const status = { replicas: there, availableReplicas: good, readyReplicas: good, observedGeneration: 1 }
    workshop.modify(made, (it) => ({ ...it, status }) as Draft, { status: true })
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
  workshop.modify(deployment, (it) => ({ ...it, status }) as Draft, { status: true })
  workshop.pass()
  return workshop
}

/** `True ReplicaSetUpdated, updated at 90, turned at 0`. */
const said = (workshop: Workshop): string => {
  const condition = conditionOf(workshop.deployment("web")?.status.conditions, "Progressing")
  if (condition === undefined) return "nothing"
  const at = (time: string | undefined) =>
    time === undefined ? "never" : (timestampMillis(time) - startMillis) / 1000
  const { status, reason, lastUpdateTime, lastTransitionTime } = condition
  return `${status} ${reason}, updated at ${at(lastUpdateTime)}, turned at ${at(lastTransitionTime)}`
}

describe("what a Deployment says of its progress 90 s after it last said anything (TestSyncRolloutStatus)", () => {
  const moved = { deadline: 60, reported: [2, 2, 2], old: [0, 1, 1], next: [3, 2, 2] } as const
  const whole = { deadline: 60, reported: [3, 3, 3], next: [3, 3, 3] } as const
  const stuck = { deadline: 60, reported: [2, 2, 2], next: [3, 2, 2] } as const
  it.each<World & { readonly why: string; readonly says: string }>([
    {
      why: "without a deadline progress is not estimated",
      ...moved,
      deadline: undefined,
      before: updated,
      says: "nothing"
    },
    {
      why: "what was complete and stays whole is left as it is",
      ...whole,
      before: available,
      says: "True NewReplicaSetAvailable, updated at 0, turned at 0"
    },
    {
      why: "progress is noted, and is no turn",
      ...moved,
      before: updated,
      says: "True ReplicaSetUpdated, updated at 90, turned at 0"
    },
    {
      why: "progress after the deadline is a turn",
      ...moved,
      before: timedOut,
      says: "True ReplicaSetUpdated, updated at 90, turned at 90"
    },
    {
      why: "progress that nobody has spoken of yet",
      ...moved,
      before: undefined,
      says: "True ReplicaSetUpdated, updated at 90, turned at 90"
    },
    {
      why: "complete, and that is no turn",
      ...whole,
      before: updated,
      says: "True NewReplicaSetAvailable, updated at 90, turned at 0"
    },
    {
      why: "complete after the deadline is a turn",
      ...whole,
      before: timedOut,
      says: "True NewReplicaSetAvailable, updated at 90, turned at 90"
    },
    {
      why: "complete before anybody spoke of it",
      ...whole,
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
  ])("$says: $why", ({ says, ...world }) => {
    expect(said(inTheMiddle(world, 90))).toBe(says)
  })
})

describe("a Deployment that nothing happens to is looked at again when its time is up (TestRequeueStuckDeployment)", () => {
  const stuck = { deadline: 60, reported: [3, 3, 1], next: [3, 3, 1] } as const
  it.each([0, 30, 59])("at the deadline and one second, said when it is looked at %i s in", (seconds) => {
    const workshop = inTheMiddle({ ...stuck, before: updated }, seconds)
    workshop.pass((61 - seconds) * 1000 - 1)
    expect(said(workshop)).toBe("True ReplicaSetUpdated, updated at 0, turned at 0")
    workshop.pass(1)
    expect(said(workshop)).toBe("False ProgressDeadlineExceeded, updated at 61, turned at 61")
  })

  it.each<{ readonly why: string } & World>([
    { why: "has no deadline", ...stuck, deadline: undefined, before: undefined },
    {
      why: "is complete",
      deadline: 60,
      reported: [3, 3, 3],
      next: [3, 3, 3],
      before: available
    },
    { why: "has said so already", ...stuck, before: timedOut }
  ])("and never where it $why", (world) => {
    const workshop = inTheMiddle(world, 30)
    const written = workshop.changes.length
    workshop.pass(86_400_000)
    expect(workshop.changes).toHaveLength(written)
  })
})
