import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { serviceManifest } from "../../builders.ts"
import { resources } from "../../../src/kubernetes/meta/kinds.ts"
import { objectKeyOf } from "../../../src/kubernetes/meta/objects.ts"
import { addressOf, deploymentManifest, createObject, recordChanges } from "../../cluster/testCluster.ts"
import {
  activePods,
  specReplicasByVersion,
  violationsAndUnfinished,
  countCreatedPods,
  deploymentOf,
  isComplete,
  setVersion,
  activePodsByVersion,
  watchBounds,
  watchExtraPods
} from "../rollouts.ts"
import { inFaultCluster } from "../faultCluster.ts"
import type { ControllerName } from "../../../src/runtime/reconciler/controllerTurnOrder.ts"

const hourMillis = 3_600_000
const aService = serviceManifest()

describe("a stopped controller", () => {
  it("leaves the rollout where it is until it starts again, while lost Pods are replaced", () =>
    inFaultCluster({ manifest: { replicas: 5 } }, ({ cluster, beginFault, pass, podsOf }) =>
      Effect.gen(function* () {
        yield* setVersion(cluster, 5)
        yield* pass(3)
        const before = specReplicasByVersion(cluster)
        const { end } = yield* beginFault({ fault: "controllerStopped", controller: "deployment" })
        const [lost] = podsOf().filter(({ status }) => status.phase === "Running")
        if (lost !== undefined)
          yield* Effect.orDie(cluster.delete(addressOf({ resource: "pods", key: objectKeyOf(lost) })))
        yield* pass(1200)
        expect([specReplicasByVersion(cluster), activePodsByVersion(cluster)]).toEqual([before, before])
        expect(before).not.toBe("v1: 0, v2: 5")
        yield* end
        yield* cluster.until(isComplete(cluster), hourMillis)
        expect(activePodsByVersion(cluster)).toBe("v2: 5")
      })
    ))

  it("reports a missed progress deadline only after it starts again", () =>
    inFaultCluster({ manifest: { spec: { progressDeadlineSeconds: 60 } } }, ({ cluster, beginFault, pass }) =>
      Effect.gen(function* () {
        yield* beginFault({ fault: "pullFails", image: "*:v2" })
        yield* setVersion(cluster)
        yield* pass(2)
        yield* beginFault({ fault: "controllerStopped", controller: "deployment", for: "10m" })
        yield* pass(599)
        const reason = () =>
          deploymentOf(cluster).status.conditions?.find(({ type }) => type === "Progressing")?.reason
        expect(reason()).toBe("ReplicaSetUpdated")
        yield* pass(61)
        expect(reason()).toBe("ProgressDeadlineExceeded")
      })
    ))

  it("reconciles every object after it starts again", () =>
    inFaultCluster({}, ({ cluster, beginFault, pass, ready }) =>
      Effect.gen(function* () {
        const names: ReadonlyArray<ControllerName> = ["replicaSet", "scheduler", "pod", "endpoints"]
        for (const controller of names) {
          const { end } = yield* beginFault({ fault: "controllerStopped", controller })
          yield* createObject(cluster, deploymentManifest({ name: `for-${controller.toLowerCase()}` }))
          yield* pass(60)
          yield* end
          yield* pass(60)
          expect([controller, ready(`for-${controller.toLowerCase()}`)]).toEqual([controller, 3])
        }
      })
    ))

  it("starts again when both faults that stop it are over", () =>
    inFaultCluster({}, ({ cluster, beginFault, pass }) =>
      Effect.gen(function* () {
        yield* beginFault({ fault: "controllerStopped", controller: "deployment", for: "30s" })
        yield* beginFault({ fault: "controllerStopped", controller: "deployment", for: "50s" })
        yield* setVersion(cluster)
        yield* pass(49)
        expect(specReplicasByVersion(cluster)).toBe("v1: 3")
        yield* pass(2)
        expect(specReplicasByVersion(cluster)).not.toBe("v1: 3")
      })
    ))

  it("gives no two Pods one address after a restart", () =>
    inFaultCluster({ manifest: { replicas: 7 } }, ({ cluster, beginFault, pass, podsOf }) =>
      Effect.gen(function* () {
        yield* beginFault({ fault: "controllerRestarted", controller: "pod" })
        yield* setVersion(cluster, 7)
        yield* pass(10)
        const addresses = podsOf().flatMap(({ status }) => status.podIP ?? [])
        expect(new Set(addresses).size).toBe(addresses.length)
        yield* cluster.until(isComplete(cluster), hourMillis)
        expect(activePodsByVersion(cluster)).toBe("v2: 7")
      })
    ))
})

