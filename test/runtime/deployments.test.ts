import { describe, expect, it } from "vitest"
import { conditionOf } from "../../src/kubernetes/meta/conditions.ts"
import { nextReplicaSetName } from "../../src/kubernetes/apps/revisions/newReplicaSet.ts"
import { controllerOf, controllerReference } from "../../src/kubernetes/meta/ownerReferences.ts"
import { rollbackAnnotation } from "../../src/kubernetes/apps/revisions/revisions.ts"
import { timestampOf } from "../../src/kubernetes/meta/amounts/timestamps.ts"
import { Forbidden } from "../../src/store/storeErrors.ts"
import { startMillis } from "../builders.ts"
import { aDeploymentDraft, aReplicaSetDraft } from "../store/aStore.ts"
import { aWorkshop } from "./workloads.ts"
import type { Deployment, Draft } from "../../src/kubernetes/meta/objects.ts"
import type { Workshop } from "./workloads.ts"

const edit = (workshop: Workshop, object: Deployment, change: (it: Deployment) => object) =>
  workshop.modify(object, (it) => ({ ...it, ...change(it as Deployment) }) as Draft)
const sizes = (workshop: Workshop): ReadonlyArray<string> =>
  workshop.replicaSets().map(({ spec }) => `${spec.template.spec?.containers[0]?.image} ${spec.replicas}`)
const imageOf = (tag: string) => `registry.example/app:${tag}`
const withImage =
  (tag: string) =>
  ({ spec }: Deployment): object => ({
    spec: {
      ...spec,
      template: { ...spec.template, spec: { containers: [{ name: "app", image: imageOf(tag) }] } }
    }
  })
const selecting = (app: string): object => ({
  selector: { matchLabels: { app } },
  template: { metadata: { labels: { app } }, spec: { containers: [{ name: "app", image: imageOf("v3") }] } }
})
const aDeploymentIn = (workshop: Workshop, metadata: object = {}, spec: object = {}): Deployment =>
  workshop.create(aDeploymentDraft({ name: "web", ...metadata }, spec)) as Deployment

describe("a new Deployment", () => {
  it("makes one ReplicaSet of its size and says what has begun (TestSyncDeploymentCreatesReplicaSet)", () => {
    const workshop = aWorkshop()
    const deployment = aDeploymentIn(workshop, {}, { replicas: 7 })
    workshop.pass()
    expect(sizes(workshop)).toEqual([`${imageOf("v3")} 7`])
    expect(workshop.replicaSets().map(controllerOf)).toEqual([controllerReference(deployment)])
    const { status, metadata } = workshop.deployment("web") ?? deployment
    expect(status).toMatchObject({ observedGeneration: 1, replicas: 7, updatedReplicas: 7 })
    expect(conditionOf(status.conditions, "Progressing")?.status).toBe("True")
    expect(metadata.annotations).toMatchObject({ "deployment.kubernetes.io/revision": "1" })
  })
})

describe("a Deployment that is being deleted", () => {
  it("makes, resizes and adopts nothing; it only goes on counting (TestSyncDeploymentDontDoAnythingDuringDeletion)", () => {
    const workshop = aWorkshop()
    const deployment = aDeploymentIn(workshop, { finalizers: ["x.io/hold"] }, { replicas: 3 })
    workshop.pass()
    workshop.remove(deployment)
    edit(workshop, deployment, ({ spec }) => ({ spec: { ...spec, replicas: 9 } }))
    edit(workshop, deployment, withImage("v4"))
    workshop.create(aReplicaSetDraft({ name: "found", labels: { app: "web" } }, { replicas: 0 }))
    workshop.pass(600_000)
    expect(sizes(workshop)).toEqual([`${imageOf("v3")} 3`, `${imageOf("v3")} 0`])
    expect(workshop.replicaSets().map((it) => controllerOf(it)?.name)).toEqual(["web", undefined])
    for (const pod of workshop.pods()) workshop.turnReady(pod)
    workshop.pass()
    const { status, metadata } = workshop.deployment("web") ?? deployment
    expect(status).toMatchObject({ observedGeneration: metadata.generation, readyReplicas: 3 })
  })
})

