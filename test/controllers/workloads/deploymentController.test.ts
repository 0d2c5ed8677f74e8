import { describe, expect, it } from "vitest"
import { conditionOf } from "../../../src/kubernetes/meta/conditions.ts"
import { newReplicaSetName } from "../../../src/kubernetes/apps/revisions/newReplicaSet.ts"
import { controllerOf, controllerReference } from "../../../src/kubernetes/meta/ownerReferences.ts"
import { rollbackAnnotation } from "../../../src/kubernetes/apps/revisions/revisions.ts"
import { timestampOf } from "../../../src/kubernetes/meta/amounts/timestamps.ts"
import { Forbidden } from "../../../src/store/storeErrors.ts"
import { startMillis } from "../../builders.ts"
import { aDeploymentDraft, aReplicaSetDraft } from "../../store/testStore.ts"
import { workloadControllers } from "./workloadControllers.ts"
import type { Deployment, Draft } from "../../../src/kubernetes/meta/objects.ts"
import type { WorkloadControllers } from "./workloadControllers.ts"

const edit = (controllers: WorkloadControllers, object: Deployment, change: (it: Deployment) => object) =>
  controllers.modify(object, (it) => ({ ...it, ...change(it as Deployment) }) as Draft)
const sizes = (controllers: WorkloadControllers): ReadonlyArray<string> =>
  controllers.replicaSets().map(({ spec }) => `${spec.template.spec?.containers[0]?.image} ${spec.replicas}`)
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
const aDeploymentIn = (
  controllers: WorkloadControllers,
  metadata: object = {},
  spec: object = {}
): Deployment => controllers.create(aDeploymentDraft({ name: "web", ...metadata }, spec)) as Deployment

describe("a new Deployment", () => {
  it("creates one ReplicaSet of its size, and reports the beginning (TestSyncDeploymentCreatesReplicaSet)", () => {
    const controllers = workloadControllers()
    const deployment = aDeploymentIn(controllers, {}, { replicas: 7 })
    controllers.pass()
    expect(sizes(controllers)).toEqual([`${imageOf("v3")} 7`])
    expect(controllers.replicaSets().map(controllerOf)).toEqual([controllerReference(deployment)])
    const { status, metadata } = controllers.deployment("web") ?? deployment
    expect(status).toMatchObject({ observedGeneration: 1, replicas: 7, updatedReplicas: 7 })
    expect(conditionOf(status.conditions, "Progressing")?.status).toBe("True")
    expect(metadata.annotations).toMatchObject({ "deployment.kubernetes.io/revision": "1" })
  })
})

describe("a Deployment that is being deleted", () => {
  it("creates, resizes and adopts nothing, but updates its status (TestSyncDeploymentDontDoAnythingDuringDeletion)", () => {
    const controllers = workloadControllers()
    const deployment = aDeploymentIn(controllers, { finalizers: ["x.io/hold"] }, { replicas: 3 })
    controllers.pass()
    controllers.remove(deployment)
    edit(controllers, deployment, ({ spec }) => ({ spec: { ...spec, replicas: 9 } }))
    edit(controllers, deployment, withImage("v4"))
    controllers.create(aReplicaSetDraft({ name: "found", labels: { app: "web" } }, { replicas: 0 }))
    controllers.pass(600_000)
    expect(sizes(controllers)).toEqual([`${imageOf("v3")} 3`, `${imageOf("v3")} 0`])
    expect(controllers.replicaSets().map((it) => controllerOf(it)?.name)).toEqual(["web", undefined])
    for (const pod of controllers.pods()) controllers.turnReady(pod)
    controllers.pass()
    const { status, metadata } = controllers.deployment("web") ?? deployment
    expect(status).toMatchObject({ observedGeneration: metadata.generation, readyReplicas: 3 })
  })
})

