import { describe, expect, it } from "vitest"
import { resources } from "../../../src/index.ts"
import { conditionText, withPod } from "./podUnderTest.ts"
import { eventTexts } from "../../cluster/testCluster.ts"
import type { OpenCluster, Pod } from "../../../src/index.ts"
import type { PodUnderTest } from "./podUnderTest.ts"

const podReference = { resource: resources.pods, name: "told" } as const
const image = "registry.example/app:v1"
const named = (name: string, more: object = {}) => ({ name, image: `registry.example/${name}:v1`, ...more })
const exec = { command: ["ask"] }
const unready = "False ContainersNotReady containers with unready status: [app]"

/** Advances by seconds until the Pod is gone, and returns how many that took. */
const secondsUntilGone = async (cluster: OpenCluster, findPod: PodUnderTest["findPod"]): Promise<number> => {
  let seconds = 0
  for (; seconds < 100 && (await findPod()) !== undefined; seconds += 1) await cluster.advance("1s")
  return seconds
}

describe("a Pod whose container exits", () => {
  it.each([
    {
      restartPolicy: "Never",
      code: 0,
      phase: "Succeeded",
      ready: "False PodCompleted",
      init: "True PodCompleted"
    },
    { restartPolicy: "Never", code: 3, phase: "Failed", ready: "False PodFailed", init: "True" },
    {
      restartPolicy: "OnFailure",
      code: 0,
      phase: "Succeeded",
      ready: "False PodCompleted",
      init: "True PodCompleted"
    },
    { restartPolicy: "OnFailure", code: 3, phase: "Running", ready: "True", init: "True" },
    { restartPolicy: "Always", code: 0, phase: "Running", ready: "True", init: "True" }
  ])("is $phase after exit code $code under $restartPolicy", ({ restartPolicy, code, phase, ready, init }) =>
    withPod({ restartPolicy }, { exit: { after: "4s", code, times: 1 } }, async ({ cluster, pod }) => {
      await cluster.advance("9s")
      const ended = await pod()
      expect(ended.status.phase).toBe(phase)
      const conditions = ["Ready", "ContainersReady", "Initialized", "PodReadyToStartContainers"]
      const network = phase === "Running" ? "True" : "False"
      expect(conditions.map((type) => conditionText(ended, type))).toEqual([ready, ready, init, network])
    })
  )
})

describe("activeDeadlineSeconds", () => {
  const spec = { activeDeadlineSeconds: 7, terminationGracePeriodSeconds: 5 }

  it("fails the Pod once its containers have stopped, with reason DeadlineExceeded", () =>
    withPod(spec, { terminate: "3s" }, async ({ cluster, pod, states, events }) => {
      await cluster.advance("6s")
      expect(conditionText(await pod(), "Ready")).toBe("True")
      await cluster.advance("2s")
      expect((await pod()).status.phase).toBe("Running")
      expect(conditionText(await pod(), "Ready")).toBe("False PodFailed")
      await cluster.advance("2s")
      const { status } = await pod()
      const why = "Pod was active on the node longer than the specified deadline"
      expect([status.phase, status.reason, status.message]).toEqual(["Failed", "DeadlineExceeded", why])
      expect(await states()).toEqual(["app terminated Completed 0"])
      expect(eventTexts(await events()).slice(-2)).toEqual([
        `DeadlineExceeded: ${why}`,
        "Killing: Stopping container app"
      ])
    }))

  it("fails a Pod whose container is in back-off", () =>
    withPod(spec, { exit: { after: "2s", code: 5 } }, async ({ cluster, pod, states }) => {
      await cluster.advance("30s")
      expect((await pod()).status.reason).toBe("DeadlineExceeded")
      expect(await states()).toEqual(["app terminated Error 5"])
    }))

  it("counts from the start when shortened", () =>
    withPod(spec, {}, async ({ cluster, pod }) => {
      await cluster.advance("3s")
      await cluster.patch(podReference, { spec: { activeDeadlineSeconds: 4 } })
      await cluster.advance("2s")
      expect((await pod()).status.reason).toBe("DeadlineExceeded")
    }))
})