describe("a controller restarted after its n-th write", () => {
  for (const controller of ["deployment", "replicaSet", "pod", "scheduler", "endpoints"] as const) {
    it(`completes the rollout without an extra Pod for every n: ${controller}`, async () => {
      let afterWritesMet = 0
      for (let afterWrites = 1; afterWritesMet === afterWrites - 1 && afterWrites < 60; afterWrites += 1) {
        await inFaultCluster({}, ({ cluster, beginFault }) =>
          Effect.gen(function* () {
            const bounds = watchBounds(cluster)
            const extraPods = watchExtraPods(cluster)
            const made = countCreatedPods(cluster)
            yield* Effect.orDie(cluster.create(aService))
            const handle = yield* beginFault({ fault: "controllerRestarted", controller, afterWrites })
            yield* setVersion(cluster)
            yield* cluster.until(isComplete(cluster), hourMillis)
            yield* cluster.settle()
            if (handle.endedMillis() !== undefined) afterWritesMet = afterWrites
            const found = {
              broken: [...violationsAndUnfinished(cluster, bounds), ...extraPods()],
              pods: activePodsByVersion(cluster),
              made: made()
            }
            expect({ afterWrites, ...found }).toEqual({ afterWrites, broken: [], pods: "v2: 3", made: 3 })
          })
        )
      }
      expect(afterWritesMet).toBeGreaterThan(2)
    })
  }

  it("keeps its fault active until the n-th write", () =>
    inFaultCluster({}, ({ cluster, beginFault, pass }) =>
      Effect.gen(function* () {
        const handle = yield* beginFault({
          fault: "controllerRestarted",
          controller: "deployment",
          afterWrites: 2
        })
        expect(cluster.faultInjector.active()).toHaveLength(1)
        yield* setVersion(cluster)
        yield* pass(30)
        expect([cluster.faultInjector.active(), handle.endedMillis()]).toEqual([[], expect.any(Number)])
      })
    ))

  it("restarts at once without afterWrites, and the rollout completes", () =>
    inFaultCluster({}, ({ cluster, beginFault }) =>
      Effect.gen(function* () {
        yield* setVersion(cluster)
        for (const controller of ["deployment", "replicaSet", "pod", "node", "scheduler"] as const) {
          yield* beginFault({ fault: "controllerRestarted", controller })
        }
        yield* cluster.until(isComplete(cluster), hourMillis)
        expect([activePodsByVersion(cluster), cluster.faultInjector.active()]).toEqual(["v2: 3", []])
      })
    ))
})

describe("a slow controller", () => {
  it("reconciles each object later by the delay", () =>
    inFaultCluster({}, ({ cluster, beginFault, pass }) =>
      Effect.gen(function* () {
        yield* beginFault({ fault: "controllerSlow", controller: "deployment", by: "7s" })
        yield* setVersion(cluster)
        yield* pass(6)
        expect(specReplicasByVersion(cluster)).toBe("v1: 3")
        yield* pass(1)
        expect(specReplicasByVersion(cluster)).toBe("v1: 3, v2: 1")
        yield* cluster.settle(hourMillis)
        expect([activePodsByVersion(cluster), activePods(cluster)]).toEqual(["v2: 3", 3])
      })
    ))

  it("is as fast as before when the fault is over", () =>
    inFaultCluster({}, ({ cluster, beginFault, pass }) =>
      Effect.gen(function* () {
        yield* beginFault({ fault: "controllerSlow", controller: "replicaSet", by: "1h", for: "5s" })
        yield* pass(6)
        yield* setVersion(cluster)
        yield* pass(60)
        expect(activePodsByVersion(cluster)).toBe("v2: 3")
      })
    ))
})

