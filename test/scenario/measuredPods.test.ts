import { describe, expect, it } from "vitest"
import { measureBehaviour } from "../../src/plan/live/measuredPods.ts"
import { aDeployment, aPod, aTime, someContainerStatus } from "../builders.ts"
import { planNext } from "./planWorlds.ts"
import type { Pod, PodSpec } from "../../src/kubernetes/meta/objects.ts"

const asks = (path: string, more: object) => ({ httpGet: { path, port: 80 }, ...more })

/** A Pod that was made at 0, scheduled at 1 and started at 3 seconds, and was ready at some second. */
const livePod = (name: string, ready: number, containers: PodSpec["containers"]): Pod => {
  const pod = aPod({ name, ready, spec: { containers: [...containers] } })
  const running = { running: { startedAt: aTime(3) } }
  const { conditions = [] } = pod.status
  return {
    ...pod,
    metadata: { ...pod.metadata, creationTimestamp: aTime(0) },
    status: {
      ...pod.status,
      conditions: [...conditions, { type: "PodScheduled", status: "True", lastTransitionTime: aTime(1) }],
      containerStatuses: containers.map((_, index) => ({ ...someContainerStatus(0, index), state: running }))
    }
  }
}

describe("how long live Pods took", () => {
  const again = (name: string, list: "containerStatuses" | "initContainerStatuses"): Pod => {
    const pod = livePod(name, 9, [{ name: "app", image: "registry.example/app:v1" }])
    const first = pod.status[list]?.[0] ?? { ...someContainerStatus(0), name: "migrate" }
    return { ...pod, status: { ...pod.status, [list]: [{ ...first, restartCount: 1 }] } }
  }
  const steady = livePod("one", 5, [{ name: "app", image: "registry.example/app:v1" }])
  const changed = ({ metadata }: { readonly metadata: Partial<Pod["metadata"]> }): Pod => {
    const pod = livePod("two", 9, steady.spec.containers)
    return { ...pod, metadata: { ...pod.metadata, ...metadata } }
  }
  const rows: ReadonlyArray<{ readonly why: string; readonly pod: Pod; readonly text: string }> = [
    {
      why: "is of all that are ready",
      pod: livePod("two", 9, steady.spec.containers),
      text: "2 live Pods of shop/web took 5s..9s from creation until ready (1s to be scheduled, 2s to start, 2s..6s to be ready)"
    },
    {
      why: "says nothing of a namesake elsewhere",
      pod: changed({ metadata: { namespace: "elsewhere" } }),
      text: "1 live Pod of shop/web took 5s from creation until ready (1s to be scheduled, 2s to start, 2s to be ready)"
    },
    {
      why: "says nothing of Pods that it does not select",
      pod: changed({ metadata: { labels: { app: "other" } } }),
      text: "1 live Pod of shop/web took 5s from creation until ready (1s to be scheduled, 2s to start, 2s to be ready)"
    },
    {
      why: "leaves out what has been unready in between",
      pod: livePod("two", 9999, steady.spec.containers),
      text: "1 live Pod of shop/web took 5s from creation until ready (1s to be scheduled, 2s to start, 2s to be ready)"
    },
    {
      why: "leaves out what a container waited for that was started again",
      pod: again("two", "containerStatuses"),
      text: "1 live Pod of shop/web took 5s from creation until ready (1s to be scheduled, 2s to start, 2s to be ready)"
    },
    {
      why: "leaves out what an init container waited for that was started again",
      pod: again("two", "initContainerStatuses"),
      text: "1 live Pod of shop/web took 5s from creation until ready (1s to be scheduled, 2s to start, 2s to be ready)"
    }
  ]
  it.for(rows)("$why", ({ pod, text }) => {
    expect(measureBehaviour(aDeployment(), [steady, pod])?.text).toBe(text)
  })
})

