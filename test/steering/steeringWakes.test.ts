import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { beforeEach, describe, expect, it } from "vitest"
import {
  aDeploymentDraft,
  aPodDraft,
  aReplicaSetDraft,
  aStore,
  run,
  withChanges
} from "../store/testStore.ts"
import { commandText } from "../../src/kubernetes/apps/commands.ts"
import { controllerReference } from "../../src/kubernetes/meta/ownerReferences.ts"
import { isApproved } from "../../src/kubernetes/steering/podApproval.ts"
import { isSteered } from "../../src/kubernetes/steering/steeringRecord.ts"
import { makeBareSteering } from "./bareSteering.ts"
import { makeSteeringWakes } from "../../src/steering/steeringWakes.ts"
import { objectKeyOf } from "../../src/kubernetes/meta/objects.ts"
import { openStory } from "../../src/scenario/stories/playing/openStory.ts"
import { projectPath } from "../projectPath.ts"
import { readStory } from "../../src/scenario/stories/reading/readStory.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import type { Cluster } from "../../src/cluster/cluster.ts"
import type { Change } from "../../src/store/objectStore.ts"
import type { Command } from "../../src/kubernetes/apps/commands.ts"
import type { PureTimer } from "../../src/plan/exhaustive/pureChart.ts"
import type { KubeObject, Pod } from "../../src/kubernetes/meta/objects.ts"
import type { SteeringObservation } from "../../src/kubernetes/steering/steeringObservation.ts"
import type { Wake } from "../../src/runtime/reconciler/controller.ts"

const folder = projectPath("scripts/scenarios/steering")

interface Decision {
  readonly state: unknown
  readonly tags: ReadonlySet<string>
  readonly commands: ReadonlyArray<Command>
  readonly timers: ReadonlyArray<PureTimer>
}

/** A timer that is set too early does no harm: the chart looks, and sets it again. */
const isSameDecision = (before: Decision, after: Decision): boolean =>
  JSON.stringify([before.state, before.commands.map(commandText)]) ===
    JSON.stringify([after.state, after.commands.map(commandText)]) &&
  after.timers.every(({ id, delay }) =>
    before.timers.some((timer) => timer.id === id && timer.delay <= delay)
  )

/** The decision without its approval of a Pod that this change approves: it is the approval that was decided. */
const withoutApproval = (decision: Decision, { resource, object, old }: Change): Decision => {
  const isApproval =
    resource === resources.pods && old !== undefined && !isApproved(old as Pod) && isApproved(object as Pod)
  if (!isApproval) return decision
  const [first, ...others] = decision.commands
  if (first?.type !== "approve") return decision
  const pods = first.pods.filter(({ metadata }) => metadata.uid !== object.metadata.uid)
  return { ...decision, commands: pods.length === 0 ? others : [{ ...first, pods }, ...others] }
}

/** The decision without a report that is written, and its Events. */
const withoutReport = (decision: Decision): Decision => ({
  ...decision,
  commands: decision.commands.filter(({ type }) => type !== "reportSteering" && type !== "recordEvent")
})

/** Compares at each change what the chart decides before it and after it, at the same moment. */
const watchDecisions = (cluster: Cluster["Service"]) => {
  const { controller, decide: decisionOn } = makeBareSteering(cluster)
  const lastSeen = new Map<string, SteeringObservation>()
  const counts = { woken: 0, unneeded: 0, ownReports: 0 }
  const broken: Array<unknown> = []
  cluster.onChange((change) => {
    const woken = new Set<string>()
    const isOwnReport = controller.needsNoLook?.(change) === true
    if (isOwnReport) counts.ownReports += 1
    else
      controller.wakeActors(change, (key, options) => {
        const last = lastSeen.get(key)
        const hasTag = (tag: string): boolean => last !== undefined && decisionOn(last).tags.has(tag)
        const isInState = options?.tag === undefined || hasTag(options.tag)
        if (isInState && options?.isNeeded?.() !== false) woken.add(key)
      })
    for (const deployment of cluster.view.all(resources.deployments)) {
      const key = objectKeyOf(deployment)
      if (!isSteered(deployment)) continue
      const seen = controller.look(deployment) as SteeringObservation
      const last = lastSeen.get(key)
      lastSeen.set(key, seen)
      if (woken.has(key)) counts.woken += 1
      if (woken.has(key) || last === undefined) continue
      counts.unneeded += 1
      const decision = withoutApproval(decisionOn({ ...last, nowMillis: seen.nowMillis }), change)
      const before = isOwnReport ? withoutReport(decision) : decision
      const after = decisionOn(seen)
      if (!isSameDecision(before, after))
        broken.push({ change: `${change.type} ${objectKeyOf(change.object)}`, before, after })
    }
  })
  return { counts, broken }
}

