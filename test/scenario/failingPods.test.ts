import { describe, expect, it } from "vitest"
import { aDeployment, aPod, aReplicaSet, aTime, startMillis } from "../builders.ts"
import { failingPodsOf, isStartingUp } from "../../src/plan/live/failingPods.ts"
import type { ContainerStatus, Pod, ReplicaSet } from "../../src/kubernetes/meta/objects.ts"

const replicaSet = aReplicaSet({ replicas: 2, available: 0 })

const withApp = (name: string, status: Partial<ContainerStatus>): Pod => {
  const pod = aPod({ name, owner: replicaSet })
  const app = { name: "app", image: "web:9", imageID: "", ready: false, restartCount: 0, ...status }
  return { ...pod, status: { ...pod.status, containerStatuses: [app] } }
}
const waiting = (reason: string, ended?: object): Partial<ContainerStatus> => ({
  state: { waiting: { reason } },
  ...(ended === undefined ? {} : { lastState: { terminated: ended as never } })
})
const running = { state: { running: { startedAt: aTime(0) } } }
const good = aPod({ name: "good", owner: replicaSet, ready: true })
const late = aDeployment({
  conditions: [{ type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded" }] as never
})

/** It was ready so many seconds after it was made and ran. */
const sibling = (seconds: number): Pod => {
  const pod = aPod({ name: "old", owner: aReplicaSet({ version: "v0" }), ready: seconds })
  const scheduled = { type: "PodScheduled", status: "True", lastTransitionTime: aTime(0) } as const
  const app = { name: "app", image: "web:8", imageID: "", ready: true, restartCount: 0, ...running }
  const conditions = [...(pod.status.conditions ?? []), scheduled]
  return { ...pod, status: { ...pod.status, conditions, containerStatuses: [app] } }
}
const withReady = (pod: Pod, ready: object): Pod => {
  const conditions = [{ type: "Ready", status: "False", ...ready }]
  return { ...pod, status: { ...pod.status, conditions } as Pod["status"] }
}
/** Its second container has run since another second. */
const withBoth = (name: string, seconds: number, ready: boolean): Pod => {
  const pod = withApp(name, running)
  const state = { running: { startedAt: aTime(seconds) } }
  const log = { name: "log", image: "log:9", imageID: "", ready, restartCount: 0, state }
  return {
    ...pod,
    status: { ...pod.status, containerStatuses: [...(pod.status.containerStatuses ?? []), log] }
  }
}
const probed = (probes: object): ReplicaSet => {
  const spec = { containers: [{ name: "app", image: "web:9", ...probes }] }
  return aReplicaSet({ replicas: 2, available: 0, template: { metadata: {}, spec } })
}

interface Row {
  readonly why: string
  readonly replicaSet?: ReplicaSet
  /** When it is looked at, so many seconds after they were made. */
  readonly seconds?: number
  readonly pods: ReadonlyArray<Pod>
  readonly isLate?: true
  readonly containers?: object
  readonly text?: RegExp
  /** Whether they are on their way and nothing else. */
  readonly isComingUp?: true
}

const onTheirWay =
  /^2 of the 2 Pods of ReplicaSet shop\/web-v1 run there and are not ready yet, and are taken to be on their way$/

describe("Pods that do not come up in a cluster", () => {
  const crashed = { startedAt: aTime(0), finishedAt: aTime(7), exitCode: 137, reason: "OOMKilled" }
  const rows: ReadonlyArray<Row> = [
    {
      why: "crash as they have crashed there",
      pods: [withApp("a", waiting("CrashLoopBackOff", crashed)), withApp("b", running)],
      containers: { app: { exit: { after: "7000ms", code: 137, reason: "OOMKilled" }, ready: "24h" } },
      text: /^the Pods of ReplicaSet shop\/web-v1 do not come up there \(CrashLoopBackOff: container "app" ended with exit code 137 \(OOMKilled\)\), nor in the plan$/
    },
    {
      why: "crash with a reason that is the runtime's own by their exit code alone",
      pods: [withApp("a", waiting("CrashLoopBackOff", { exitCode: 128, reason: "StartError" }))],
      containers: { app: { exit: { after: "0ms", code: 128 }, ready: "24h" } }
    },
    {
      why: "never get their image",
      pods: [withApp("a", waiting("ImagePullBackOff"))],
      containers: { app: { pull: { failures: "forever" } } }
    },
    {
      why: "are never created where the kubelet cannot",
      pods: [withApp("a", waiting("CreateContainerConfigError"))],
      containers: { app: { start: "24h" } }
    },
    {
      why: "that run and do not answer, until the deadline has passed, do not answer in the plan either",
      pods: [withApp("a", running), withApp("b", running)],
      isLate: true,
      containers: { app: { ready: "24h" } },
      text: /\(Pods run and are not ready\)/
    },
    {
      why: "may still do so where the deadline has not passed, and are said to",
      pods: [withApp("a", running), withApp("b", running)],
      text: onTheirWay,
      isComingUp: true
    },
    {
      why: "run for several times as long as others took, and a minute more",
      pods: [sibling(20), withApp("a", running), withApp("b", waiting("ContainerCreating"))],
      seconds: 161,
      containers: { app: { ready: "24h" } },
      text: /^the Pods .* do not come up there \(Pods run for 2m41s and are not ready, where others took 20s at the most\), nor in the plan$/
    },
    {
      why: "may still do so where that is not over",
      pods: [sibling(20), withApp("a", running), withApp("b", running)],
      seconds: 160,
      text: onTheirWay,
      isComingUp: true
    },
    {
      why: "may still do so where nobody is there to compare them with",
      pods: [withApp("a", running), withApp("b", running)],
      seconds: 9999,
      text: onTheirWay,
      isComingUp: true
    },
    {
      why: "may still do so as long as their own probes may keep them from it",
      replicaSet: probed({
        startupProbe: { failureThreshold: 30 },
        readinessProbe: { initialDelaySeconds: 30 }
      }),
      pods: [sibling(0), withApp("a", running), withApp("b", running)],
      seconds: 380,
      text: onTheirWay,
      isComingUp: true
    },
    {
      why: "and no longer",
      replicaSet: probed({
        startupProbe: { failureThreshold: 30 },
        readinessProbe: { initialDelaySeconds: 30 }
      }),
      pods: [sibling(0), withApp("a", running), withApp("b", running)],
      seconds: 381,
      containers: { app: { ready: "24h" } },
      text: /Pods run for 6m21s and are not ready, where others took 0s at the most/
    },
    {
      why: "may be ready again that have been before",
      pods: [
        sibling(20),
        ...["a", "b"].map((name) => withReady(withApp(name, running), { lastTransitionTime: aTime(9) }))
      ],
      seconds: 9999,
      text: onTheirWay,
      isComingUp: true
    },
    {
      why: "are on their way since the last of what they wait for has begun to run",
      pods: [sibling(20), withBoth("a", 40, false), withBoth("b", 40, false)],
      seconds: 200,
      text: onTheirWay,
      isComingUp: true
    },
    {
      why: "do not wait for what is ready",
      pods: [sibling(20), withBoth("a", 40, true), withBoth("b", 40, true)],
      seconds: 200,
      containers: { app: { ready: "24h" } },
      text: /Pods run for 3m20s and are not ready/
    },
    {
      why: "have crashed, however long they run since then",
      pods: [sibling(20), withApp("a", { ...running, lastState: { terminated: { exitCode: 1 } } })],
      seconds: 9999,
      containers: { app: { exit: { after: "0ms", code: 1 }, ready: "24h" } },
      text: /do not come up there \(container "app" ended with exit code 1 \(Error\)\), nor in the plan$/
    },
    {
      why: "of which some serve, for however long the others run, are taken to do so",
      pods: [good, sibling(20), withApp("a", running)],
      seconds: 200,
      text: /^1 of the 2 Pods .* do not come up there \(Pods run for 3m20s and are not ready, .*\), and are taken to be on their way$/,
      isComingUp: true
    },
    {
      why: "crash, and run just now",
      pods: [
        withApp("a", { ...running, lastState: { terminated: { exitCode: 1 } }, restartCount: 3 }),
        withApp("b", { ...running, lastState: { terminated: { exitCode: 1 } }, restartCount: 3 })
      ],
      containers: { app: { exit: { after: "0ms", code: 1 }, ready: "24h" } },
      text: /do not come up there \(container "app" ended with exit code 1 \(Error\)\), nor in the plan$/
    },
    {
      why: "are not all there yet: something else keeps them",
      pods: [withApp("a", waiting("ContainerCreating"))].map((pod) => ({
        ...pod,
        status: { ...pod.status, phase: "Pending" }
      }))
    },
    {
      why: "of which some serve, are taken to do so",
      pods: [good, withApp("a", waiting("ImagePullBackOff"))],
      text: /^1 of the 2 Pods of ReplicaSet shop\/web-v1 do not come up there \(ImagePullBackOff: .*\), and are taken to be on their way$/,
      isComingUp: true
    },
    {
      why: "are being created",
      pods: [good, withApp("a", waiting("ContainerCreating"))],
      text: /^1 of the 2 Pods .* run there/,
      isComingUp: true
    },
    {
      why: "are on their way out, and nobody waits for them",
      pods: [good, good, aPod({ name: "old", owner: replicaSet, terminating: true })],
      isComingUp: true
    },
    {
      why: "are somebody else's",
      pods: [good, good, aPod({ name: "other", owner: aReplicaSet({ version: "v2" }) })],
      isComingUp: true
    }
  ]
  it.for(rows)("$why", ({ pods, isLate = false, seconds = 0, containers, text, ...row }) => {
    const readMillis = startMillis + seconds * 1000
    const live = { deployments: [isLate ? late : aDeployment()], pods, readMillis }
    const { replicaSet: own = replicaSet } = row
    const failing = failingPodsOf(own, live)
    expect(failing?.behaviour?.containers).toEqual(containers)
    if (text === undefined) expect(failing !== undefined).toBe(containers !== undefined)
    else expect(failing?.text).toMatch(text)
    expect(isStartingUp(own, live, failing)).toBe(row.isComingUp ?? false)
  })
})
