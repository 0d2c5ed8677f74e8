import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { isPodReady } from "../../src/kubernetes/pods/podState.ts"
import { objectKeyOf } from "../../src/kubernetes/meta/objects.ts"
import { aManifest, begin } from "../cluster/worlds.ts"
import { activePods, asked, broken, countMade, isComplete, roll, running, watchBounds } from "./rollouts.ts"
import { tell } from "./world.ts"
import type { Draft, KubeObject, Node } from "../../src/kubernetes/meta/objects.ts"
import type { Living } from "../cluster/worlds.ts"
import type { ControllerName, Fault, Party } from "../../src/faults/fault.ts"

const hourMillis = 3_600_000
const parties: ReadonlyArray<Party> = ["deployment", "replicaSet", "pod", "scheduler", "node", "controllers"]

describe("whoever hears late, nothing, twice or sees what was, comes to the same end", () => {
  const faults: ReadonlyArray<readonly [string, (of: Party) => Fault]> = [
    ["watchLate", (of) => ({ fault: "watchLate", of, by: "1300ms", for: "3m" })],
    ["watchDropped", (of) => ({ fault: "watchDropped", of, for: "47s" })],
    ["watchRepeated", (of) => ({ fault: "watchRepeated", of, for: "3m" })],
    ["staleReads", (of) => ({ fault: "staleReads", of, for: "47s" })]
  ]
  for (const [name, faultOf] of faults) {
    it.each(parties)(`and makes no Pod too many on the way: ${name} of %s`, (of) =>
      tell({ manifest: { replicas: 7 } }, ({ cluster, strike, pass }) =>
        Effect.gen(function* () {
          const bounds = watchBounds(cluster)
          const made = countMade(cluster)
          yield* roll(cluster, 7)
          yield* pass(2)
          yield* strike(faultOf(of))
          yield* cluster.settle()
          yield* cluster.until(isComplete(cluster), hourMillis)
          yield* cluster.settle()
          expect([broken(cluster, bounds), running(cluster), made()]).toEqual([[], "v2: 7", 7])
        })
      )
    )
  }
})

describe("a view that is late", () => {
  it("shows a change when its time has come, and not before", () =>
    tell({}, ({ cluster, strike, pass }) =>
      Effect.gen(function* () {
        yield* strike({ fault: "watchLate", of: "deployment", by: "12s" })
        yield* roll(cluster)
        yield* pass(11.999)
        expect(asked(cluster)).toBe("v1: 3")
        yield* pass(0.001)
        expect(asked(cluster)).toBe("v1: 3, v2: 1")
      })
    ))

  it("tells all that is on its way as soon as the fault is over", () =>
    tell({}, ({ cluster, strike, pass }) =>
      Effect.gen(function* () {
        yield* strike({ fault: "watchLate", of: "deployment", by: "1h", for: "30s" })
        yield* roll(cluster)
        yield* pass(29)
        expect(asked(cluster)).toBe("v1: 3")
        yield* pass(1)
        expect(asked(cluster)).toBe("v1: 3, v2: 1")
      })
    ))

  it("keeps whoever has made Pods waiting for five minutes, and no longer (ExpectationsTimeout)", () =>
    tell({}, ({ cluster, strike, pass }) =>
      Effect.gen(function* () {
        const stopped = yield* strike({ fault: "controllerStopped", controller: "replicaSet" })
        yield* roll(cluster, 8, "v1")
        const stale = yield* strike({ fault: "staleReads", of: "replicaSet" })
        yield* stopped.end
        // Slow start: one Pod, and the next two when that one has been seen.
        yield* pass(299)
        expect(activePods(cluster)).toBe(4)
        yield* pass(2)
        expect(activePods(cluster)).toBeGreaterThan(4)
        yield* stale.end
        yield* pass(60)
        expect(activePods(cluster)).toBe(8)
      })
    ))
})

describe("Pods that a taint drives away, which nobody sees going", () => {
  const taints = (["NoExecute", "NoSchedule"] as const).map((effect) => ({ key: effect, effect }))
  const patient = [{ key: "NoExecute", operator: "Exists", effect: "NoExecute", tolerationSeconds: 30 }]
  const taint = (node: KubeObject): Draft => ({ ...node, spec: { ...(node as Node).spec, taints } }) as Draft

  it.each<{ readonly why: string; readonly fault: Fault; readonly isForced?: true }>([
    { why: "the news comes late", fault: { fault: "watchLate", of: "node", by: "2s" } },
    { why: "no news comes", fault: { fault: "watchDropped", of: "node" } },
    { why: "what is read is old", fault: { fault: "staleReads", of: "node" } },
    { why: "somebody was faster", fault: { fault: "watchDropped", of: "node" }, isForced: true }
  ])("are told to go, and time goes on: $why", ({ fault, isForced = false }) =>
    tell({ manifest: { podSpec: { tolerations: patient } } }, ({ cluster, strike, pass, podsOf }) =>
      Effect.gen(function* () {
        const there = () => podsOf().filter(({ spec }) => spec.nodeName === "node-1")
        yield* Effect.orDie(cluster.modify({ resource: resources.nodes, key: "node-1" }, taint))
        yield* pass(1)
        yield* strike(fault)
        for (const pod of isForced ? there() : []) {
          const ref = { resource: resources.pods, key: objectKeyOf(pod) }
          yield* Effect.orDie(cluster.delete(ref, { gracePeriodSeconds: 0 }))
        }
        yield* pass(28)
        expect([there().length, activePods(cluster)]).toEqual([isForced ? 0 : 1, 3])
        yield* pass(10)
        expect([there().length, activePods(cluster)]).toEqual([0, 3])
      })
    )
  )
})