describe("no change that wakes no steering actor changes a decision:", () => {
  it.for(readdirSync(folder))("%s", async (name) => {
    const file = join(folder, name)
    const story = await Effect.runPromise(readStory(readFileSync(file, "utf8"), file))
    for (const seed of [1, 2]) {
      let watched: ReturnType<typeof watchDecisions> | undefined
      const onOpen = (cluster: Cluster["Service"]): void => {
        watched = watchDecisions(cluster)
      }
      await Effect.runPromise(Effect.scoped(Effect.asVoid(openStory(story, { seed, onOpen }))))
      expect([seed, watched?.broken]).toEqual([seed, []])
      expect(watched?.counts.woken).toBeGreaterThan(10)
      expect(watched?.counts.unneeded).toBeGreaterThan(20)
      expect(watched?.counts.ownReports).toBeGreaterThan(0)
    }
  })
})

type Reporting = KubeObject & { readonly status: object }

/**
 * A steered Deployment with one Pod that has the gate. `wakes` tells whether a status or a deletion wakes it, in
 * whatever state its chart is. `awaitedPods`: of a chart that says how many Pods it awaits.
 */
const aSteeredPod = ({
  awaitedPods,
  completed
}: { readonly awaitedPods?: number; readonly completed?: boolean } = {}) => {
  const { store, view } = aStore()
  const create = (draft: Parameters<typeof store.create>[0]): KubeObject => run(store.create(draft))
  const web = create(
    aDeploymentDraft({ name: "web", annotations: { "charthouse.dev/strategy": "canary" } }, { replicas: 1 })
  )
  const annotations = completed === true ? { "charthouse.dev/completed": "hash 1" } : {}
  const labels = { "pod-template-hash": "hash" }
  const ownerReferences = [controllerReference(web)]
  const replicaSet = create(aReplicaSetDraft({ name: "web-1", labels, annotations, ownerReferences }))
  const spec = {
    nodeName: "node-1",
    readinessGates: [{ conditionType: "charthouse.dev/approved" }]
  }
  const pod = create(aPodDraft({ name: "web-1-a", ownerReferences: [controllerReference(replicaSet)] }, spec))
  const wakeActors = makeSteeringWakes(view, () =>
    awaitedPods === undefined ? undefined : () => awaitedPods
  )
  let woken = 0
  const wake: Wake = (_key, options) => {
    if (options?.tag === undefined) woken += 1
  }
  view.subscribe((change) => wakeActors(change, wake))
  const wakes = (write: () => unknown): boolean => {
    woken = 0
    write()
    return woken > 0
  }
  const report =
    (resource: string, object: KubeObject) =>
    (status: object): boolean =>
      wakes(() => {
        const present = run(store.get({ resource, key: objectKeyOf(object) })) as Reporting
        run(store.updateStatus(withChanges(present, {}, { status: { ...present.status, ...status } })))
      })
  return {
    store,
    pod: pod as Pod,
    wakes,
    reportPod: report(resources.pods, pod),
    reportReplicaSet: report(resources.replicaSets, replicaSet),
    reportDeployment: report(resources.deployments, web)
  }
}

