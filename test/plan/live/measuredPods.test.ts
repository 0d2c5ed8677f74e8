import { describe, expect, it } from "vitest"
import { measureBehaviour } from "../../../src/plan/live/measuredPods.ts"
import { aContainerStatus, aDeployment, aPod, aRunningState, aTime } from "../../builders.ts"
import { planNext } from "../planManifests.ts"
import type { Pod, PodSpec } from "../../../src/kubernetes/meta/objects.ts"

const httpProbe = (path: string, more: object) => ({ httpGet: { path, port: 80 }, ...more })

/** A Pod that was made at 0, scheduled at 1 and started at 3 seconds, and was ready at some second. */
const livePod = (name: string, ready: number, containers: PodSpec["containers"]): Pod => {
  const pod = aPod({ name, ready, spec: { containers: [...containers] } })
  const { conditions = [] } = pod.status
  return {
    ...pod,
    metadata: { ...pod.metadata, creationTimestamp: aTime(0) },
    status: {
      ...pod.status,
      conditions: [...conditions, { type: "PodScheduled", status: "True", lastTransitionTime: aTime(1) }],
      containerStatuses: containers.map(({ name }) =>
        aContainerStatus({ name, ready: true, state: aRunningState(3) })
      )
    }
  }
}

describe("the measured times of live Pods", () => {
  const restartedPod = (name: string, list: "containerStatuses" | "initContainerStatuses"): Pod => {
    const pod = livePod(name, 9, [{ name: "app", image: "registry.example/app:v1" }])
    const first = pod.status[list]?.[0] ?? aContainerStatus({ name: "migrate", ready: true })
    return { ...pod, status: { ...pod.status, [list]: [{ ...first, restartCount: 1 }] } }
  }
  const steady = livePod("one", 5, [{ name: "app", image: "registry.example/app:v1" }])
  const changed = ({ metadata }: { readonly metadata: Partial<Pod["metadata"]> }): Pod => {
    const pod = livePod("two", 9, steady.spec.containers)
    return { ...pod, metadata: { ...pod.metadata, ...metadata } }
  }
  const rows: ReadonlyArray<{ readonly why: string; readonly pod: Pod; readonly text: string }> = [
    {
      why: "are of all ready Pods",
      pod: livePod("two", 9, steady.spec.containers),
      text: "2 live Pods of shop/web took 5s..9s from creation until ready (1s to be scheduled, 2s to start, 2s..6s to be ready)"
    },
    {
      why: "leave out Pods of another namespace",
      pod: changed({ metadata: { namespace: "elsewhere" } }),
      text: "1 live Pod of shop/web took 5s from creation until ready (1s to be scheduled, 2s to start, 2s to be ready)"
    },
    {
      why: "leave out Pods that are not selected",
      pod: changed({ metadata: { labels: { app: "other" } } }),
      text: "1 live Pod of shop/web took 5s from creation until ready (1s to be scheduled, 2s to start, 2s to be ready)"
    },
    {
      why: "leave out Pods that were unready in between",
      pod: livePod("two", 9999, steady.spec.containers),
      text: "1 live Pod of shop/web took 5s from creation until ready (1s to be scheduled, 2s to start, 2s to be ready)"
    },
    {
      why: "leave out Pods with a restarted container",
      pod: restartedPod("two", "containerStatuses"),
      text: "1 live Pod of shop/web took 5s from creation until ready (1s to be scheduled, 2s to start, 2s to be ready)"
    },
    {
      why: "leave out Pods with a restarted init container",
      pod: restartedPod("two", "initContainerStatuses"),
      text: "1 live Pod of shop/web took 5s from creation until ready (1s to be scheduled, 2s to start, 2s to be ready)"
    }
  ]
  it.for(rows)("$why", ({ pod, text }) => {
    expect(measureBehaviour(aDeployment(), [steady, pod])?.text).toBe(text)
  })
})

const allAvailable = {
  available: {},
  startingReplicaSets: [],
  failingReplicaSets: [],
  unfinishedRevisions: [],
  nodes: undefined
}