describe("a Deployment that is asked to go back", () => {
  it("does so once: the request is gone with the write that grants it (TestReentrantRollback)", () => {
    const workshop = aWorkshop()
    const deployment = aDeploymentIn(workshop, {}, { replicas: 2 })
    workshop.pass()
    edit(workshop, deployment, withImage("v4"))
    workshop.pass()
    edit(workshop, deployment, ({ metadata }) => ({
      metadata: { ...metadata, annotations: { ...metadata.annotations, [rollbackAnnotation]: "1" } }
    }))
    workshop.pass(600_000)
    const { spec, metadata } = workshop.deployment("web") ?? deployment
    expect(spec.template.spec?.containers[0]?.image).toBe(imageOf("v3"))
    expect(metadata.annotations).not.toHaveProperty([rollbackAnnotation])
    expect(metadata.annotations).toMatchObject({ "deployment.kubernetes.io/revision": "3" })
    expect(workshop.replicaSets()).toHaveLength(2)
    expect(workshop.messages().filter((it) => it.startsWith("Rolled back"))).toEqual([
      'Rolled back deployment "web" to revision 1'
    ])
  })
})

describe("a Deployment that is asked to go back along with a new template", () => {
  const revisionsOf = (workshop: Workshop): ReadonlyArray<string> =>
    workshop
      .replicaSets()
      .map(({ spec, metadata }) => {
        const revision = metadata.annotations?.["deployment.kubernetes.io/revision"]
        return `${spec.template.spec?.containers[0]?.image?.split(":")[1]} is ${revision}`
      })
      .sort()

  it.each([
    { type: "RollingUpdate", size: 1 },
    { type: "Recreate", size: 3 }
  ])(
    "gives that one a ReplicaSet of $size and a number first, and 0 is the revision before it: $type",
    ({ type, size }) => {
      const workshop = aWorkshop()
      const deployment = aDeploymentIn(workshop, {}, { replicas: 3, strategy: { type } })
      workshop.pass()
      edit(workshop, deployment, withImage("v4"))
      for (let turn = 0; turn < 5; turn += 1) {
        workshop.pass()
        for (const pod of workshop.pods()) workshop.turnReady(pod)
      }
      edit(workshop, deployment, (it) => {
        const annotations = { ...it.metadata.annotations, [rollbackAnnotation]: "0" }
        return { ...withImage("v5")(it), metadata: { ...it.metadata, annotations } }
      })
      workshop.pass(1)
      const { spec, metadata } = workshop.deployment("web") ?? deployment
      expect(spec.template.spec?.containers[0]?.image).toBe(imageOf("v4"))
      expect(metadata.annotations).not.toHaveProperty([rollbackAnnotation])
      expect(revisionsOf(workshop)).toEqual(["v3 is 1", "v4 is 4", "v5 is 3"])
      const messages = workshop.messages()
      const last = messages.indexOf('Rolled back deployment "web" to revision 2')
      const scaling = messages.slice(0, last).findLast((it) => it.startsWith("Scaled up"))
      expect(scaling).toMatch(new RegExp(`from 0 to ${size}$`))
    }
  )

  it("counts a collision where the name of that ReplicaSet is taken, and goes on", () => {
    const workshop = aWorkshop()
    const deployment = aDeploymentIn(workshop, {}, { replicas: 1 })
    workshop.pass()
    const wanted = edit(workshop, deployment, (it) => {
      const annotations = { ...it.metadata.annotations, [rollbackAnnotation]: "0" }
      return { ...withImage("v4")(it), metadata: { ...it.metadata, annotations } }
    }) as Deployment
    const squatter = { name: nextReplicaSetName(wanted), labels: { app: "squatter" } }
    workshop.create(aReplicaSetDraft(squatter, { replicas: 0, ...selecting("squatter") }))
    workshop.pass(1)
    const { status } = workshop.deployment("web") ?? deployment
    expect(status.collisionCount).toBe(1)
    expect(workshop.messages()).toContain('Rolled back deployment "web" to revision 1')
  })
})