describe("a rollback annotation", () => {
  it("is carried out once, and removed with the same write (TestReentrantRollback)", () => {
    const controllers = workloadControllers()
    const deployment = aDeploymentIn(controllers, {}, { replicas: 2 })
    controllers.pass()
    edit(controllers, deployment, withImage("v4"))
    controllers.pass()
    edit(controllers, deployment, ({ metadata }) => ({
      metadata: { ...metadata, annotations: { ...metadata.annotations, [rollbackAnnotation]: "1" } }
    }))
    controllers.pass(600_000)
    const { spec, metadata } = controllers.deployment("web") ?? deployment
    expect(spec.template.spec?.containers[0]?.image).toBe(imageOf("v3"))
    expect(metadata.annotations).not.toHaveProperty([rollbackAnnotation])
    expect(metadata.annotations).toMatchObject({ "deployment.kubernetes.io/revision": "3" })
    expect(controllers.replicaSets()).toHaveLength(2)
    expect(controllers.messages().filter((it) => it.startsWith("Rolled back"))).toEqual([
      'Rolled back deployment "web" to revision 1'
    ])
  })
})

describe("a rollback annotation together with a new template", () => {
  const revisionsOf = (controllers: WorkloadControllers): ReadonlyArray<string> =>
    controllers
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
    "creates a ReplicaSet of $size with a revision for the template first, and 0 means the revision before: $type",
    ({ type, size }) => {
      const controllers = workloadControllers()
      const deployment = aDeploymentIn(controllers, {}, { replicas: 3, strategy: { type } })
      controllers.pass()
      edit(controllers, deployment, withImage("v4"))
      for (let turn = 0; turn < 5; turn += 1) {
        controllers.pass()
        for (const pod of controllers.pods()) controllers.turnReady(pod)
      }
      edit(controllers, deployment, (it) => {
        const annotations = { ...it.metadata.annotations, [rollbackAnnotation]: "0" }
        return { ...withImage("v5")(it), metadata: { ...it.metadata, annotations } }
      })
      controllers.pass(1)
      const { spec, metadata } = controllers.deployment("web") ?? deployment
      expect(spec.template.spec?.containers[0]?.image).toBe(imageOf("v4"))
      expect(metadata.annotations).not.toHaveProperty([rollbackAnnotation])
      expect(revisionsOf(controllers)).toEqual(["v3 is 1", "v4 is 4", "v5 is 3"])
      const messages = controllers.messages()
      const last = messages.indexOf('Rolled back deployment "web" to revision 2')
      const scaling = messages.slice(0, last).findLast((it) => it.startsWith("Scaled up"))
      expect(scaling).toMatch(new RegExp(`from 0 to ${size}$`))
    }
  )

  it("counts a collision when the new ReplicaSet's name is taken, and continues", () => {
    const controllers = workloadControllers()
    const deployment = aDeploymentIn(controllers, {}, { replicas: 1 })
    controllers.pass()
    const wanted = edit(controllers, deployment, (it) => {
      const annotations = { ...it.metadata.annotations, [rollbackAnnotation]: "0" }
      return { ...withImage("v4")(it), metadata: { ...it.metadata, annotations } }
    }) as Deployment
    const otherReplicaSet = { name: newReplicaSetName(wanted), labels: { app: "squatter" } }
    controllers.create(aReplicaSetDraft(otherReplicaSet, { replicas: 0, ...selecting("squatter") }))
    controllers.pass(1)
    const { status } = controllers.deployment("web") ?? deployment
    expect(status.collisionCount).toBe(1)
    expect(controllers.messages()).toContain('Rolled back deployment "web" to revision 1')
  })
})

