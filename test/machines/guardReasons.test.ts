import { describe, expect, it } from "vitest"
import { deploymentGuards } from "../../machines/guards/deploymentGuards.ts"
import { nodeGuards, type NodeObservation } from "../../machines/guards/nodeGuards.ts"
import { podGuards, type PodEvent, type PodObservation } from "../../machines/guards/podGuards.ts"
import { recreate } from "../../machines/strategies/recreate.ts"
import { replicaSetGuards } from "../../machines/guards/replicaSetGuards.ts"
import { rollingUpdate } from "../../machines/strategies/rollingUpdate.ts"
import { aDeployment, anObservation, aReplicaSet, aTime, startMillis } from "../builders.ts"
import { aLife, aPod, newContainer, observedPod, replicaSetObservations } from "./podAndNodeObservations.ts"
import type { DeploymentCondition } from "../../src/kubernetes/meta/objects.ts"
import type { DeploymentObservation } from "../../src/kubernetes/apps/deploymentObservation.ts"
import type { DeploymentOptions, ReplicaSetOptions } from "../builders.ts"

/** What `charthouse why` says of a guard, with the numbers that it compares. */

const refusal = { command: "createPods", reason: "Forbidden", message: "quota" } as const
const refused = { type: "refused", refusal } as never

const world = (
  deployment: DeploymentOptions,
  replicaSets: ReadonlyArray<ReplicaSetOptions>,
  more: object = {}
): DeploymentObservation =>
  anObservation({
    deployment: aDeployment({ version: "v2", ...deployment }),
    replicaSets: replicaSets.map((it) => aReplicaSet(it)),
    ...more
  })

const progressing = (reason: string, since?: string) =>
  ({
    type: "Progressing",
    status: "True",
    reason,
    ...(since === undefined ? {} : { lastUpdateTime: since })
  }) as DeploymentCondition

const worlds = {
  "a new template": world({}, [{ version: "v1" }]),
  "a rollout on its way": world(
    {
      replicas: 4,
      revision: "2",
      deadlineSeconds: 60,
      paused: true,
      conditions: [progressing("ReplicaSetUpdated", aTime(0))],
      status: { updatedReplicas: 1, replicas: 5, readyReplicas: 4, availableReplicas: 4 }
    },
    [
      { version: "v1", revision: "1", annotatedSize: { desired: 4, max: 5 } },
      { version: "v2", replicas: 2, available: 1, revision: "2" }
    ],
    { now: 30 }
  ),
  "a complete rollout": world(
    {
      replicas: 2,
      deadlineSeconds: 60,
      terminating: true,
      conditions: [progressing("NewReplicaSetAvailable")],
      status: { updatedReplicas: 2, replicas: 2, readyReplicas: 2, availableReplicas: 2 }
    },
    [{ version: "v2", replicas: 2, revision: "1" }]
  ),
  "a request to go back": world(
    { annotations: { "deprecated.deployment.rollback.to": "1" } },
    [{ version: "v1", replicas: 0, revision: "1" }],
    { orphans: [aReplicaSet({ version: "v0", owner: null })] }
  )
}

type Reasons = Readonly<Record<string, { readonly reason?: (moment: never) => string }>>
type World = keyof typeof worlds

