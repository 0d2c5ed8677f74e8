import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { resources } from "../../../src/kubernetes/meta/kinds.ts"
import { isPodReady } from "../../../src/kubernetes/pods/podState.ts"
import { objectKeyOf } from "../../../src/kubernetes/meta/objects.ts"
import { addressOf, deploymentManifest, createObject, replaceSpec } from "../../cluster/testCluster.ts"
import {
  activePods,
  specReplicasByVersion,
  violationsAndUnfinished,
  countCreatedPods,
  isComplete,
  setVersion,
  activePodsByVersion,
  watchBounds
} from "../rollouts.ts"
import { inFaultCluster } from "../faultCluster.ts"
import type { ControllerName } from "../../../src/runtime/reconciler/controllerTurnOrder.ts"
import type { Draft, KubeObject, Node } from "../../../src/kubernetes/meta/objects.ts"
import type { ClusterService } from "../../cluster/testCluster.ts"
import type { Fault } from "../../../src/faults/fault.ts"
import type { Party } from "../../../src/faults/schemas/faultFields.ts"

const hourMillis = 3_600_000
const parties: ReadonlyArray<Party> = ["deployment", "replicaSet", "pod", "scheduler", "node", "controllers"]

describe("a controller with a faulty watch completes its rollout", () => {
  const faults: ReadonlyArray<readonly [string, (of: Party) => Fault]> = [
    ["watchLate", (of) => ({ fault: "watchLate", of, by: "1300ms", for: "3m" })],
    ["watchDropped", (of) => ({ fault: "watchDropped", of, for: "47s" })],
    ["watchRepeated", (of) => ({ fault: "watchRepeated", of, for: "3m" })],
    ["staleReads", (of) => ({ fault: "staleReads", of, for: "47s" })]
  ]
  for (const [name, faultOf] of faults) {
    it.each(parties)(`without an extra Pod: ${name} of %s`, (of) =>
      inFaultCluster({ manifest: { replicas: 7 } }, ({ cluster, beginFault, pass }) =>
        Effect.gen(function* () {
          const bounds = watchBounds(cluster)
          const created = countCreatedPods(cluster)
          yield* setVersion(cluster, 7)
          yield* pass(2)
          yield* beginFault(faultOf(of))
          yield* cluster.settle()
          yield* cluster.until(isComplete(cluster), hourMillis)
          yield* cluster.settle()
          expect([violationsAndUnfinished(cluster, bounds), activePodsByVersion(cluster), created()]).toEqual(
            [[], "v2: 7", 7]
          )
        })
      )
    )
  }
})