describe("by when live Pods had answered that no probe has ended", () => {
  // Ready after 40 and 43 seconds of which the first 40 nobody asked.
  const readinessProbe = asks("/", { initialDelaySeconds: 40, periodSeconds: 3 })
  const rows: ReadonlyArray<{ readonly why: string; readonly probes: object; readonly answers: object }> = [
    { why: "is when they were ready, where nothing else asked them", probes: {}, answers: {} },
    {
      why: "is when a liveness probe would have ended them that asks for the same",
      probes: { livenessProbe: asks("/", { initialDelaySeconds: 12, periodSeconds: 5 }) },
      answers: { app: { ready: "22000ms" } }
    },
    {
      why: "is when a startup probe would have, whatever it asks for",
      probes: { startupProbe: asks("/up", { periodSeconds: 7, failureThreshold: 7 }) },
      answers: { app: { ready: { uniform: ["40000ms", "42000ms"] } } }
    },
    {
      why: "is when they were ready, where that was sooner",
      probes: { livenessProbe: asks("/", { initialDelaySeconds: 23 }) },
      answers: {}
    },
    {
      why: "is when they were ready, where a liveness probe asks for something of its own",
      probes: { livenessProbe: asks("/alive", {}) },
      answers: {}
    }
  ]
  it.for(rows)("$why", async ({ probes, answers }) => {
    const container = { name: "app", image: "registry.example/app:v1", readinessProbe, ...probes }
    const pods = [livePod("one", 43, [container]), livePod("two", 46, [container])]
    const { behaviour } = measureBehaviour(aDeployment(), pods) ?? {}
    expect(behaviour).toMatchObject({ ready: { uniform: ["40000ms", "43000ms"] }, containers: answers })
    if (behaviour === undefined) return
    // And so it goes on, with the same probes.
    const spec = { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }
    const { stuck, late, advice } = await planNext(
      { replicas: 2, spec, container: { readinessProbe, ...probes } },
      { world: { behaviours: [{ ...behaviour, match: { image: "*" } }] }, seeds: 5 }
    )
    expect({ stuck, late, advice }).toEqual({ stuck: 0, late: 0, advice: [] })
  })

  it("is said of each container by itself", () => {
    const livenessProbe = asks("/", { periodSeconds: 6 })
    const log = { name: "log", image: "log:1", readinessProbe: asks("/", {}), livenessProbe }
    const app = { name: "app", image: "app:1", readinessProbe }
    const lone = { name: "lone", image: "lone:1", livenessProbe: asks("/", { periodSeconds: 8 }) }
    const { behaviour } = measureBehaviour(aDeployment(), [livePod("one", 43, [app, log, lone])]) ?? {}
    expect(behaviour).toMatchObject({ ready: "40000ms" })
    expect(behaviour?.containers).toEqual({ log: { ready: "12000ms" }, lone: { ready: "16000ms" } })
  })
})

describe("what prepares live Pods takes none of the time that its containers took", () => {
  const image = "registry.example/more:v1"
  const readinessProbe = asks("/", {})
  const rows: ReadonlyArray<{ readonly why: string; readonly init: object; readonly is: object }> = [
    { why: "what is over by then", init: {}, is: { start: "0s", ready: "0s" } },
    {
      why: "a sidecar that is to answer at once has done so",
      init: { restartPolicy: "Always", startupProbe: asks("/", { periodSeconds: 1 }) },
      is: { start: "0s", ready: "0s" }
    },
    {
      why: "a sidecar that is to live has not been ended",
      init: { restartPolicy: "Always", readinessProbe, livenessProbe: asks("/", { periodSeconds: 1 }) },
      is: { start: "0s", ready: "0s" }
    },
    {
      why: "but a sidecar may be what its Pod was not ready for",
      init: { restartPolicy: "Always", readinessProbe },
      is: { start: "0s" }
    }
  ]
  it.for(rows)("$why", async ({ init, is }) => {
    const app = { name: "app", image: "registry.example/app:v1", readinessProbe }
    const podSpec = { containers: [app], initContainers: [{ name: "more", image, ...init }] }
    const deployment = aDeployment()
    const { template } = deployment.spec
    const spec = { ...deployment.spec, template: { ...template, spec: podSpec } }
    const { behaviour } = measureBehaviour({ ...deployment, spec }, [livePod("one", 63, [app])]) ?? {}
    expect(behaviour?.containers).toEqual({ more: is })
    if (behaviour === undefined) return
    const { stuck, before, reasons } = await planNext(
      { replicas: 2, podSpec },
      { world: { behaviours: [{ ...behaviour, match: { name: "*" } }] } }
    )
    expect({ stuck, before, reasons }).toMatchObject({ stuck: 0, before: { available: 2 }, reasons: [] })
  })
})