describe("readiness gates", () => {
  const gated = { readinessGates: [{ conditionType: "example.com/open" }] }
  const open = (status: string) => ({ type: "example.com/open", status })

  it("keep a Pod with ready containers unready until their conditions are true", () =>
    withPod(gated, {}, async ({ cluster, pod }) => {
      const gate = 'pod readiness gate "example.com/open"'
      await cluster.advance("1s")
      expect(conditionText(await pod(), "ContainersReady")).toBe("True")
      expect(conditionText(await pod(), "Ready")).toBe(
        `False ReadinessGatesNotReady corresponding condition of ${gate} does not exist.`
      )
      const set = async (status: string) => {
        const conditions = (await pod()).status.conditions ?? []
        const others = conditions.filter(({ type }) => type !== "example.com/open")
        await cluster.patch(
          podReference,
          { status: { conditions: [...others, open(status)] } },
          { status: true }
        )
        await cluster.settle()
      }
      await set("False")
      expect(conditionText(await pod(), "Ready")).toBe(
        `False ReadinessGatesNotReady the status of ${gate} is not "True", but False`
      )
      await set("True")
      expect(conditionText(await pod(), "Ready")).toBe("True")
      expect((await pod()).status.conditions?.[0]).toEqual(open("True"))
    }))
})

describe("observedGeneration", () => {
  it("of status and conditions follows the Pod's generation", () =>
    withPod({}, {}, async ({ cluster, pod }) => {
      await cluster.advance("1s")
      await cluster.patch(podReference, [
        { op: "replace", path: "/spec/containers/0/image", value: "other:v2" }
      ])
      await cluster.advance("1s")
      const { metadata, status } = await pod()
      expect([metadata.generation, status.observedGeneration]).toEqual([2, 2])
      expect(status.conditions?.map(({ observedGeneration }) => observedGeneration)).toEqual([2, 2, 2, 2, 2])
    }))
})

describe("probes", () => {
  const probed = (container: object) => ({ containers: [{ name: "app", image, ...container }] })

  it.each([
    {
      why: "probed at 4, 7 and 10, ready since 5, successThreshold 2",
      container: { readinessProbe: { exec, initialDelaySeconds: 4, periodSeconds: 3, successThreshold: 2 } },
      ready: 10
    },
    {
      why: "readiness is asked the moment the startup probe has passed",
      container: {
        startupProbe: { exec, periodSeconds: 6, failureThreshold: 9 },
        readinessProbe: { exec, initialDelaySeconds: 1, periodSeconds: 3 }
      },
      ready: 6
    },
    { why: "without a readiness probe at its start", container: {}, ready: 5 }
  ])("make a container ready after $ready s: $why", ({ container, ready }) =>
    withPod(probed(container), { ready: "5s" }, async ({ cluster, pod, stateHistory }) => {
      await cluster.advance("30s")
      expect(stateHistory("app")).toEqual([
        "0 waiting ContainerCreating",
        "0 running",
        `${ready} running ready`
      ])
      expect(conditionText(await pod(), "Ready")).toBe("True")
    })
  )

  it("for liveness restart a container within its grace period", () => {
    const livenessProbe = { exec, periodSeconds: 5, failureThreshold: 2 }
    const life = { hang: "7s", terminate: "3s" } as const
    return withPod(probed({ livenessProbe }), life, async ({ cluster, pod, events }) => {
      await cluster.advance("16s")
      expect((await pod()).status.containerStatuses?.[0]?.restartCount).toBe(0)
      await cluster.advance("3s")
      expect((await pod()).status.containerStatuses?.[0]).toMatchObject({
        restartCount: 1,
        lastState: { terminated: { exitCode: 143, reason: "Error" } }
      })
      expect(eventTexts(await events()).slice(-3)).toEqual([
        "Unhealthy: Liveness probe failed: no answer",
        "Killing: Container app failed liveness probe, will be restarted",
        `Pulled: Container image "${image}" already present on machine`
      ])
    })
  })

  it("may have a grace period of their own, after which the container is killed", () => {
    const livenessProbe = { exec, periodSeconds: 5, failureThreshold: 2, terminationGracePeriodSeconds: 4 }
    return withPod(probed({ livenessProbe }), { hang: "7s", terminate: "9s" }, async ({ cluster, pod }) => {
      await cluster.advance("18s")
      expect((await pod()).status.containerStatuses?.[0]?.restartCount).toBe(0)
      await cluster.advance("2s")
      const [status] = (await pod()).status.containerStatuses ?? []
      expect(status?.lastState?.terminated?.exitCode).toBe(137)
    })
  })

  it("for startup restart a container that does not start in time", () => {
    const startupProbe = { exec, periodSeconds: 3, failureThreshold: 4 }
    return withPod(probed({ startupProbe }), { ready: "10s" }, async ({ cluster, pod, events }) => {
      await cluster.advance("8s")
      const [before] = (await pod()).status.containerStatuses ?? []
      expect([before?.started, before?.restartCount]).toEqual([false, 0])
      await cluster.advance("2s")
      expect((await pod()).status.containerStatuses?.[0]?.restartCount).toBe(1)
      expect(eventTexts(await events())).toContain(
        "Killing: Container app failed startup probe, will be restarted"
      )
    })
  })

  it("for readiness continue during termination, those for liveness do not", () => {
    const container = {
      readinessProbe: { exec, periodSeconds: 2, failureThreshold: 1 },
      livenessProbe: { exec, periodSeconds: 4, failureThreshold: 1 }
    }
    const life = { flap: { ready: "9s", unready: "20s" }, hang: "7s", terminate: "15s" } as const
    return withPod(probed(container), life, async ({ cluster, pod }) => {
      await cluster.advance("6s")
      await cluster.delete(podReference)
      await cluster.advance("3s")
      expect(conditionText(await pod(), "Ready")).toBe("True")
      await cluster.advance("2s")
      expect(conditionText(await pod(), "Ready")).toBe(unready)
      expect((await pod()).status.containerStatuses?.[0]?.state?.running).toBeDefined()
    })
  })
})