describe("a late watch", () => {
  it("shows a change after the delay and not before", () =>
    inFaultCluster({}, ({ cluster, beginFault, pass }) =>
      Effect.gen(function* () {
        yield* beginFault({ fault: "watchLate", of: "deployment", by: "12s" })
        yield* setVersion(cluster)
        yield* pass(11.999)
        expect(specReplicasByVersion(cluster)).toBe("v1: 3")
        yield* pass(0.001)
        expect(specReplicasByVersion(cluster)).toBe("v1: 3, v2: 1")
      })
    ))

  it("delivers all pending changes when the fault is over", () =>
    inFaultCluster({}, ({ cluster, beginFault, pass }) =>
      Effect.gen(function* () {
        yield* beginFault({ fault: "watchLate", of: "deployment", by: "1h", for: "30s" })
        yield* setVersion(cluster)
        yield* pass(29)
        expect(specReplicasByVersion(cluster)).toBe("v1: 3")
        yield* pass(1)
        expect(specReplicasByVersion(cluster)).toBe("v1: 3, v2: 1")
      })
    ))

  it("keeps a ReplicaSet waiting for its created Pods for five minutes and no longer (ExpectationsTimeout)", () =>
    inFaultCluster({}, ({ cluster, beginFault, pass }) =>
      Effect.gen(function* () {
        const stopped = yield* beginFault({ fault: "controllerStopped", controller: "replicaSet" })
        yield* setVersion(cluster, 8, "v1")
        const stale = yield* beginFault({ fault: "staleReads", of: "replicaSet" })
        yield* stopped.end
        // Slow start: one Pod, then two once the first has been observed.
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

describe("Pods that a NoExecute taint evicts under a faulty watch", () => {
  const taints = (["NoExecute", "NoSchedule"] as const).map((effect) => ({ key: effect, effect }))
  const patient = [{ key: "NoExecute", operator: "Exists", effect: "NoExecute", tolerationSeconds: 30 }]
  const taint = (node: KubeObject): Draft => ({ ...node, spec: { ...(node as Node).spec, taints } }) as Draft

  it.each<{ readonly why: string; readonly fault: Fault; readonly isForced?: true }>([
    { why: "the watch is late", fault: { fault: "watchLate", of: "node", by: "2s" } },
    { why: "the watch is dropped", fault: { fault: "watchDropped", of: "node" } },
    { why: "reads are stale", fault: { fault: "staleReads", of: "node" } },
    { why: "a client deleted them first", fault: { fault: "watchDropped", of: "node" }, isForced: true }
  ])("are deleted after their toleration: $why", ({ fault, isForced = false }) =>
    inFaultCluster(
      { manifest: { podSpec: { tolerations: patient } } },
      ({ cluster, beginFault, pass, podsOf }) =>
        Effect.gen(function* () {
          const there = () => podsOf().filter(({ spec }) => spec.nodeName === "node-1")
          yield* Effect.orDie(cluster.modify({ resource: resources.nodes, name: "node-1" }, taint))
          yield* pass(1)
          yield* beginFault(fault)
          for (const pod of isForced ? there() : []) {
            const address = addressOf({ resource: resources.pods, key: objectKeyOf(pod) })
            yield* Effect.orDie(cluster.delete(address, { gracePeriodSeconds: 0 }))
          }
          yield* pass(28)
          expect([there().length, activePods(cluster)]).toEqual([isForced ? 0 : 1, 3])
          yield* pass(10)
          expect([there().length, activePods(cluster)]).toEqual([0, 3])
        })
    )
  )
})

describe("a scheduler that does not see its own bindings", () => {
  const small = { behaviour: { schedule: "5s" }, cluster: { nodes: { count: 3, pods: 4 } } } as const
  const stale: Fault = { fault: "staleReads", of: "scheduler" }

  const podsPerNode = ({ view }: ClusterService) =>
    ["node-1", "node-2", "node-3", undefined].map(
      (node) => [...view.all(resources.pods)].filter(({ spec }) => spec.nodeName === node).length
    )

  it.each<{ readonly why: string; readonly fault: Fault }>([
    { why: "the watch is late", fault: { fault: "watchLate", of: "scheduler", by: "20s" } },
    { why: "its reads are stale", fault: stale }
  ])("does not give the room of bound Pods away: $why", ({ fault }) =>
    inFaultCluster(small, ({ cluster, beginFault, pass }) =>
      Effect.gen(function* () {
        yield* createObject(cluster, deploymentManifest({ name: "more", replicas: 12 }))
        yield* pass(2)
        const { end } = yield* beginFault(fault)
        yield* pass(43)
        expect(podsPerNode(cluster)).toEqual([4, 4, 4, 3])
        yield* end
        yield* Effect.orDie(cluster.delete({ resource: resources.deployments, name: "web" }))
        yield* pass(60)
        expect(podsPerNode(cluster)).toEqual([4, 4, 4, 0])
      })
    )
  )

  it.each<{ readonly why: string; readonly fault: Fault }>([
    { why: "the watch is late", fault: { fault: "watchLate", of: "scheduler", by: "20s" } },
    { why: "its reads are stale", fault: stale }
  ])("spreads Pods and keeps them apart all the same: $why", ({ fault }) =>
    inFaultCluster({ ...small, cluster: { nodes: 4 } }, ({ cluster, beginFault, pass, podsOf }) =>
      Effect.gen(function* () {
        const ofApp = (app: string) => ({
          labelSelector: { matchLabels: { app } },
          topologyKey: "kubernetes.io/hostname"
        })
        const apart = {
          affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [ofApp("apart")] } }
        }
        const spread = {
          topologySpreadConstraints: [{ ...ofApp("even"), maxSkew: 1, whenUnsatisfiable: "DoNotSchedule" }]
        }
        yield* createObject(cluster, deploymentManifest({ name: "apart", replicas: 2, podSpec: apart }))
        yield* pass(2)
        const { end } = yield* beginFault(fault)
        yield* pass(10)
        yield* createObject(cluster, deploymentManifest({ name: "even", replicas: 4, podSpec: spread }))
        yield* pass(60)
        yield* end
        for (const [name, podSpec] of [
          ["apart", apart],
          ["even", spread]
        ] as const) {
          const replicas = name === "apart" ? 4 : 8
          yield* replaceSpec(cluster, deploymentManifest({ name, replicas, podSpec }))
        }
        yield* pass(60)
        const countsOf = (name: string) =>
          [...Map.groupBy(podsOf(name), ({ spec }) => spec.nodeName).values()].map((pods) => pods.length)
        expect([countsOf("apart"), countsOf("even")]).toEqual([
          [1, 1, 1, 1],
          [2, 2, 2, 2]
        ])
      })
    )
  )

  it("schedules waiting Pods when it hears that bound Pods are gone", () =>
    inFaultCluster(small, ({ cluster, beginFault, pass, podsOf }) =>
      Effect.gen(function* () {
        yield* createObject(cluster, deploymentManifest({ name: "more", replicas: 12 }))
        yield* pass(2)
        const { end } = yield* beginFault(stale)
        yield* pass(43)
        yield* beginFault({ fault: "controllerStopped", controller: "replicaSet" })
        for (const pod of podsOf("more").filter(isPodReady).slice(0, 2)) {
          const address = addressOf({ resource: resources.pods, key: objectKeyOf(pod) })
          yield* Effect.orDie(cluster.delete(address, { gracePeriodSeconds: 0 }))
        }
        yield* pass(20)
        expect(podsPerNode(cluster).at(-1)).toBe(3)
        yield* end
        yield* pass(20)
        expect(podsPerNode(cluster)).toEqual([4, 4, 4, 1])
      })
    ))
})

describe("dropped watches", () => {
  it("show the outcome when the list is read again", () =>
    inFaultCluster({}, ({ cluster, beginFault, pass, podsOf }) =>
      Effect.gen(function* () {
        yield* beginFault({ fault: "watchDropped", of: "replicaSet", for: "60s" })
        const [gone, ...kept] = podsOf()
        if (gone !== undefined)
          yield* Effect.orDie(cluster.delete(addressOf({ resource: "pods", key: objectKeyOf(gone) })))
        yield* pass(59)
        expect(podsOf().map(({ metadata }) => metadata.name)).toEqual(
          kept.map(({ metadata }) => metadata.name)
        )
        yield* pass(1)
        expect(activePods(cluster)).toBe(3)
      })
    ))

  it("hide an object that is created and deleted meanwhile", () =>
    inFaultCluster({}, ({ cluster, beginFault, pass }) =>
      Effect.gen(function* () {
        yield* beginFault({ fault: "watchDropped", of: "controllers", for: "60s" })
        yield* createObject(cluster, deploymentManifest({ name: "brief", replicas: 2 }))
        yield* pass(20)
        yield* Effect.orDie(cluster.delete({ resource: resources.deployments, name: "brief" }))
        yield* pass(120)
        expect(
          [...cluster.view.all(resources.replicaSets)].map(({ metadata }) => metadata.name)
        ).toHaveLength(1)
      })
    ))

  it("report an object replaced under its name as deleted and added", () =>
    inFaultCluster({}, ({ cluster, beginFault, pass }) =>
      Effect.gen(function* () {
        yield* beginFault({ fault: "watchDropped", of: "garbageCollector", for: "60s" })
        yield* Effect.orDie(
          cluster.delete(
            { resource: resources.deployments, name: "web" },
            { propagationPolicy: "Background" }
          )
        )
        yield* createObject(cluster, deploymentManifest({ version: "v9" }))
        yield* pass(59)
        expect(activePodsByVersion(cluster)).toBe("v1: 3, v9: 3")
        yield* pass(30)
        expect(activePodsByVersion(cluster)).toBe("v9: 3")
      })
    ))
})

describe("stale reads", () => {
  it("lead the Deployment controller to conflicts and to no extra step", () =>
    inFaultCluster({ manifest: { replicas: 5 } }, ({ cluster, beginFault, pass }) =>
      Effect.gen(function* () {
        const bounds = watchBounds(cluster)
        yield* setVersion(cluster, 5)
        yield* pass(1)
        const before = specReplicasByVersion(cluster)
        yield* beginFault({ fault: "staleReads", of: "deployment", for: "2m" })
        yield* pass(119)
        // The stale status says that the first step is not complete.
        expect(specReplicasByVersion(cluster)).toBe(before)
        yield* cluster.until(isComplete(cluster), hourMillis)
        yield* cluster.settle()
        expect([violationsAndUnfinished(cluster, bounds), activePodsByVersion(cluster)]).toEqual([
          [],
          "v2: 5"
        ])
      })
    ))

  it("end with the fault: the controller sees at once what happened", () =>
    inFaultCluster({}, ({ cluster, beginFault, pass }) =>
      Effect.gen(function* () {
        const names: ReadonlyArray<ControllerName> = ["deployment", "replicaSet", "pod", "scheduler"]
        for (const [index, of] of names.entries()) {
          yield* beginFault({ fault: "staleReads", of, for: "30s" })
          yield* createObject(cluster, deploymentManifest({ name: `w${index}`, replicas: 2 }))
          yield* pass(45)
          expect([of, activePods(cluster)]).toEqual([of, 3 + 2 * (index + 1)])
        }
      })
    ))
})
