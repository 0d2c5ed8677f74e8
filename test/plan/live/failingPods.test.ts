import { describe, expect, it } from "vitest"
import {
  aContainerStatus,
  aDeployment,
  aPod,
  aReplicaSet,
  aRunningState,
  aTerminatedState,
  aTime,
  aWaitingState,
  startMillis
} from "../../builders.ts"
import { failingPodsOf, isStartingUp } from "../../../src/plan/live/failingPods.ts"
import type { ContainerStatus, Pod, ReplicaSet } from "../../../src/kubernetes/meta/objects.ts"

const replicaSet = aReplicaSet({ replicas: 2, available: 0 })

const withApp = (name: string, status: Partial<ContainerStatus>): Pod => {
  const pod = aPod({ name, owner: replicaSet })
  const app = aContainerStatus({ image: "web:9", ...status })
  return { ...pod, status: { ...pod.status, containerStatuses: [app] } }
}
const waiting = (reason: string, ended?: object): Partial<ContainerStatus> => ({
  state: aWaitingState(reason),
  ...(ended === undefined ? {} : { lastState: { terminated: ended as never } })
})
const running = { state: aRunningState(0) }
const readyPod = aPod({ name: "good", owner: replicaSet, ready: true })
const missedDeadline = aDeployment({
  conditions: [{ type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded" }] as never
})

/** An older Pod that was ready so many seconds after its creation. */
const olderPod = (seconds: number): Pod => {
  const pod = aPod({ name: "old", owner: aReplicaSet({ version: "v0" }), ready: seconds })
  const scheduled = { type: "PodScheduled", status: "True", lastTransitionTime: aTime(0) } as const
  const app = aContainerStatus({ image: "web:8", ready: true, ...running })
  const conditions = [...(pod.status.conditions ?? []), scheduled]
  return { ...pod, status: { ...pod.status, conditions, containerStatuses: [app] } }
}
const withReady = (pod: Pod, ready: object): Pod => {
  const conditions = [{ type: "Ready", status: "False", ...ready }]
  return { ...pod, status: { ...pod.status, conditions } as Pod["status"] }
}
/** A Pod whose second container started at another second. */
const withBoth = (name: string, seconds: number, ready: boolean): Pod => {
  const pod = withApp(name, running)
  const log = aContainerStatus({ name: "log", image: "log:9", ready, state: aRunningState(seconds) })
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
  /** Time of the observation, in seconds after the creation of the Pods. */
  readonly seconds?: number
  readonly pods: ReadonlyArray<Pod>
  readonly isDeadlineMissed?: true
  readonly containers?: object
  readonly text?: RegExp
  /** Whether they count as starting up. */
  readonly isStartingUp?: true
}

const startingUpText =
  /^2 of the 2 Pods of ReplicaSet shop\/web-v1 run there and are not ready yet, and are taken to be on their way$/

describe("live Pods that do not become ready", () => {
  const crashed = { startedAt: aTime(0), finishedAt: aTime(7), exitCode: 137, reason: "OOMKilled" }
  const rows: ReadonlyArray<Row> = [
    {
      why: "crash in the plan as they crashed",
      pods: [withApp("a", waiting("CrashLoopBackOff", crashed)), withApp("b", running)],
      containers: { app: { exit: { after: "7000ms", code: 137, reason: "OOMKilled" }, ready: "24h" } },
      text: /^the Pods of ReplicaSet shop\/web-v1 do not come up there \(CrashLoopBackOff: container "app" ended with exit code 137 \(OOMKilled\)\), nor in the plan$/
    },
    {
      why: "crash by their exit code alone when the reason is the runtime's",
      pods: [withApp("a", waiting("CrashLoopBackOff", { exitCode: 128, reason: "StartError" }))],
      containers: { app: { exit: { after: "0ms", code: 128 }, ready: "24h" } }
    },
    {
      why: "never get their image in the plan",
      pods: [withApp("a", waiting("ImagePullBackOff"))],
      containers: { app: { pull: { failures: "forever" } } }
    },
    {
      why: "are never started when the kubelet cannot create them",
      pods: [withApp("a", waiting("CreateContainerConfigError"))],
      containers: { app: { start: "24h" } }
    },
    {
      why: "never become ready when they run unready past the progress deadline",
      pods: [withApp("a", running), withApp("b", running)],
      isDeadlineMissed: true,
      containers: { app: { ready: "24h" } },
      text: /\(Pods run and are not ready\)/
    },
    {
      why: "are starting up before the progress deadline",
      pods: [withApp("a", running), withApp("b", running)],
      text: startingUpText,
      isStartingUp: true
    },
    {
      why: "never become ready when they run far longer than ready Pods took",
      pods: [olderPod(20), withApp("a", running), withApp("b", waiting("ContainerCreating"))],
      seconds: 161,
      containers: { app: { ready: "24h" } },
      text: /^the Pods .* do not come up there \(Pods run for 2m41s and are not ready, where others took 20s at the most\), nor in the plan$/
    },
    {
      why: "are starting up before that time",
      pods: [olderPod(20), withApp("a", running), withApp("b", running)],
      seconds: 160,
      text: startingUpText,
      isStartingUp: true
    },
    {
      why: "are starting up when there are no ready Pods to compare with",
      pods: [withApp("a", running), withApp("b", running)],
      seconds: 9999,
      text: startingUpText,
      isStartingUp: true
    },
    {
      why: "are starting up while their own probes may still delay them",
      replicaSet: probed({
        startupProbe: { failureThreshold: 30 },
        readinessProbe: { initialDelaySeconds: 30 }
      }),
      pods: [olderPod(0), withApp("a", running), withApp("b", running)],
      seconds: 380,
      text: startingUpText,
      isStartingUp: true
    },
    {
      why: "never become ready once their probes can no longer delay them",
      replicaSet: probed({
        startupProbe: { failureThreshold: 30 },
        readinessProbe: { initialDelaySeconds: 30 }
      }),
      pods: [olderPod(0), withApp("a", running), withApp("b", running)],
      seconds: 381,
      containers: { app: { ready: "24h" } },
      text: /Pods run for 6m21s and are not ready, where others took 0s at the most/
    },
    {
      why: "are starting up when they have been ready before",
      pods: [
        olderPod(20),
        ...["a", "b"].map((name) => withReady(withApp(name, running), { lastTransitionTime: aTime(9) }))
      ],
      seconds: 9999,
      text: startingUpText,
      isStartingUp: true
    },
    {
      why: "are measured from the start of the last container that is not ready",
      pods: [olderPod(20), withBoth("a", 40, false), withBoth("b", 40, false)],
      seconds: 200,
      text: startingUpText,
      isStartingUp: true
    },
    {
      why: "are not measured from the start of a ready container",
      pods: [olderPod(20), withBoth("a", 40, true), withBoth("b", 40, true)],
      seconds: 200,
      containers: { app: { ready: "24h" } },
      text: /Pods run for 3m20s and are not ready/
    },
    {
      why: "crash in the plan when they crashed once, however long they run since",
      pods: [olderPod(20), withApp("a", { ...running, lastState: aTerminatedState(1) })],
      seconds: 9999,
      containers: { app: { exit: { after: "0ms", code: 1 }, ready: "24h" } },
      text: /do not come up there \(container "app" ended with exit code 1 \(Error\)\), nor in the plan$/
    },
    {
      why: "are starting up when some of them are ready, however long the others run",
      pods: [readyPod, olderPod(20), withApp("a", running)],
      seconds: 200,
      text: /^1 of the 2 Pods .* do not come up there \(Pods run for 3m20s and are not ready, .*\), and are taken to be on their way$/,
      isStartingUp: true
    },
    {
      why: "crash in the plan when they run just now",
      pods: [
        withApp("a", { ...running, lastState: aTerminatedState(1), restartCount: 3 }),
        withApp("b", { ...running, lastState: aTerminatedState(1), restartCount: 3 })
      ],
      containers: { app: { exit: { after: "0ms", code: 1 }, ready: "24h" } },
      text: /do not come up there \(container "app" ended with exit code 1 \(Error\)\), nor in the plan$/
    },
    {
      why: "are not failing when they are not all created",
      pods: [withApp("a", waiting("ContainerCreating"))].map((pod) => ({
        ...pod,
        status: { ...pod.status, phase: "Pending" }
      }))
    },
    {
      why: "are starting up when some of them are ready",
      pods: [readyPod, withApp("a", waiting("ImagePullBackOff"))],
      text: /^1 of the 2 Pods of ReplicaSet shop\/web-v1 do not come up there \(ImagePullBackOff: .*\), and are taken to be on their way$/,
      isStartingUp: true
    },
    {
      why: "are starting up while containers are created",
      pods: [readyPod, withApp("a", waiting("ContainerCreating"))],
      text: /^1 of the 2 Pods .* run there/,
      isStartingUp: true
    },
    {
      why: "do not count while they terminate",
      pods: [readyPod, readyPod, aPod({ name: "old", owner: replicaSet, terminating: true })],
      isStartingUp: true
    },
    {
      why: "do not count when another ReplicaSet owns them",
      pods: [readyPod, readyPod, aPod({ name: "other", owner: aReplicaSet({ version: "v2" }) })],
      isStartingUp: true
    }
  ]
  it.for(rows)("$why", ({ pods, isDeadlineMissed = false, seconds = 0, containers, text, ...row }) => {
    const readMillis = startMillis + seconds * 1000
    const live = { deployments: [isDeadlineMissed ? missedDeadline : aDeployment()], pods, readMillis }
    const { replicaSet: own = replicaSet } = row
    const failing = failingPodsOf(own, live)
    expect(failing?.behaviour?.containers).toEqual(containers)
    if (text === undefined) expect(failing !== undefined).toBe(containers !== undefined)
    else expect(failing?.text).toMatch(text)
    expect(isStartingUp(own, live, failing)).toBe(row.isStartingUp ?? false)
  })
})