describe("a ReplicaSet that the server refuses", () => {
  const why = "exceeded quota: q, requested: count/replicasets.apps=1"
  /** One that refuses as long as `isFull` says so. */
  const aFullWorkshop = (isFull: () => boolean): Workshop =>
    aWorkshop({
      refuses: (write, what) =>
        write === "create" && what === "ReplicaSet" && isFull()
          ? new Forbidden({ resource: "replicasets.apps", name: "web-next", why })
          : undefined
    })
  /** What Progressing said, each time that a Deployment was written. */
  const reasonsOf = (workshop: Workshop): ReadonlyArray<string> => [
    ...new Set(
      workshop.changes
        .filter(({ object }) => object.kind === "Deployment")
        .flatMap(({ object }) => conditionOf((object as Deployment).status.conditions, "Progressing") ?? [])
        .map(({ reason, lastUpdateTime }) => `${reason} at ${lastUpdateTime}`)
    )
  ]
  const progressingOf = (workshop: Workshop) =>
    conditionOf(workshop.deployment("web")?.status.conditions, "Progressing")

  it("is said once and never called late: only a rollout that has begun can be", () => {
    const workshop = aFullWorkshop(() => true)
    aDeploymentIn(workshop, {}, { replicas: 2, progressDeadlineSeconds: 60 })
    workshop.pass(3_600_000)
    expect(reasonsOf(workshop)).toEqual([`ReplicaSetCreateError at ${timestampOf(startMillis)}`])
    expect(progressingOf(workshop)?.message).toMatch(
      /^Failed to create new replica set "web-[0-9a-z]+": replicasets\.apps "web-next" is forbidden: exceeded/
    )
  })

  it("is asked for 15 times more, and then not before something happens (maxRetries)", () => {
    const workshop = aFullWorkshop(() => true)
    const deployment = aDeploymentIn(workshop, {}, { replicas: 2, progressDeadlineSeconds: 60 })
    workshop.pass(400_000)
    const [told, written] = [workshop.told(), workshop.changes.length]
    workshop.pass(3_000_000)
    expect(workshop.changes).toHaveLength(written)
    expect(told).toEqual(["ReplicaSetCreateError x16"])
    edit(workshop, deployment, ({ metadata }) => ({ metadata: { ...metadata, labels: { poked: "1" } } }))
    workshop.pass()
    expect(workshop.told()).toEqual(["ReplicaSetCreateError x17"])
  })

  it("is no step back for a rollout that was over, whose deadline begins when it is there at last", () => {
    let isFull = false
    const workshop = aFullWorkshop(() => isFull)
    const deployment = aDeploymentIn(workshop, {}, { replicas: 1, progressDeadlineSeconds: 60 })
    workshop.pass()
    for (const pod of workshop.pods()) workshop.turnReady(pod)
    workshop.pass()
    expect(progressingOf(workshop)?.reason).toBe("NewReplicaSetAvailable")
    isFull = true
    edit(workshop, deployment, withImage("v4"))
    workshop.pass(1_800_000)
    expect(progressingOf(workshop)).toMatchObject({
      status: "False",
      reason: "ReplicaSetCreateError",
      lastUpdateTime: timestampOf(startMillis)
    })
    edit(workshop, deployment, ({ spec }) => ({ spec: { ...spec, replicas: 4 } }))
    workshop.pass(1_800_000)
    expect(reasonsOf(workshop).filter((it) => it.startsWith("ProgressDeadline"))).toEqual([])
    isFull = false
    edit(workshop, deployment, ({ metadata }) => ({ metadata: { ...metadata, labels: { poked: "1" } } }))
    workshop.pass(60_000)
    expect(progressingOf(workshop)?.reason).toBe("ReplicaSetUpdated")
    workshop.pass(2_000)
    expect(progressingOf(workshop)?.reason).toBe("ProgressDeadlineExceeded")
  })
})

describe("a selector that selects everything", () => {
  it("never gets as far as a controller: it is refused at the door (TestDontSyncDeploymentsWithEmptyPodSelector)", () => {
    const workshop = aWorkshop()
    expect(() => aDeploymentIn(workshop, {}, { selector: {} })).toThrow(
      "empty selector is invalid for deployment"
    )
    workshop.pass()
    expect(workshop.replicaSets()).toEqual([])
  })
})

describe("a deadline that passes", () => {
  it("is said by time alone, and taken back by the first progress (TestRequeueStuckDeployment)", () => {
    const workshop = aWorkshop()
    aDeploymentIn(workshop, {}, { replicas: 2, progressDeadlineSeconds: 60 })
    const reason = () => conditionOf(workshop.deployment("web")?.status.conditions, "Progressing")?.reason
    workshop.pass(60_000)
    expect(reason()).toBe("ReplicaSetUpdated")
    workshop.pass(2_000)
    expect(reason()).toBe("ProgressDeadlineExceeded")
    const written = workshop.changes.length
    workshop.pass(1_800_000)
    expect(workshop.changes).toHaveLength(written)
    const [pod] = workshop.pods()
    if (pod !== undefined) workshop.turnReady(pod)
    workshop.pass()
    expect(reason()).toBe("ReplicaSetUpdated")
  })
})