describe("the reason of a Deployment's guard", () => {
  const context = { seen: undefined, lastProgressMillis: undefined, nextCheckMillis: undefined }
  const guards: Reasons = deploymentGuards
  const reasonOf = (guard: string, moment: object): string | undefined =>
    guards[guard]?.reason?.(moment as never)

  const rows: ReadonlyArray<readonly [World, Readonly<Record<string, string>>]> = [
    [
      "a new template",
      {
        isClaiming: "0 ReplicaSets to adopt, 0 to release",
        isRenumbering: "no ReplicaSet has this template",
        isTerminating: "its deletion was not requested",
        isPaused: "paused is not set",
        isRollingBack: "no earlier revision is asked for",
        isNameTaken: "no other ReplicaSet is called web-9fc8c976c",
        isNewMissing: "no ReplicaSet has this template: web-9fc8c976c is missing",
        isScaling: "replicas 3, annotation desired-replicas: web-v1 nothing",
        isClaimingOrRenumbering: "its ReplicaSets are in step",
        isUntracked: "no deadline is set",
        isPausing: "paused is not set, Progressing says nothing",
        isNewlyComplete: "0 updated, 3 there, 3 available, 3 desired: not complete; Progressing says nothing",
        hasProgressed: "old 0 -> 3, ready 0 -> 3, available 0 -> 3",
        isNewlyFound: "Progressing says nothing, no ReplicaSet is there",
        isOverdue: "no deadline is set",
        isUnjudged: "it is the strategy's turn",
        needsCheck: "no deadline is set",
        needsSoonerCheck: "no deadline is set; no check is ahead",
        isAvailable: "available 3, floor 3 = 3"
      }
    ],
    [
      "a rollout on its way",
      {
        isRenumbering: "web-v2 has revision 2, as it should",
        isPaused: "paused is true",
        isNewMissing: "web-v2 has this template",
        isScaling: "replicas 4, annotation desired-replicas: web-v1 4, web-v2 nothing",
        isUntracked: "progressDeadlineSeconds 60",
        isSuspended: "paused is true, Progressing says ReplicaSetUpdated",
        hasProgressed: "updated 1 -> 2, old 4 -> 3",
        isNewlyFound: "Progressing says ReplicaSetUpdated, web-v2 is there",
        isOverdue: "30 s since progress was noted (ReplicaSetUpdated), deadline 60 s",
        isUnjudged: "something else comes before the strategy",
        needsCheck: "something else comes before the strategy",
        isAvailable: "available 4, floor 4 - 1 = 3"
      }
    ],
    [
      "a complete rollout",
      {
        isTerminating: "to be deleted since 2026-01-01T00:00:00Z",
        isNewlyComplete:
          "2 updated, 2 there, 2 available, 2 desired: complete; Progressing says NewReplicaSetAvailable",
        hasProgressed: "no count has changed since the last report",
        isOverdue: "Progressing says NewReplicaSetAvailable, and not since when",
        isAwaitingCheck:
          "Progressing says NewReplicaSetAvailable; 0 old Pods not ended, and terminating ones are counted"
      }
    ],
    [
      "a request to go back",
      {
        isClaiming: "1 ReplicaSet to adopt, 0 to release",
        isClaimingOrRenumbering: "1 ReplicaSet to adopt, 0 to release",
        isRollingBack: "revision 1 is asked for",
        isScaling: "replicas 3, annotation desired-replicas: on none"
      }
    ]
  ]
  it.each(rows)("has the numbers of %s", (name, texts) => {
    const moment = { context, event: { type: "observed", seen: worlds[name] } }
    expect(Object.keys(texts).map((guard) => [guard, reasonOf(guard, moment)])).toEqual(Object.entries(texts))
  })

  it.each<readonly [guard: string, why: string, context: object, text: string]>([
    ["isPaused", "before the first observation", {}, "nothing has been observed yet"],
    ["isCreationRefused", "after a refusal", {}, "createPods was refused, Forbidden: quota"],
    ["isPaused", "from the last observation", { seen: worlds["a rollout on its way"] }, "paused is true"],
    [
      "needsSoonerCheck",
      "with the check ahead",
      { seen: worlds["a new template"], nextCheckMillis: startMillis },
      "no deadline is set; a check is ahead at 2026-01-01T00:00:00Z"
    ]
  ])("%s: %s", (guard, _why, more, text) => {
    expect(reasonOf(guard, { context: { ...context, ...more }, event: refused })).toBe(text)
  })
})

describe("the reason of a strategy's guard", () => {
  const rows: ReadonlyArray<readonly [guard: string, World, text: string]> = [
    [
      "rollingUpdate.mayResizeNew",
      "a new template",
      "desired 3 + surge 1 - asked for 3 = room for 1: new stays at 0"
    ],
    [
      "rollingUpdate.mayResizeNew",
      "a rollout on its way",
      "desired 4 + surge 1 - asked for 5 = room for 0: new stays at 2"
    ],
    ["rollingUpdate.mayResizeNew", "a complete rollout", "desired 2, new 2: all of them are asked for"],
    [
      "rollingUpdate.mayScaleDownOld",
      "a new template",
      "floor 3; old 3 + new available 0 - floor 3 = 0 may go: none"
    ],
    [
      "rollingUpdate.mayScaleDownOld",
      "a rollout on its way",
      "floor 4 - 1 = 3; old 3 + new available 1 - floor 3 = 1 may go; " +
        "available 4 - floor 3 = 1 available ones may go: web-v1 3 -> 2"
    ],
    ["rollingUpdate.mayScaleDownOld", "a complete rollout", "no old Pods are asked for"],
    [
      "rollingUpdate.isDone",
      "a complete rollout",
      "reported 2 updated, 2 there, 2 available, 2 desired; generation 1, observed 0"
    ],
    [
      "rollingUpdate.isDone",
      "a new template",
      "reported 0 updated, 0 there, 0 available, 3 desired; generation 1, observed 0"
    ],
    ["recreate.mayStopOld", "a new template", "1 old ReplicaSet asked to run 3 Pods: web-v1 3 -> 0"],
    ["recreate.mayStopOld", "a complete rollout", "0 old ReplicaSets asked to run 0 Pods: none to stop"],
    [
      "recreate.isOldRunning",
      "a new template",
      "old ReplicaSets report 3 Pods, 0 of theirs have not come to an end"
    ],
    ["recreate.mayStartNew", "a rollout on its way", "desired 4, new 2: web-v2 2 -> 4"],
    ["recreate.mayStartNew", "a new template", "desired 3, new 0: nothing to start"]
  ]
  it.each(rows)("%s for %s", (name, worldName, text) => {
    const [strategy, guard = ""] = name.split(".")
    const guards: Reasons = strategy === "recreate" ? recreate.guards : rollingUpdate.guards
    expect(guards[guard]?.reason?.(worlds[worldName] as never)).toBe(text)
  })
})