describe("a ReplicaSet whose creation is refused", () => {
  const why = "exceeded quota: q, requested: count/replicasets.apps=1"
  const controllersRefusing = (isFull: () => boolean): WorkloadControllers =>
    workloadControllers({
      refuses: (write, what) =>
        write === "create" && what === "ReplicaSet" && isFull()
          ? new Forbidden({ resource: "replicasets.apps", resourceName: "web-next", why })
          : undefined
    })
  /** The reasons of Progressing at each write of the Deployment. */
  const reasonsOf = (controllers: WorkloadControllers): ReadonlyArray<string> => [
    ...new Set(
      controllers.changes
        .filter(({ object }) => object.kind === "Deployment")
        .flatMap(({ object }) => conditionOf((object as Deployment).status.conditions, "Progressing") ?? [])
        .map(({ reason, lastUpdateTime }) => `${reason} at ${lastUpdateTime}`)
    )
  ]
  const progressingOf = (controllers: WorkloadControllers) =>
    conditionOf(controllers.deployment("web")?.status.conditions, "Progressing")

  it("is reported once, and does not exceed the deadline of a rollout that has not begun", () => {
    const controllers = controllersRefusing(() => true)
    aDeploymentIn(controllers, {}, { replicas: 2, progressDeadlineSeconds: 60 })
    controllers.pass(3_600_000)
    expect(reasonsOf(controllers)).toEqual([`ReplicaSetCreateError at ${timestampOf(startMillis)}`])
    expect(progressingOf(controllers)?.message).toMatch(
      /^Failed to create new replica set "web-[0-9a-z]+": replicasets\.apps "web-next" is forbidden: exceeded/
    )
  })

  it("is tried 15 times more, then again only after a change (maxRetries)", () => {
    const controllers = controllersRefusing(() => true)
    const deployment = aDeploymentIn(controllers, {}, { replicas: 2, progressDeadlineSeconds: 60 })
    controllers.pass(400_000)
    const [eventCounts, changeCount] = [controllers.eventCounts(), controllers.changes.length]
    controllers.pass(3_000_000)
    expect(controllers.changes).toHaveLength(changeCount)
    expect(eventCounts).toEqual(["ReplicaSetCreateError x16"])
    edit(controllers, deployment, ({ metadata }) => ({ metadata: { ...metadata, labels: { poked: "1" } } }))
    controllers.pass()
    expect(controllers.eventCounts()).toEqual(["ReplicaSetCreateError x17"])
  })

  it("leaves a complete rollout complete, and the deadline begins with its creation", () => {
    let isFull = false
    const controllers = controllersRefusing(() => isFull)
    const deployment = aDeploymentIn(controllers, {}, { replicas: 1, progressDeadlineSeconds: 60 })
    controllers.pass()
    for (const pod of controllers.pods()) controllers.turnReady(pod)
    controllers.pass()
    expect(progressingOf(controllers)?.reason).toBe("NewReplicaSetAvailable")
    isFull = true
    edit(controllers, deployment, withImage("v4"))
    controllers.pass(1_800_000)
    expect(progressingOf(controllers)).toMatchObject({
      status: "False",
      reason: "ReplicaSetCreateError",
      lastUpdateTime: timestampOf(startMillis)
    })
    edit(controllers, deployment, ({ spec }) => ({ spec: { ...spec, replicas: 4 } }))
    controllers.pass(1_800_000)
    expect(reasonsOf(controllers).filter((it) => it.startsWith("ProgressDeadline"))).toEqual([])
    isFull = false
    edit(controllers, deployment, ({ metadata }) => ({ metadata: { ...metadata, labels: { poked: "1" } } }))
    controllers.pass(60_000)
    expect(progressingOf(controllers)?.reason).toBe("ReplicaSetUpdated")
    controllers.pass(2_000)
    expect(progressingOf(controllers)?.reason).toBe("ProgressDeadlineExceeded")
  })
})

describe("an empty selector", () => {
  it("is refused by validation, and never reaches a controller (TestDontSyncDeploymentsWithEmptyPodSelector)", () => {
    const controllers = workloadControllers()
    expect(() => aDeploymentIn(controllers, {}, { selector: {} })).toThrow(
      "empty selector is invalid for deployment"
    )
    controllers.pass()
    expect(controllers.replicaSets()).toEqual([])
  })
})

describe("an exceeded progress deadline", () => {
  it("is reported without any change, and withdrawn by the first progress (TestRequeueStuckDeployment)", () => {
    const controllers = workloadControllers()
    aDeploymentIn(controllers, {}, { replicas: 2, progressDeadlineSeconds: 60 })
    const reason = () => conditionOf(controllers.deployment("web")?.status.conditions, "Progressing")?.reason
    controllers.pass(60_000)
    expect(reason()).toBe("ReplicaSetUpdated")
    controllers.pass(2_000)
    expect(reason()).toBe("ProgressDeadlineExceeded")
    const changeCount = controllers.changes.length
    controllers.pass(1_800_000)
    expect(controllers.changes).toHaveLength(changeCount)
    const [pod] = controllers.pods()
    if (pod !== undefined) controllers.turnReady(pod)
    controllers.pass()
    expect(reason()).toBe("ReplicaSetUpdated")
  })
})