describe("the time by which containers of live Pods answered", () => {
  // Ready after 40 and 43 seconds; the first probe comes after 40.
  const readinessProbe = httpProbe("/", { initialDelaySeconds: 40, periodSeconds: 3 })
  const rows: ReadonlyArray<{ readonly why: string; readonly probes: object; readonly answers: object }> = [
    { why: "is their ready time without other probes", probes: {}, answers: {} },
    {
      why: "is before an equal liveness probe would have killed them",
      probes: { livenessProbe: httpProbe("/", { initialDelaySeconds: 12, periodSeconds: 5 }) },
      answers: { app: { ready: "22000ms" } }
    },
    {
      why: "is before a startup probe would have killed them",
      probes: { startupProbe: httpProbe("/up", { periodSeconds: 7, failureThreshold: 7 }) },
      answers: { app: { ready: { uniform: ["40000ms", "42000ms"] } } }
    },
    {
      why: "is their ready time when that was sooner",
      probes: { livenessProbe: httpProbe("/", { initialDelaySeconds: 23 }) },
      answers: {}
    },
    {
      why: "is their ready time when the liveness probe differs",
      probes: { livenessProbe: httpProbe("/alive", {}) },
      answers: {}
    }
  ]
  it.for(rows)("$why", async ({ probes, answers }) => {
    const container = { name: "app", image: "registry.example/app:v1", readinessProbe, ...probes }
    const pods = [livePod("one", 43, [container]), livePod("two", 46, [container])]
    const { behaviour } = measureBehaviour(aDeployment(), pods) ?? {}
    expect(behaviour).toMatchObject({ ready: { uniform: ["40000ms", "43000ms"] }, containers: answers })
    if (behaviour === undefined) return
    // The plan with these times and the same probes succeeds.
    const spec = { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }
    const { stuck, late, advice } = await planNext(
      { replicas: 2, spec, container: { readinessProbe, ...probes } },
      {
        planWorld: { livePods: allAvailable, behaviours: [{ ...behaviour, match: { image: "*" } }] },
        seeds: 5
      }
    )
    expect({ stuck, late, advice }).toEqual({ stuck: 0, late: 0, advice: [] })
  })

  it("takes the start once, whatever the number of containers", () => {
    const containers = ["app", "proxy", "log"].map((name) => ({ name, image: `${name}:1` }))
    const template = aDeployment().spec.template
    const workload = aDeployment({ template: { ...template, spec: { ...template.spec, containers } } })
    const { behaviour } = measureBehaviour(workload, [livePod("one", 43, containers)]) ?? {}
    expect(behaviour).toMatchObject({ start: "2000ms", ready: "40000ms" })
    expect(behaviour?.containers).toEqual({ proxy: { start: "0s" }, log: { start: "0s" } })
  })

  it("takes no hook of a container for its start", () => {
    const lifecycle = { postStart: { sleep: { seconds: 1 } } }
    const containers = ["app", "proxy"].map((name) => ({ name, image: `${name}:1`, lifecycle }))
    const template = aDeployment().spec.template
    const workload = aDeployment({ template: { ...template, spec: { ...template.spec, containers } } })
    const { behaviour } = measureBehaviour(workload, [livePod("one", 43, containers)]) ?? {}
    expect(behaviour).toMatchObject({ start: "1000ms", ready: "40000ms" })
  })

  it("is measured for each container", () => {
    const livenessProbe = httpProbe("/", { periodSeconds: 6 })
    const log = { name: "log", image: "log:1", readinessProbe: httpProbe("/", {}), livenessProbe }
    const app = { name: "app", image: "app:1", readinessProbe }
    const lone = { name: "lone", image: "lone:1", livenessProbe: httpProbe("/", { periodSeconds: 8 }) }
    const { behaviour } = measureBehaviour(aDeployment(), [livePod("one", 43, [app, log, lone])]) ?? {}
    expect(behaviour).toMatchObject({ ready: "40000ms" })
    expect(behaviour?.containers).toEqual({ log: { ready: "12000ms" }, lone: { ready: "16000ms" } })
  })
})

describe("init containers of live Pods take none of the measured time", () => {
  const image = "registry.example/more:v1"
  const readinessProbe = httpProbe("/", {})
  const rows: ReadonlyArray<{ readonly why: string; readonly init: object; readonly expected: object }> = [
    { why: "an init container is over", init: {}, expected: { start: "0s", ready: "0s" } },
    {
      why: "a sidecar with a startup probe has answered",
      init: { restartPolicy: "Always", startupProbe: httpProbe("/", { periodSeconds: 1 }) },
      expected: { start: "0s", ready: "0s" }
    },
    {
      why: "a sidecar with a liveness probe was not killed",
      init: { restartPolicy: "Always", readinessProbe, livenessProbe: httpProbe("/", { periodSeconds: 1 }) },
      expected: { start: "0s", ready: "0s" }
    },
    {
      why: "but a sidecar with a readiness probe may be what took the time",
      init: { restartPolicy: "Always", readinessProbe },
      expected: { start: "0s" }
    }
  ]
  it.for(rows)("$why", async ({ init, expected }) => {
    const app = { name: "app", image: "registry.example/app:v1", readinessProbe }
    const podSpec = { containers: [app], initContainers: [{ name: "more", image, ...init }] }
    const deployment = aDeployment()
    const { template } = deployment.spec
    const spec = { ...deployment.spec, template: { ...template, spec: podSpec } }
    const { behaviour } = measureBehaviour({ ...deployment, spec }, [livePod("one", 63, [app])]) ?? {}
    expect(behaviour?.containers).toEqual({ more: expected })
    if (behaviour === undefined) return
    const { stuck, before, reasons } = await planNext(
      { replicas: 2, podSpec },
      { planWorld: { behaviours: [{ ...behaviour, match: { name: "*" } }] } }
    )
    expect({ stuck, before, reasons }).toMatchObject({ stuck: 0, before: { available: 2 }, reasons: [] })
  })
})