describe("a fault", () => {
  it.each([
    [
      { fault: "controllerStopped", controller: "kubelet" },
      "controller must be one of deployment, replicaSet"
    ],
    [
      { fault: "controllerSlow", controller: "pod", by: "soon" },
      "by must be a duration with its unit, such as"
    ],
    [{ fault: "controllerStopped", controller: "pod", for: "-3s" }, "for must not be negative, as -3s is"],
    [
      { fault: "controllerRestarted", controller: "pod", afterWrites: 1.5 },
      "afterWrites must be a whole number from 0 on"
    ],
    [
      { fault: "controllerStoped", controller: "pod" },
      "there is no such fault: did you mean controllerStopped?"
    ],
    [{ fault: "earthquake" }, "there is no such fault: there are crash, fail, kill"],
    [{ fault: "constructor" }, "there is no such fault: there are crash"]
  ])("is refused with a sentence when it is invalid: %j", (fault, why) =>
    inFaultCluster({}, ({ refusal }) =>
      Effect.gen(function* () {
        expect(yield* refusal(fault as never)).toContain(`fault ${fault.fault}: ${why}`)
      })
    )
  )

  it("ends once however often end is called, and by itself after its time", () =>
    inFaultCluster({}, ({ cluster, beginFault, pass }) =>
      Effect.gen(function* () {
        const first = yield* beginFault({ fault: "controllerStopped", controller: "deployment" })
        const second = yield* beginFault({ fault: "controllerStopped", controller: "deployment", for: "20s" })
        expect(cluster.faultInjector.active().map(({ endsMillis }) => endsMillis)).toEqual([
          undefined,
          cluster.nowMillis() + 20_000
        ])
        yield* first.end
        yield* first.end
        yield* setVersion(cluster)
        yield* pass(19)
        expect(specReplicasByVersion(cluster)).toBe("v1: 3")
        yield* pass(2)
        expect(specReplicasByVersion(cluster)).not.toBe("v1: 3")
        expect([second.endedMillis(), cluster.faultInjector.active()]).toEqual([
          cluster.nowMillis() - 1000,
          []
        ])
      })
    ))

  it("changes nothing afterwards when it affected nothing", async () => {
    const story = (strikes: boolean) =>
      inFaultCluster({}, ({ cluster, beginFault }) =>
        Effect.gen(function* () {
          if (strikes) {
            const held = [
              yield* beginFault({ fault: "writesRefused", of: "controllers", code: 409 }),
              yield* beginFault({ fault: "watchRepeated", of: "controllers" }),
              yield* beginFault({ fault: "controllerRestarted", controller: "replicaSet", afterWrites: 2 }),
              yield* beginFault({ fault: "writesSlow", of: "clients", by: "1m" })
            ]
            for (const { end } of held) yield* end
          }
          const log = recordChanges(cluster)
          yield* setVersion(cluster)
          yield* cluster.settle()
          return log
        })
      )
    expect(await story(true)).toEqual(await story(false))
  })

  it("leads to the same bytes with the same seed", async () => {
    const story = () =>
      inFaultCluster({ cluster: { seed: 11 } }, ({ cluster, beginFault }) =>
        Effect.gen(function* () {
          const log = recordChanges(cluster)
          yield* beginFault({ fault: "watchLate", of: "controllers", by: "900ms", for: "3m" })
          yield* beginFault({ fault: "writesRefused", of: "replicaSet", code: 500, times: 3 })
          yield* beginFault({ fault: "controllerRestarted", controller: "deployment", afterWrites: 2 })
          yield* setVersion(cluster)
          yield* cluster.settle()
          expect(cluster.view.get(resources.deployments, "default/web")?.status.updatedReplicas).toBe(3)
          return log
        })
      )
    expect(await story()).toEqual(await story())
  })
})