describe("the reason of a ReplicaSet's guard", () => {
  const guards: Reasons = replicaSetGuards
  const seenAt = (name: string, more: object = {}) => {
    const seen = replicaSetObservations.get(name)
    if (seen === undefined) throw new Error(`no observation ${name}`)
    return { ...seen, ...more }
  }
  const full = seenAt("all Pods exist")
  const dying = { ...full.replicaSet, metadata: { ...full.replicaSet.metadata, deletionTimestamp: aTime(3) } }
  const adopting = { claims: { adopt: [aPod()], release: [] } }

  it.each<readonly [guard: string, why: string, context: object, text: string]>([
    ["hasTooFewPods", "before the first observation", { seen: undefined }, "nothing has been observed yet"],
    [
      "hasTooFewPods",
      "as many as asked for",
      { seen: full },
      "asked for 5, 5 there: as many as there should be"
    ],
    [
      "hasTooFewPods",
      "some missing",
      { seen: seenAt("some Pods are missing") },
      "asked for 5, 2 there: 3 missing"
    ],
    ["hasTooManyPods", "too many", { seen: seenAt("too many Pods") }, "asked for 3, 7 there: 4 too many"],
    [
      "hasTooManyPods",
      "one to adopt",
      { seen: { ...full, ...adopting } },
      "asked for 5, 5 there, 1 to be adopted: 1 too many"
    ],
    [
      "hasLostPods",
      "some missing",
      { seen: seenAt("some Pods are missing") },
      "asked for 5, 2 there: 3 missing; it last reported 2"
    ],
    ["isTerminating", "not deleted", { seen: full }, "its deletion was not requested"],
    ["isTerminating", "deleted", { seen: { ...full, replicaSet: dying } }, `to be deleted since ${aTime(3)}`],
    ["isAwaitingAvailability", "all available", { seen: full }, "5 ready, 5 available"],
    [
      "isAwaitingAvailability",
      "one not available yet",
      { seen: seenAt("all Pods exist, not all available yet") },
      "5 ready, 4 available; the next is available in 7s"
    ],
    [
      "hasMoreToCreate",
      "the first batch",
      { created: 0, wanted: 5 },
      "0 created before, 1 just now, 5 wanted"
    ],
    ["isScalingRefused", "nothing refused", {}, "nothing was refused"]
  ])("%s: %s", (guard, _why, context, text) => {
    expect(guards[guard]?.reason?.({ context, event: { type: "performed" } } as never)).toBe(text)
  })

  it("isScalingRefused: a refusal", () => {
    const moment = { context: {}, event: refused } as never
    expect(guards["isScalingRefused"]?.reason?.(moment)).toBe("createPods was refused, Forbidden: quota")
  })
})

