import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { objectKeyOf } from "../../src/kubernetes/meta/objects.ts"
import { aManifest, begin, logOf } from "../cluster/worlds.ts"
import {
  activePods,
  asked,
  broken,
  countMade,
  deploymentOf,
  isComplete,
  roll,
  running,
  watchBounds,
  watchPods
} from "./rollouts.ts"
import { tell } from "./world.ts"
import type { ControllerName } from "../../src/faults/fault.ts"

const hourMillis = 3_600_000
const aService = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web", namespace: "default" },
  spec: { selector: { app: "web" }, ports: [{ port: 80 }] }
}

describe("a controller that is stopped", () => {
  it("leaves a rollout where it was: Pods that are lost are replaced, and nothing rolls until it is back", () =>
    tell({ manifest: { replicas: 5 } }, ({ cluster, strike, pass, podsOf }) =>
      Effect.gen(function* () {
        yield* roll(cluster, 5)
        yield* pass(3)
        const before = asked(cluster)
        const { end } = yield* strike({ fault: "controllerStopped", controller: "deployment" })
        const [lost] = podsOf().filter(({ status }) => status.phase === "Running")
        if (lost !== undefined)
          yield* Effect.orDie(cluster.delete({ resource: "pods", key: objectKeyOf(lost) }))
        yield* pass(1200)
        expect([asked(cluster), running(cluster)]).toEqual([before, before])
        expect(before).not.toBe("v1: 0, v2: 5")
        yield* end
        yield* cluster.until(isComplete(cluster), hourMillis)
        expect(running(cluster)).toBe("v2: 5")
      })
    ))

  it("says nothing of a deadline that passes meanwhile, and says so when it is back", () =>
    tell({ manifest: { spec: { progressDeadlineSeconds: 60 } } }, ({ cluster, strike, pass }) =>
      Effect.gen(function* () {
        yield* strike({ fault: "pullFails", image: "*:v2" })
        yield* roll(cluster)
        yield* pass(2)
        yield* strike({ fault: "controllerStopped", controller: "deployment", for: "10m" })
        yield* pass(599)
        const reason = () =>
          deploymentOf(cluster).status.conditions?.find(({ type }) => type === "Progressing")?.reason
        expect(reason()).toBe("ReplicaSetUpdated")
        yield* pass(61)
        expect(reason()).toBe("ProgressDeadlineExceeded")
      })
    ))

  it("looks at everything when it is back, whatever it has not heard of", () =>
    tell({}, ({ cluster, strike, pass, ready }) =>
      Effect.gen(function* () {
        const names: ReadonlyArray<ControllerName> = ["replicaSet", "scheduler", "pod", "endpoints"]
        for (const controller of names) {
          const { end } = yield* strike({ fault: "controllerStopped", controller })
          yield* begin(cluster, aManifest({ name: `for-${controller.toLowerCase()}` }))
          yield* pass(60)
          yield* end
          yield* pass(60)
          expect([controller, ready(`for-${controller.toLowerCase()}`)]).toEqual([controller, 3])
        }
      })
    ))

  it("that is stopped twice waits for both", () =>
    tell({}, ({ cluster, strike, pass }) =>
      Effect.gen(function* () {
        yield* strike({ fault: "controllerStopped", controller: "deployment", for: "30s" })
        yield* strike({ fault: "controllerStopped", controller: "deployment", for: "50s" })
        yield* roll(cluster)
        yield* pass(49)
        expect(asked(cluster)).toBe("v1: 3")
        yield* pass(2)
        expect(asked(cluster)).not.toBe("v1: 3")
      })
    ))

  it("gives back addresses to no two Pods", () =>
    tell({ manifest: { replicas: 7 } }, ({ cluster, strike, pass, podsOf }) =>
      Effect.gen(function* () {
        yield* strike({ fault: "controllerRestarted", controller: "pod" })
        yield* roll(cluster, 7)
        yield* pass(10)
        const addresses = podsOf().flatMap(({ status }) => status.podIP ?? [])
        expect(new Set(addresses).size).toBe(addresses.length)
        yield* cluster.until(isComplete(cluster), hourMillis)
        expect(running(cluster)).toBe("v2: 7")
      })
    ))
})