describe("a Pod that is deleted", () => {
  const sleeping = (seconds: number, more: object = {}) => ({
    // preStop may sleep longer than the grace period.
    containers: [
      { name: "app", image, lifecycle: { preStop: { exec: { command: ["sleep", String(seconds)] } } } }
    ],
    ...more
  })

  it.each([
    { why: "as soon as its container stops", spec: {}, terminate: "3s", gone: 3, end: "Completed 0" },
    {
      why: "killed after its grace period",
      spec: { terminationGracePeriodSeconds: 5 },
      terminate: "40s",
      gone: 5,
      end: "Error 137"
    },
    {
      why: "two seconds at least",
      spec: { terminationGracePeriodSeconds: 1 },
      terminate: "40s",
      gone: 2,
      end: "Error 137"
    },
    { why: "after its preStop hook", spec: sleeping(6), terminate: "3s", gone: 9, end: "Completed 0" },
    {
      why: "the hook counts towards the grace period",
      spec: sleeping(6, { terminationGracePeriodSeconds: 9 }),
      terminate: "40s",
      gone: 9,
      end: "Error 137"
    },
    {
      why: "a hook for the whole grace period leaves two seconds",
      spec: sleeping(30, { terminationGracePeriodSeconds: 8 }),
      terminate: "40s",
      gone: 10,
      end: "Error 137"
    }
  ])("is gone after $gone s: $why", ({ spec, terminate, gone, end }) =>
    withPod(spec, { terminate }, async ({ cluster, findPod, stateHistory }) => {
      await cluster.advance("10s")
      await cluster.delete(podReference)
      expect(await secondsUntilGone(cluster, findPod)).toBe(gone)
      expect(stateHistory("app").at(-1)).toBe(`${10 + gone} terminated ${end}`)
    })
  )

  it("reports its final phase and unreadiness before it is removed", () =>
    withPod({}, { terminate: "3s" }, async ({ cluster }) => {
      const changes: Array<{ readonly type: string; readonly pod: Pod }> = []
      cluster.onChange(({ type, resource, object }) => {
        if (resource === resources.pods) changes.push({ type, pod: object as Pod })
      })
      await cluster.advance("10s")
      await cluster.delete(podReference)
      await cluster.advance("9s")
      const [reported, deleted] = changes.slice(-2)
      expect([reported?.type, deleted?.type]).toEqual(["MODIFIED", "DELETED"])
      expect(reported?.pod.status.phase).toBe("Succeeded")
      expect(reported && conditionText(reported.pod, "Ready")).toBe("False PodCompleted")
      expect(reported?.pod.status.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(0)
    }))

  it("goes sooner with a later, shorter grace period, never later", () =>
    withPod({}, { terminate: "25s" }, async ({ cluster, findPod }) => {
      await cluster.advance("10s")
      await cluster.delete(podReference)
      await cluster.advance("6s")
      await cluster.delete(podReference, { gracePeriodSeconds: 29 })
      await cluster.advance("1s")
      await cluster.delete(podReference, { gracePeriodSeconds: 4 })
      expect(await secondsUntilGone(cluster, findPod)).toBe(4)
    }))

  it("is removed at once when forced", () =>
    withPod({}, { terminate: "25s" }, async ({ cluster, findPod }) => {
      await cluster.advance("10s")
      await cluster.delete(podReference, { gracePeriodSeconds: 0 })
      expect(await findPod()).toBeUndefined()
    }))

  it.each([
    {
      why: "its image is being pulled",
      living: { pull: { delay: "50s" } },
      end: "ContainerStatusUnknown 137"
    },
    {
      why: "its container is in back-off",
      living: { exit: { after: "2s", code: 6 } },
      end: "Error 6"
    }
  ] as const)("does not wait while $why", ({ living: life, end }) =>
    withPod({}, { ...life, terminate: "20s" }, async ({ cluster, findPod, stateHistory, events }) => {
      await cluster.advance("6s")
      const before = await events()
      await cluster.delete(podReference)
      await cluster.advance("1s")
      expect(await findPod()).toBeUndefined()
      expect(stateHistory("app").at(-1)).toBe(`6 terminated ${end}`)
      expect(before.some(({ reason }) => reason === "Killing")).toBe(false)
    })
  )

  it.each([
    {
      why: "at the end as one whose status is unknown",
      spec: { containers: [named("app"), named("side")] },
      container: "side",
      unpullable: "side",
      history: [
        "waiting ImagePullBackOff",
        "waiting ContainerCreating",
        "terminated ContainerStatusUnknown 137"
      ]
    },
    {
      why: "still waiting when it is an init container after others",
      spec: { initContainers: [named("setup"), named("migrate")] },
      container: "migrate",
      unpullable: "migrate",
      history: ["waiting ErrImagePull", "waiting ImagePullBackOff", "waiting PodInitializing"]
    },
    {
      why: "as unknown when it is the first init container",
      spec: { initContainers: [named("setup"), named("migrate")] },
      container: "setup",
      unpullable: "setup",
      history: ["waiting ErrImagePull", "waiting ImagePullBackOff", "terminated ContainerStatusUnknown 137"]
    },
    {
      why: "still waiting when init containers are left",
      spec: { initContainers: [named("setup"), named("migrate")] },
      container: "app",
      unpullable: "migrate",
      history: ["waiting PodInitializing"]
    },
    {
      why: "as unknown when it waits for nothing but its image, after a sidecar",
      spec: { initContainers: [named("proxy", { restartPolicy: "Always" })] },
      container: "app",
      unpullable: "app",
      history: [
        "waiting ImagePullBackOff",
        "waiting PodInitializing",
        "terminated ContainerStatusUnknown 137"
      ]
    }
  ])("leaves a container that has never run $why", ({ spec, container, unpullable, history }) => {
    const containers = { [unpullable]: { pull: { failures: 9 } } }
    return withPod(spec, { containers, terminate: "5s" }, async ({ cluster, findPod, stateHistory }) => {
      await cluster.advance("6s")
      await cluster.delete(podReference)
      await cluster.advance("6s")
      expect(await findPod()).toBeUndefined()
      const states = stateHistory(container).map((line) => line.replace(/^\S+ /u, ""))
      expect(states.slice(-history.length)).toEqual(history)
    })
  })
})