describe("the reason of a Pod's guard", () => {
  const guards: Reasons = podGuards
  const bound = aPod({ node: "node-1", deleting: true, status: { phase: "Running" } })
  const evicted = {
    ...aLife(),
    eviction: { reason: "Evicted", message: "the node was low on memory" }
  } as PodObservation["life"]
  const [seen, lost] = [observedPod(aPod()), observedPod(bound, evicted, { kubelet: "lost" })]
  const app = newContainer()
  const running = { ...app, doing: "running", started: true, ready: true, restartCount: 2 } as const
  const ended = { ...app, doing: "terminated", lastExit: { code: 3, reason: "Error" } } as const
  const changed = (facts: object) =>
    ({ type: "container.changed", happening: "ready", facts }) as unknown as PodEvent
  const passed: PodEvent = { type: "deadline.passed" }

  it.each<readonly [guard: string, why: string, seen: PodObservation | undefined, text: string]>([
    ["isLost", "before the first observation", undefined, "nothing has been observed yet"],
    ["isLost", "reachable", seen, "its kubelet is reachable"],
    ["isLost", "lost", lost, "its kubelet is lost"],
    ["isByHand", "by its kubelet", seen, "moved by its kubelet"],
    ["isByHand", "by a client", observedPod(aPod(), aLife({}, "you")), "moved by you"],
    ["isBound", "not bound", seen, "it has no node"],
    ["isBound", "bound", lost, "on node-1"],
    ["awaitsVolumes", "none", seen, "it waits for no volume"],
    [
      "awaitsVolumes",
      "one",
      observedPod(bound, aLife(), { volumes: "awaited" }),
      "its volumes are not there yet"
    ],
    ["isFailed", "its phase", seen, "phase Pending"],
    ["isTerminating", "not deleted", seen, "its deletion was not requested, phase Pending"],
    ["isEvicted", "kept", seen, "its kubelet keeps it"],
    ["isEvicted", "evicted", lost, "its kubelet evicts it: Evicted"],
    ["isNowLost", "without an observation", seen, "nothing is observed just now"]
  ])("%s: %s", (guard, _why, last, text) => {
    const moment = { context: { seen: last, containers: [] }, event: passed } as never
    expect(guards[guard]?.reason?.(moment)).toBe(text)
  })

  it.each<
    readonly [guard: string, why: string, containers: ReadonlyArray<object>, event: PodEvent, text: string]
  >([
    ["areReady", "no containers", [], passed, "it has no containers here"],
    [
      "areReady",
      "what each does",
      [running, { ...ended, name: "b" }],
      passed,
      "app running and ready, b terminated"
    ],
    [
      "areDone",
      "how each has ended",
      [running, { ...ended, name: "b" }],
      passed,
      "app running, b terminated, last exit 3 (Error)"
    ],
    ["hasRunHere", "how often each has run", [running], passed, "app restarted 2 times"],
    ["isUnchanged", "no container", [running], passed, "no container has said anything"],
    [
      "isUnchanged",
      "what has changed",
      [app],
      changed(running),
      "app was creating, is running, started, ready"
    ],
    ["isLastToStop", "an unknown container", [], changed(ended), "app was unknown, is terminated"]
  ])("%s: %s", (guard, _why, containers, event, text) => {
    expect(guards[guard]?.reason?.({ context: { seen, containers }, event } as never)).toBe(text)
  })

  it("isHurried: the grace before and now", () => {
    const event: PodEvent = { type: "observed", seen: lost }
    expect(guards["isHurried"]?.reason?.({ context: { seen, containers: [] }, event } as never)).toMatch(
      /^was: its deletion was not requested; is: to be gone by \S+, 30s of grace$/
    )
  })
})

describe("the reason of a node's guard", () => {
  const guards: Reasons = nodeGuards
  const seen: NodeObservation = {
    kubelet: "running",
    ready: "Unknown",
    lostMillis: startMillis,
    hasStaleReadyPods: false,
    isMistainted: false,
    overduePods: ["shop/a"],
    toleratingPods: ["shop/b", "shop/c"],
    nextOverdueMillis: undefined,
    nowMillis: startMillis
  }

  it.each<readonly [guard: string, more: Partial<NodeObservation>, text: string]>([
    ["isBeating", {}, "its kubelet is running"],
    ["isKnownLost", {}, "Ready is Unknown"],
    ["hasStaleReadyPods", {}, "no Pod on it counts as ready that should not"],
    ["hasStaleReadyPods", { hasStaleReadyPods: true }, "Pods on it count as ready, and it is not"],
    ["isMistainted", {}, "its taints say what its conditions say"],
    ["isMistainted", { isMistainted: true }, "its taints do not say what its conditions say"],
    ["hasOverduePods", {}, "1 Pods must leave now"],
    ["hasToleratingPods", {}, "no Pod has to leave later"],
    [
      "hasToleratingPods",
      { nextOverdueMillis: startMillis + 9000 },
      "2 Pods must leave later, the next in 9s"
    ]
  ])("%s %j", (guard, more, text) => {
    const event = { type: "observed", seen: { ...seen, ...more } }
    expect(guards[guard]?.reason?.({ event } as never)).toBe(text)
    expect(guards[guard]?.reason?.({ event: { type: "after" } } as never)).toBe(
      "nothing is observed just now"
    )
  })
})