describe("a scheduler that does not see whom it has placed", () => {
  const small = { behaviour: { schedule: "5s" }, cluster: { nodes: { count: 3, pods: 4 } } } as const
  const stale: Fault = { fault: "staleReads", of: "scheduler" }

  const placed = ({ view }: Living) =>
    ["node-1", "node-2", "node-3", undefined].map(
      (node) => [...view.all(resources.pods)].filter(({ spec }) => spec.nodeName === node).length
    )

  it.each<{ readonly why: string; readonly fault: Fault }>([
    { why: "the news comes late", fault: { fault: "watchLate", of: "scheduler", by: "20s" } },
    { why: "what it reads is old", fault: stale }
  ])("gives their room to nobody else: $why", ({ fault }) =>
    tell(small, ({ cluster, strike, pass }) =>
      Effect.gen(function* () {
        yield* begin(cluster, aManifest({ name: "more", replicas: 12 }))
        yield* pass(2)
        const { end } = yield* strike(fault)
        yield* pass(43)
        expect(placed(cluster)).toEqual([4, 4, 4, 3])
        yield* end
        yield* Effect.orDie(cluster.delete({ resource: resources.deployments, key: "default/web" }))
        yield* pass(60)
        expect(placed(cluster)).toEqual([4, 4, 4, 0])
      })
    )
  )

  it("gives their room to those who wait when it hears that they are gone", () =>
    tell(small, ({ cluster, strike, pass, podsOf }) =>
      Effect.gen(function* () {
        yield* begin(cluster, aManifest({ name: "more", replicas: 12 }))
        yield* pass(2)
        const { end } = yield* strike(stale)
        yield* pass(43)
        yield* strike({ fault: "controllerStopped", controller: "replicaSet" })
        for (const pod of podsOf("more").filter(isPodReady).slice(0, 2)) {
          const ref = { resource: resources.pods, key: objectKeyOf(pod) }
          yield* Effect.orDie(cluster.delete(ref, { gracePeriodSeconds: 0 }))
        }
        yield* pass(20)
        expect(placed(cluster).at(-1)).toBe(3)
        yield* end
        yield* pass(20)
        expect(placed(cluster)).toEqual([4, 4, 4, 1])
      })
    ))
})

describe("watches that break", () => {
  it("are seen as their outcome when the list is read again", () =>
    tell({}, ({ cluster, strike, pass, podsOf }) =>
      Effect.gen(function* () {
        yield* strike({ fault: "watchDropped", of: "replicaSet", for: "60s" })
        const [gone, ...kept] = podsOf()
        if (gone !== undefined)
          yield* Effect.orDie(cluster.delete({ resource: "pods", key: objectKeyOf(gone) }))
        yield* pass(59)
        expect(podsOf().map(({ metadata }) => metadata.name)).toEqual(
          kept.map(({ metadata }) => metadata.name)
        )
        yield* pass(1)
        expect(activePods(cluster)).toBe(3)
      })
    ))

  it("hide an object that comes and goes: nobody looks for what never was", () =>
    tell({}, ({ cluster, strike, pass }) =>
      Effect.gen(function* () {
        yield* strike({ fault: "watchDropped", of: "controllers", for: "60s" })
        yield* begin(cluster, aManifest({ name: "brief", replicas: 2 }))
        yield* pass(20)
        yield* Effect.orDie(cluster.delete({ resource: resources.deployments, key: "default/brief" }))
        yield* pass(120)
        expect(
          [...cluster.view.all(resources.replicaSets)].map(({ metadata }) => metadata.name)
        ).toHaveLength(1)
      })
    ))

  it("tell of an object that was replaced by its namesake as of two", () =>
    tell({}, ({ cluster, strike, pass }) =>
      Effect.gen(function* () {
        yield* strike({ fault: "watchDropped", of: "garbageCollector", for: "60s" })
        yield* Effect.orDie(
          cluster.delete(
            { resource: resources.deployments, key: "default/web" },
            { propagationPolicy: "Background" }
          )
        )
        yield* begin(cluster, aManifest({ version: "v9" }))
        yield* pass(59)
        expect(running(cluster)).toBe("v1: 3, v9: 3")
        yield* pass(30)
        expect(running(cluster)).toBe("v9: 3")
      })
    ))
})

describe("reads that are stale", () => {
  it("lead a Deployment's controller to conflicts, and to no step too many", () =>
    tell({ manifest: { replicas: 5 } }, ({ cluster, strike, pass }) =>
      Effect.gen(function* () {
        const bounds = watchBounds(cluster)
        yield* roll(cluster, 5)
        yield* pass(1)
        const before = asked(cluster)
        yield* strike({ fault: "staleReads", of: "deployment", for: "2m" })
        yield* pass(119)
        // What it knows is that its first step is not over.
        expect(asked(cluster)).toBe(before)
        yield* cluster.until(isComplete(cluster), hourMillis)
        yield* cluster.settle()
        expect([broken(cluster, bounds), running(cluster)]).toEqual([[], "v2: 5"])
      })
    ))

  it("end with the fault: what happened meanwhile is seen at once", () =>
    tell({}, ({ cluster, strike, pass }) =>
      Effect.gen(function* () {
        const names: ReadonlyArray<ControllerName> = ["deployment", "replicaSet", "pod", "scheduler"]
        for (const [index, of] of names.entries()) {
          yield* strike({ fault: "staleReads", of, for: "30s" })
          yield* begin(cluster, aManifest({ name: `w${index}`, replicas: 2 }))
          yield* pass(45)
          expect([of, activePods(cluster)]).toEqual([of, 3 + 2 * (index + 1)])
        }
      })
    ))
})