describe("a controller that is killed after its n-th write", () => {
  for (const controller of ["deployment", "replicaSet", "pod", "scheduler", "endpoints"] as const) {
    it(`comes to the same end whatever n is, and on the way there is no Pod too many: ${controller}`, async () => {
      let met = 0
      for (let afterWrites = 1; met === afterWrites - 1 && afterWrites < 60; afterWrites += 1) {
        await tell({}, ({ cluster, strike }) =>
          Effect.gen(function* () {
            const bounds = watchBounds(cluster)
            const excess = watchPods(cluster)
            const made = countMade(cluster)
            yield* Effect.orDie(cluster.create(aService))
            const handle = yield* strike({ fault: "controllerRestarted", controller, afterWrites })
            yield* roll(cluster)
            yield* cluster.until(isComplete(cluster), hourMillis)
            yield* cluster.settle()
            if (handle.endedMillis() !== undefined) met = afterWrites
            const found = {
              broken: [...broken(cluster, bounds), ...excess()],
              pods: running(cluster),
              made: made()
            }
            expect({ afterWrites, ...found }).toEqual({ afterWrites, broken: [], pods: "v2: 3", made: 3 })
          })
        )
      }
      expect(met).toBeGreaterThan(2)
    })
  }

  it("is on its way until then, and over after", () =>
    tell({}, ({ cluster, strike, pass }) =>
      Effect.gen(function* () {
        const handle = yield* strike({
          fault: "controllerRestarted",
          controller: "deployment",
          afterWrites: 2
        })
        expect(cluster.faults.active()).toHaveLength(1)
        yield* roll(cluster)
        yield* pass(30)
        expect([cluster.faults.active(), handle.endedMillis()]).toEqual([[], expect.any(Number)])
      })
    ))

  it("is killed at once where n is not said, and everything goes on", () =>
    tell({}, ({ cluster, strike }) =>
      Effect.gen(function* () {
        yield* roll(cluster)
        for (const controller of ["deployment", "replicaSet", "pod", "node", "scheduler"] as const) {
          yield* strike({ fault: "controllerRestarted", controller })
        }
        yield* cluster.until(isComplete(cluster), hourMillis)
        expect([running(cluster), cluster.faults.active()]).toEqual(["v2: 3", []])
      })
    ))
})

describe("a controller that is slow", () => {
  it("takes so much longer over each object", () =>
    tell({}, ({ cluster, strike, pass }) =>
      Effect.gen(function* () {
        yield* strike({ fault: "controllerSlow", controller: "deployment", by: "7s" })
        yield* roll(cluster)
        yield* pass(6)
        expect(asked(cluster)).toBe("v1: 3")
        yield* pass(1)
        expect(asked(cluster)).toBe("v1: 3, v2: 1")
        yield* cluster.settle(hourMillis)
        expect([running(cluster), activePods(cluster)]).toEqual(["v2: 3", 3])
      })
    ))

  it("is as fast as ever when the fault is over", () =>
    tell({}, ({ cluster, strike, pass }) =>
      Effect.gen(function* () {
        yield* strike({ fault: "controllerSlow", controller: "replicaSet", by: "1h", for: "5s" })
        yield* pass(6)
        yield* roll(cluster)
        yield* pass(60)
        expect(running(cluster)).toBe("v2: 3")
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
  ])("that cannot be is refused in a sentence: %j", (fault, why) =>
    tell({}, ({ refusal }) =>
      Effect.gen(function* () {
        expect(yield* refusal(fault as never)).toContain(`fault ${fault.fault}: ${why}`)
      })
    )
  )

  it("ends once, however often it is ended, and by itself when its time is over", () =>
    tell({}, ({ cluster, strike, pass }) =>
      Effect.gen(function* () {
        const first = yield* strike({ fault: "controllerStopped", controller: "deployment" })
        const second = yield* strike({ fault: "controllerStopped", controller: "deployment", for: "20s" })
        expect(cluster.faults.active().map(({ endsMillis }) => endsMillis)).toEqual([
          undefined,
          cluster.nowMillis() + 20_000
        ])
        yield* first.end
        yield* first.end
        yield* roll(cluster)
        yield* pass(19)
        expect(asked(cluster)).toBe("v1: 3")
        yield* pass(2)
        expect(asked(cluster)).not.toBe("v1: 3")
        expect([second.endedMillis(), cluster.faults.active()]).toEqual([cluster.nowMillis() - 1000, []])
      })
    ))

  it("that comes and goes without meeting anybody changes nothing of what follows", async () => {
    const story = (strikes: boolean) =>
      tell({}, ({ cluster, strike }) =>
        Effect.gen(function* () {
          if (strikes) {
            const held = [
              yield* strike({ fault: "writesRefused", of: "controllers", code: 409 }),
              yield* strike({ fault: "watchRepeated", of: "controllers" }),
              yield* strike({ fault: "controllerRestarted", controller: "replicaSet", afterWrites: 2 }),
              yield* strike({ fault: "writesSlow", of: "clients", by: "1m" })
            ]
            for (const { end } of held) yield* end
          }
          const log = logOf(cluster)
          yield* roll(cluster)
          yield* cluster.settle()
          return log
        })
      )
    expect(await story(true)).toEqual(await story(false))
  })

  it("happens the same with the same seed, to the byte", async () => {
    const story = () =>
      tell({ cluster: { seed: 11 } }, ({ cluster, strike }) =>
        Effect.gen(function* () {
          const log = logOf(cluster)
          yield* strike({ fault: "watchLate", of: "controllers", by: "900ms", for: "3m" })
          yield* strike({ fault: "writesRefused", of: "replicaSet", code: 500, times: 3 })
          yield* strike({ fault: "controllerRestarted", controller: "deployment", afterWrites: 2 })
          yield* roll(cluster)
          yield* cluster.settle()
          expect(cluster.view.get(resources.deployments, "default/web")?.status.updatedReplicas).toBe(3)
          return log
        })
      )
    expect(await story()).toEqual(await story())
  })
})
