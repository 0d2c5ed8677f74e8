import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { conditionOf } from "../../../src/kubernetes/meta/conditions.ts"
import { replaceSpec, deploymentManifest } from "../../cluster/testCluster.ts"
import { inFaultCluster } from "../faultCluster.ts"
import type { Pod } from "../../../src/kubernetes/meta/objects.ts"
import type { Fault } from "../../../src/faults/fault.ts"

const web = { deployment: "web" } as const
const oneOfWeb = { ...web, count: 1 } as const
const countTexts = (texts: ReadonlyArray<string>): Readonly<Record<string, number>> => {
  const found: Record<string, number> = {}
  for (const text of texts) found[text] = (found[text] ?? 0) + 1
  return found
}
const restartedPod = (pods: ReadonlyArray<Pod>): Pod | undefined =>
  pods.find(({ status }) => (status.containerStatuses?.[0]?.restartCount ?? 0) > 0)

describe("crash", () => {
  it("restarts the containers, with lastState and events", () =>
    inFaultCluster({}, ({ beginFault, pass, pods, podsOf, events }) =>
      Effect.gen(function* () {
        const handle = yield* beginFault({ fault: "crash", pods: oneOfWeb, exitCode: 3 })
        expect([handle.met(), countTexts(pods())]).toEqual([1, { "Running ready": 2, Running: 1 }])
        yield* pass(2)
        expect(countTexts(pods())).toEqual({ "Running ready": 2, "Running ready x1": 1 })
        const pod = restartedPod(podsOf())
        expect(pod?.status.containerStatuses?.[0]?.lastState?.terminated).toEqual({
          exitCode: 3,
          reason: "Error",
          startedAt: "2026-01-01T00:00:03Z",
          finishedAt: "2026-01-01T00:01:00Z",
          containerID: expect.stringMatching(/^containerd:\/\//)
        })
        expect((yield* events(pod)).at(-1)).toBe(
          'Pulled: Container image "registry.example/app:v1" already present on machine'
        )
      })
    ))

  it("makes containers wait 10 s from the second crash in a row on", () =>
    inFaultCluster({ manifest: { replicas: 1 } }, ({ beginFault, pass, pods, podsOf, events }) =>
      Effect.gen(function* () {
        yield* beginFault({ fault: "crash", pods: web })
        yield* pass(5)
        yield* beginFault({ fault: "crash", pods: web, reason: "OOMKilled" })
        yield* pass(2)
        expect(pods()).toEqual(["Running x1 CrashLoopBackOff"])
        const [pod] = podsOf()
        const [container] = pod?.status.containerStatuses ?? []
        const id = `${pod?.metadata.name}_default(${pod?.metadata.uid})`
        expect(container?.state?.waiting?.message).toBe(
          `back-off 10s restarting failed container=app pod=${id}`
        )
        expect(container?.lastState?.terminated).toMatchObject({ exitCode: 137, reason: "OOMKilled" })
        expect((yield* events(pod)).at(-1)).toBe(
          `BackOff: Back-off restarting failed container app in pod ${id}`
        )
        const none = yield* beginFault({ fault: "crash", pods: web })
        expect(none.met()).toBe(0)
        yield* pass(10)
        expect(pods()).toEqual(["Running ready x2"])
      })
    ))

  it("lasts for its duration, for new Pods as well", () =>
    inFaultCluster({ manifest: { replicas: 2 } }, ({ cluster, beginFault, pass, pods }) =>
      Effect.gen(function* () {
        const handle = yield* beginFault({ fault: "crash", pods: { ...web, revision: "new" }, for: "1m" })
        yield* replaceSpec(cluster, deploymentManifest({ replicas: 2, version: "v2" }))
        yield* pass(30)
        expect(handle.met()).toBe(2)
        const texts = pods()
        expect(texts.filter((text) => text.includes("CrashLoopBackOff"))).not.toEqual([])
        expect(texts.filter((text) => text.includes("ready"))).toEqual([])
        yield* pass(400)
        expect(handle.endedMillis()).toBe(cluster.nowMillis() - 370_000)
        expect(pods().map((text) => text.replace(/ x\d+/, ""))).toEqual(["Running ready", "Running ready"])
      })
    ))
})

describe("fail", () => {
  it("evicts Pods, which stay as Failed and are replaced", () =>
    inFaultCluster({}, ({ beginFault, pass, pods, podsOf, events, ready }) =>
      Effect.gen(function* () {
        expect((yield* beginFault({ fault: "fail", pods: oneOfWeb })).met()).toBe(1)
        expect(ready()).toBe(2)
        yield* pass(20)
        expect(countTexts(pods())).toEqual({ "Running ready": 3, "Failed (Evicted)": 1 })
        const failed = podsOf().find(({ status }) => status.phase === "Failed")
        const message = "The node was low on resource: memory. "
        expect(failed?.status.message).toBe(message)
        expect(conditionOf(failed?.status.conditions, "DisruptionTarget")).toMatchObject({
          status: "True",
          reason: "TerminationByKubelet",
          message
        })
        expect((yield* events(failed)).slice(-2)).toEqual([
          `Evicted: ${message}`,
          "Killing: Stopping container app"
        ])
      })
    ))

  it("gives the failed Pods the reason", () =>
    inFaultCluster({}, ({ beginFault, pass, podsOf }) =>
      Effect.gen(function* () {
        yield* beginFault({ fault: "fail", pods: web, reason: "OutOfcpu" })
        yield* pass(20)
        const failed = podsOf().filter(({ status }) => status.phase === "Failed")
        expect(failed.map(({ status: { reason, message } }) => [reason, message])).toEqual([
          ["OutOfcpu", undefined],
          ["OutOfcpu", undefined],
          ["OutOfcpu", undefined]
        ])
      })
    ))
})

describe("kill", () => {
  it.each([
    { why: "leaves Pods the grace period of their spec", grace: {}, seconds: 3 },
    { why: "leaves Pods no more than gracePeriodSeconds", grace: { gracePeriodSeconds: 1 }, seconds: 2 }
  ])("$why", ({ grace, seconds }) =>
    inFaultCluster({}, ({ beginFault, pass, pods }) =>
      Effect.gen(function* () {
        yield* beginFault({ fault: "kill", pods: { ...web, count: 2 }, ...grace })
        yield* pass(seconds - 0.001)
        expect(countTexts(pods())["Running terminating ready"]).toBe(2)
        yield* pass(0.002)
        expect(pods().filter((text) => text.includes("terminating"))).toEqual([])
        yield* pass(5)
        expect(countTexts(pods())).toEqual({ "Running ready": 3 })
      })
    )
  )
})

describe("flap", () => {
  it("makes Pods ready and unready by turns, and ready when it is over", () =>
    inFaultCluster({ manifest: { replicas: 2 } }, ({ beginFault, pass, ready }) =>
      Effect.gen(function* () {
        const handle = yield* beginFault({
          fault: "flap",
          pods: oneOfWeb,
          ready: "7s",
          unready: "3s",
          for: "19s"
        })
        const seen: Array<number> = []
        for (let second = 0; second < 30; second += 1) {
          yield* pass(1)
          seen.push(ready())
        }
        expect(handle.met()).toBe(1)
        expect(seen.join("")).toBe("222222111222222211222222222222")
      })
    ))
})

describe("hang", () => {
  const probes = {
    readinessProbe: { httpGet: { port: 80 }, periodSeconds: 5, failureThreshold: 2 },
    livenessProbe: { httpGet: { port: 80 }, periodSeconds: 10, failureThreshold: 3 }
  }
  it("makes Pods unready until their liveness probe restarts them", () =>
    inFaultCluster({ manifest: { container: probes } }, ({ beginFault, pass, pods, podsOf, events }) =>
      Effect.gen(function* () {
        yield* beginFault({ fault: "hang", pods: oneOfWeb })
        yield* pass(10)
        expect(countTexts(pods())).toEqual({ "Running ready": 2, Running: 1 })
        yield* pass(40)
        expect(countTexts(pods())).toEqual({ "Running ready": 2, "Running ready x1": 1 })
        const messages = yield* events(restartedPod(podsOf()))
        expect(messages).toContain("Unhealthy: Readiness probe failed: no answer")
        expect(messages).toContain("Unhealthy: Liveness probe failed: no answer")
        expect(messages).toContain("Killing: Container app failed liveness probe, will be restarted")
      })
    ))

  it("makes Pods without a liveness probe unready until it is over", () =>
    inFaultCluster(
      { manifest: { container: { readinessProbe: probes.readinessProbe } } },
      ({ beginFault, pass, pods }) =>
        Effect.gen(function* () {
          const handle = yield* beginFault({ fault: "hang", pods: oneOfWeb })
          yield* pass(600)
          expect(countTexts(pods())).toEqual({ "Running ready": 2, Running: 1 })
          yield* handle.end
          yield* pass(5)
          expect(countTexts(pods())).toEqual({ "Running ready": 3 })
        })
    ))

  it("is not noticed without a probe", () =>
    inFaultCluster({}, ({ beginFault, pass, pods }) =>
      Effect.gen(function* () {
        expect((yield* beginFault({ fault: "hang", pods: web })).met()).toBe(3)
        yield* pass(3600)
        expect(countTexts(pods())).toEqual({ "Running ready": 3 })
      })
    ))
})

describe("slowStart", () => {
  it("slows the Pods created while it lasts", () =>
    inFaultCluster({}, ({ cluster, beginFault, pass, pods, ready }) =>
      Effect.gen(function* () {
        yield* beginFault({ fault: "slowStart", pods: web, by: "40s", for: "5s" })
        yield* beginFault({ fault: "kill", pods: oneOfWeb })
        yield* pass(42)
        expect(ready()).toBe(2)
        yield* pass(4)
        expect(ready()).toBe(3)
        yield* beginFault({ fault: "kill", pods: web })
        yield* pass(10)
        expect(countTexts(pods())).toEqual({ "Running ready": 3 })
        yield* beginFault({ fault: "crash", pods: { ...web, name: "absent-*" } })
        expect(cluster.faultInjector.active()).toEqual([])
      })
    ))
})

describe("pullFails", () => {
  it("holds new Pods up until the next pull after its end", () =>
    inFaultCluster({ manifest: { replicas: 1 } }, ({ cluster, beginFault, pass, pods, podsOf, events }) =>
      Effect.gen(function* () {
        yield* replaceSpec(cluster, deploymentManifest({ replicas: 1, version: "v2" }))
        yield* pass(1)
        const error = "no route to host"
        yield* beginFault({ fault: "pullFails", image: "*:v2", error, for: "30s" })
        yield* pass(1.5)
        expect([...pods()].sort()).toEqual(["Pending ErrImagePull", "Running ready"])
        yield* pass(20)
        expect([...pods()].sort()).toEqual(["Pending ImagePullBackOff", "Running ready"])
        const waiting = podsOf().find(({ status }) => status.phase === "Pending")
        expect(yield* events(waiting)).toContain(
          `Failed: Failed to pull image "registry.example/app:v2": ${error}`
        )
        yield* pass(40)
        expect(pods()).toEqual(["Running ready"])
        expect(podsOf()[0]?.metadata.uid).toBe(waiting?.metadata.uid)
      })
    ))
})

describe("Pods that a fault cannot hit", () => {
  it("are not counted: Pods that have not started, terminate, have ended or whose node is lost", () =>
    inFaultCluster({ manifest: { replicas: 5 }, cluster: { nodes: 2 } }, ({ cluster, beginFault, pass }) =>
      Effect.gen(function* () {
        yield* beginFault({ fault: "nodeLost", node: "node-2" })
        const lost = [...cluster.view.nodePods.on("node-2")].length
        yield* beginFault({ fault: "kill", pods: { node: "node-1", count: 1 } })
        yield* pass(1)
        // The terminating Pod is replaced on the lost node.
        const hittable = 5 - lost - 1
        const met = (fault: Fault) => Effect.map(beginFault(fault), (handle) => handle.met())
        expect(yield* met({ fault: "hang", pods: { node: "node-1" } })).toBe(hittable)
        expect(yield* met({ fault: "crash", pods: { node: "node-1" } })).toBe(hittable)
        expect(yield* met({ fault: "crash", pods: web, for: "1s" })).toBe(5)
        expect(yield* met({ fault: "fail", pods: web, reason: "OutOfcpu" })).toBe(hittable)
        // The failed Pods are replaced by Pods that can be deleted but do not run yet.
        expect(yield* met({ fault: "kill", pods: web })).toBe(5 + hittable)
        yield* pass(30)
        expect(yield* met({ fault: "fail", pods: { node: "node-2" } })).toBe(0)
      })
    ))

  it("crash with exit code 0 restarts the container as Completed", () =>
    inFaultCluster({ manifest: { replicas: 1 } }, ({ beginFault, pass, podsOf }) =>
      Effect.gen(function* () {
        yield* beginFault({ fault: "crash", pods: web, exitCode: 0 })
        yield* pass(2)
        const [container] = podsOf()[0]?.status.containerStatuses ?? []
        expect(container?.lastState?.terminated).toMatchObject({ exitCode: 0, reason: "Completed" })
        expect(container?.ready).toBe(true)
      })
    ))
})

describe("a Pod fault with invalid fields", () => {
  it.each([
    [{ fault: "crash", pods: { deployment: "wep" } }, 'deployments.apps "wep" not found'],
    [{ fault: "crash", pods: { deployment: "web", namespace: "shop" } }, 'namespaces "shop" not found'],
    [{ fault: "kill", pods: { node: "node-9" } }, 'nodes "node-9" not found'],
    [{ fault: "hang", pods: { count: 0 } }, "pods.count must be a whole number from 1 on"],
    [
      { fault: "fail", pods: { revision: "old" } },
      "pods.revision says which Pods of a workload: it needs pods.deployment, statefulSet or daemonSet"
    ],
    [{ fault: "crash", pods: {}, exitCode: 256 }, "exitCode must be a whole number from 0 to 255"],
    [{ fault: "crash", pods: {}, exitCode: -1 }, "exitCode must be a whole number from 0 to 255"],
    [{ fault: "crash", pods: {}, exitCode: 1.5 }, "exitCode must be a whole number from 0 to 255"],
    [
      { fault: "kill", pods: {}, gracePeriodSeconds: -1 },
      "gracePeriodSeconds must be a whole number from 0 on"
    ],
    [
      { fault: "flap", pods: {}, ready: "0s", unready: "0s" },
      "ready and unready cannot both be 0: no time would ever pass"
    ],
    [
      { fault: "flap", pods: {}, ready: "soon", unready: "1s" },
      'ready must be a duration with its unit, such as "250ms", "1.5s" or "1h30m", not "soon"'
    ],
    [{ fault: "slowStart", pods: {}, by: "-3s" }, "by must not be negative, as -3s is"]
  ] as const)("%o is refused: %s", (fault, why) =>
    inFaultCluster({}, ({ refusal }) =>
      Effect.map(refusal(fault), (message) => expect(message).toBe(`fault ${fault.fault}: ${why}`))
    )
  )

  it.each([
    { fault: "crash", pods: web, exitCode: 0 },
    { fault: "crash", pods: web, exitCode: 255, reason: "OOMKilled" },
    { fault: "kill", pods: web, gracePeriodSeconds: 0 },
    { fault: "flap", pods: web, ready: "0s", unready: "1ms" },
    { fault: "flap", pods: web, ready: "1ms", unready: "0s" }
  ] as const)("is accepted at the bounds: %o", (fault) =>
    inFaultCluster({}, ({ beginFault }) => Effect.map(beginFault(fault), ({ met }) => expect(met()).toBe(3)))
  )

  it("is accepted when no Pod matches", () =>
    inFaultCluster({}, ({ beginFault, pods }) =>
      Effect.gen(function* () {
        const handle = yield* beginFault({ fault: "kill", pods: { labels: { app: "shop" } } })
        expect([handle.met(), countTexts(pods())]).toEqual([0, { "Running ready": 3 }])
      })
    ))
})