const conditions = (...types: ReadonlyArray<string>) => ({
  conditions: types.map((type) => ({ type, status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" }))
})

const withoutNode = (message: string) => ({
  conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }]
})

describe("a steering actor is woken", () => {
  let steered: ReturnType<typeof aSteeredPod>
  beforeEach(() => {
    steered = aSteeredPod()
  })

  it("by no step of a Pod's start, but by what a step of a rollout may wait for", () => {
    const { reportPod } = steered
    expect(reportPod(conditions("PodScheduled"))).toBe(false)
    expect(reportPod(conditions("PodScheduled", "PodReadyToStartContainers", "Initialized"))).toBe(false)
    expect(reportPod({ phase: "Running" })).toBe(false)
    expect(reportPod(conditions("PodScheduled", "ContainersReady"))).toBe(true)
    expect(reportPod(conditions("ContainersReady", "example.com/warm"))).toBe(true)
    expect(reportPod(conditions("ContainersReady"))).toBe(true)
    expect(reportPod(conditions("ContainersReady", "Ready"))).toBe(true)
  })

  it("by a Pod that fails, and when it does not fail any longer", () => {
    const container = { name: "app", image: "web", imageID: "", ready: false, restartCount: 0 }
    const stuck = { ...container, state: { waiting: { reason: "ImagePullBackOff" } } }
    expect(steered.reportPod({ containerStatuses: [container] })).toBe(false)
    expect(steered.reportPod({ containerStatuses: [stuck] })).toBe(true)
    expect(steered.reportPod({ containerStatuses: [container] })).toBe(true)
    expect(steered.reportPod({ containerStatuses: [{ ...container, restartCount: 1 }] })).toBe(true)
  })

  it("by a Pod that finds no node, once", () => {
    expect(steered.reportPod(withoutNode("0/3 nodes are available"))).toBe(true)
    expect(steered.reportPod(withoutNode("0/4 nodes are available"))).toBe(false)
    expect(steered.reportPod(conditions("PodScheduled"))).toBe(false)
    const step = aSteeredPod({ awaitedPods: 2 })
    expect(step.reportPod(withoutNode("0/3 nodes are available"))).toBe(true)
    expect(step.reportPod(withoutNode("0/4 nodes are available"))).toBe(false)
  })

  it("when a Pod is told to stop, and not when it has", () => {
    const { store, pod, wakes, reportPod } = steered
    const remove = (options: object) => () =>
      run(store.delete({ resource: resources.pods, key: objectKeyOf(pod) }, options))
    expect(wakes(remove({ gracePeriodSeconds: 30 }))).toBe(true)
    expect(reportPod({ phase: "Failed" })).toBe(false)
    expect(wakes(remove({ gracePeriodSeconds: 0 }))).toBe(false)
  })

  it("when a Pod is gone at once", () => {
    const { store, pod, wakes } = steered
    const target = { resource: resources.pods, key: objectKeyOf(pod) }
    expect(wakes(() => run(store.delete(target, { gracePeriodSeconds: 0 })))).toBe(true)
  })

  it("by no count of terminating Pods alone", () => {
    for (const report of [steered.reportReplicaSet, steered.reportDeployment]) {
      expect(report({ replicas: 1, terminatingReplicas: 1 })).toBe(true)
      expect(report({ terminatingReplicas: 0 })).toBe(false)
      expect(report({ replicas: 2, terminatingReplicas: 1 })).toBe(true)
    }
  })
})

describe("the actor of a chart that says how many Pods it awaits is woken", () => {
  it("by a Pod that comes up or loses its approval, and not by one that is approved or ready", () => {
    const { reportPod } = aSteeredPod({ awaitedPods: 2 })
    expect(reportPod(conditions("ContainersReady"))).toBe(true)
    expect(reportPod(conditions("ContainersReady", "charthouse.dev/approved"))).toBe(false)
    expect(reportPod(conditions("ContainersReady", "charthouse.dev/approved", "Ready"))).toBe(false)
    expect(reportPod(conditions("charthouse.dev/approved"))).toBe(false)
    expect(reportPod(conditions("ContainersReady", "charthouse.dev/approved"))).toBe(true)
    expect(reportPod(conditions("ContainersReady"))).toBe(true)
  })

  it("by a Pod that goes, but for one of a revision that was complete", () => {
    for (const completed of [false, true]) {
      const { store, pod, wakes } = aSteeredPod({ awaitedPods: 2, completed })
      const target = { resource: resources.pods, key: objectKeyOf(pod) }
      expect(wakes(() => run(store.delete(target, { gracePeriodSeconds: 0 })))).toBe(!completed)
    }
  })

  it("by each approval of a Pod of a revision that was complete: there may be more to approve", () => {
    const { reportPod } = aSteeredPod({ awaitedPods: 2, completed: true })
    expect(reportPod(conditions("charthouse.dev/approved"))).toBe(true)
    expect(reportPod(conditions("charthouse.dev/approved", "Ready"))).toBe(false)
  })

  it("by a ReplicaSet with as many available Pods as it awaits, and by no other count", () => {
    const { reportReplicaSet, reportDeployment } = aSteeredPod({ awaitedPods: 2 })
    expect(reportReplicaSet({ replicas: 3, readyReplicas: 3, availableReplicas: 1 })).toBe(false)
    expect(reportReplicaSet({ availableReplicas: 2 })).toBe(true)
    expect(reportReplicaSet({ availableReplicas: 3 })).toBe(false)
    expect(reportDeployment({ replicas: 3, readyReplicas: 3, availableReplicas: 2 })).toBe(false)
  })

  it("by a Deployment whose rollout is complete, or complete no longer", () => {
    const { reportDeployment } = aSteeredPod({ awaitedPods: 2 })
    const counts = { replicas: 1, updatedReplicas: 1, readyReplicas: 1 }
    const complete = { ...counts, observedGeneration: 1, availableReplicas: 1 }
    expect(reportDeployment({ ...complete, availableReplicas: 0 })).toBe(true)
    expect(reportDeployment(complete)).toBe(true)
    expect(reportDeployment({ ...complete, availableReplicas: 0 })).toBe(true)
  })
})
