import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { objectKeyOf } from "../../../src/kubernetes/meta/objects.ts"
import { namedPodOf, makePodFaults } from "../../../src/faults/pods/podFaults.ts"
import { resources } from "../../../src/kubernetes/meta/kinds.ts"
import { aLife, aPod } from "../../machines/podAndNodeObservations.ts"
import { inFaultCluster } from "../faultCluster.ts"
import { addressOf } from "../../cluster/testCluster.ts"
import type { Pod } from "../../../src/kubernetes/meta/objects.ts"
import type { PodLife } from "../../../src/kubernetes/pods/podLife.ts"
import type { LastingPodFault } from "../../../src/faults/pods/lastingPodFaults.ts"
import type { PodFaults } from "../../../src/faults/pods/podFaults.ts"
import type { FaultCluster } from "../faultCluster.ts"

/** Runs `story` with Pod faults of its own beside those of the cluster; `woken` lists the keys of woken Pods. */
const withPodFaults = <A>(
  story: (
    podFaults: PodFaults,
    fixture: FaultCluster & { readonly pod: Pod; readonly woken: Array<string> }
  ) => A
): Promise<A> =>
  inFaultCluster({}, (fixture) => {
    const podFaults = makePodFaults(fixture.cluster.view)
    const woken: Array<string> = []
    podFaults.connectWake((key) => woken.push(key))
    const [pod] = fixture.podsOf()
    if (pod === undefined) throw new Error("there is no Pod")
    return Effect.sync(() => story(podFaults, { ...fixture, pod, woken }))
  })

/** Begins a lasting Pod fault and returns the function that ends it. */
const beginLastingFault = (podFaults: PodFaults, affliction: LastingPodFault): (() => void) => {
  const number = podFaults.beginLastingFault(affliction)
  return () => podFaults.endLastingFault(number)
}

const life = aLife()
const silentRun = { run: 0, silentMillis: 700 }
const exit = { code: 3, reason: "Error" }
const containersOf = (lives: PodLife): ReadonlyArray<string> => Object.keys(lives.containers).sort()
const slowStart = (before: ReadonlySet<string> = new Set(), count?: number): LastingPodFault => ({
  type: "slowStart",
  among: {
    choice: { deployment: "web", ...(count === undefined ? {} : { count }) },
    before,
    met: new Set(),
    isOver: false
  },
  by: "40s",
  seed: 1
})

describe("the life of a Pod", () => {
  it("is the drawn one until a fault hits the Pod", () =>
    withPodFaults((podFaults, { pod, podsOf }) => {
      expect(podFaults.lifeOf(pod, life)).toBe(life)
      podFaults.addRunFault(pod, "app", silentRun)
      const [, other] = podsOf()
      expect(other === undefined ? undefined : podFaults.lifeOf(other, life)).toBe(life)
      expect(podFaults.lifeOf(pod, life).containers["app"]).toEqual({
        ...life.otherContainers,
        runFault: silentRun
      })
    }))

  it("is not changed by faults when the Pod is moved by hand", () =>
    withPodFaults((podFaults, { pod }) => {
      const own = aLife({}, "you")
      podFaults.addRunFault(pod, "app", silentRun)
      podFaults.failPod(pod, { reason: "Evicted" })
      expect(podFaults.lifeOf(pod, own)).toBe(own)
    }))

  it("wakes only the Pods that a fault hits", () =>
    withPodFaults((podFaults, { pod, podsOf, woken }) => {
      podFaults.addRunFault(pod, "app", silentRun)
      expect(woken.splice(0)).toEqual([objectKeyOf(pod)])
      const among = { uids: new Set([podsOf()[1]?.metadata.uid ?? ""]) }
      const end = beginLastingFault(podFaults, {
        type: "flap",
        among,
        readyMillis: 5000,
        unreadyMillis: 3000
      })
      expect(woken.splice(0)).toEqual(podsOf().slice(1, 2).map(objectKeyOf))
      end()
      end()
      expect(woken).toEqual(podsOf().slice(1, 2).map(objectKeyOf))
    }))

  it("combines several faults", () =>
    withPodFaults((podFaults, { pod }) => {
      const among = { choice: { deployment: "web" } }
      podFaults.beginLastingFault({ type: "flap", among, readyMillis: 5000, unreadyMillis: 3000 })
      const endCrash = beginLastingFault(podFaults, { type: "crash", among, ...exit })
      podFaults.addRunFault(pod, "app", silentRun)
      podFaults.addRunFault(pod, "app", { run: 0, crash: { ...exit, ranMillis: 900 } })
      expect(podFaults.lifeOf(pod, life).containers["app"]).toMatchObject({
        flap: { readyMillis: 5000, unreadyMillis: 3000, times: Infinity },
        exit: { ...exit, afterMillis: 250, times: Infinity },
        runFault: { run: 0, silentMillis: 700, crash: { ...exit, ranMillis: 900 } }
      })
      endCrash()
      expect(podFaults.lifeOf(pod, life).containers["app"]?.exit).toBeUndefined()
    }))

  it("is changed only for the current run of the container", () =>
    withPodFaults((podFaults, { pod }) => {
      podFaults.addRunFault(pod, "app", { ...silentRun, crash: { ...exit, ranMillis: 900 } })
      podFaults.addRunFault(pod, "app", { run: 1, silentMillis: 90 })
      expect(podFaults.lifeOf(pod, life).containers["app"]?.runFault).toEqual({ run: 1, silentMillis: 90 })
      podFaults.endHang(namedPodOf(pod), "app", 0)
      expect(podFaults.lifeOf(pod, life).containers["app"]?.runFault).toEqual({ run: 1, silentMillis: 90 })
      podFaults.endHang(namedPodOf(pod), "app", 1)
      expect(podFaults.lifeOf(pod, life).containers["app"]?.runFault).toEqual({ run: 1 })
    }))

  it("wakes no Pod when a hang ends that never hit the container", () =>
    withPodFaults((podFaults, { pod, podsOf, woken }) => {
      podFaults.addRunFault(pod, "app", silentRun)
      woken.length = 0
      podFaults.endHang(namedPodOf(pod), "sidecar", 0)
      for (const other of podsOf().slice(1)) podFaults.endHang(namedPodOf(other), "app", 0)
      expect(woken).toEqual([])
    }))

  it("keeps the verdict of the kubelet whatever fault follows", () =>
    withPodFaults((podFaults, { pod }) => {
      podFaults.failPod(pod, { reason: "Evicted" })
      podFaults.addRunFault(pod, "app", silentRun)
      const lives = podFaults.lifeOf(pod, life)
      expect([lives.eviction, containersOf(lives)]).toEqual([{ reason: "Evicted" }, []])
    }))

  it("crashes within a second, and before the container is ready", () =>
    withPodFaults((podFaults, { pod }) => {
      podFaults.beginLastingFault({ type: "crash", among: { choice: {} }, ...exit })
      const endOf = (readyMillis: number) =>
        podFaults.lifeOf(pod, aLife({ readyMillis })).containers["app"]?.exit?.afterMillis
      expect([endOf(0), endOf(701), endOf(1999), endOf(60_000)]).toEqual([0, 350, 999, 1000])
    }))
})

describe("init containers", () => {
  const pod = aPod({ node: "node-1", inits: ["setup", "sidecar"], containers: ["constructor"] })

  it("fail only to pull their images, while sidecars crash as well", () =>
    withPodFaults((podFaults) => {
      podFaults.beginLastingFault({ type: "crash", among: { choice: {} }, ...exit })
      expect(containersOf(podFaults.lifeOf(pod, life))).toEqual(["constructor", "sidecar"])
      podFaults.beginLastingFault({ type: "pullFails", image: "registry.example/setup:*", error: "gone" })
      const { containers } = podFaults.lifeOf(pod, life)
      expect(containers["setup"]).toMatchObject({ pullFailures: Infinity, pullError: "gone" })
      expect(containers["constructor"]).toMatchObject({ pullFailures: 0, exit: { code: 3 } })
    }))
})

describe("an image that cannot be pulled", () => {
  it("does not matter with imagePullPolicy: Never", () =>
    withPodFaults((podFaults, { woken }) => {
      const pod = aPod({ node: "node-1" })
      const [container = { name: "app" }] = pod.spec.containers
      const containers = [{ ...container, imagePullPolicy: "Never" }]
      const frugal: Pod = { ...pod, spec: { ...pod.spec, containers } }
      podFaults.beginLastingFault({ type: "pullFails", image: "*", error: "gone" })
      expect(woken).toHaveLength(3)
      expect(podFaults.lifeOf(frugal, life)).toBe(life)
      expect(podFaults.lifeOf(pod, life).containers["app"]?.pullFailures).toBe(Infinity)
    }))
})

describe("slowStart", () => {
  it("slows the first count new Pods, also after the fault has ended", () =>
    withPodFaults((podFaults, { pod, podsOf }) => {
      const end = beginLastingFault(podFaults, slowStart(new Set([pod.metadata.uid]), 1))
      const readiness = () =>
        podsOf().map((it) => podFaults.lifeOf(it, life).containers["app"]?.readyMillis ?? 500)
      expect(readiness()).toEqual([500, 40_500, 500])
      expect(readiness()).toEqual([500, 40_500, 500])
      expect(podFaults.lifeOf(aPod(), life)).toBe(life)
      end()
      expect(readiness()).toEqual([500, 40_500, 500])
    }))

  it("slows no Pod outside its choice", () =>
    withPodFaults((podFaults) => {
      podFaults.beginLastingFault(slowStart())
      expect(podFaults.lifeOf(aPod(), life)).toBe(life)
    }))

  it("slows later new Pods after earlier ones are deleted, and keeps each slowed Pod slow", () =>
    inFaultCluster({}, ({ cluster, podsOf }) =>
      Effect.gen(function* () {
        const podFaults = makePodFaults(cluster.view)
        const [pod, other, third] = podsOf() as [Pod, Pod, Pod]
        const readiness = (of: Pod) => podFaults.lifeOf(of, life).containers["app"]?.readyMillis ?? 500
        const among = { uids: new Set([third.metadata.uid]) }
        podFaults.beginLastingFault({ type: "crash", among, ...exit })
        podFaults.beginLastingFault({ type: "pullFails", image: "nothing:*", error: "gone" })
        const end = beginLastingFault(podFaults, slowStart(new Set([third.metadata.uid])))
        expect(readiness(pod)).toBe(40_500)
        yield* deletePod(cluster, pod)
        expect(readiness(other)).toBe(40_500)
        const [newcomer] = podsOf().filter(
          ({ metadata: { uid } }) => ![other, third].some((it) => it.metadata.uid === uid)
        )
        expect(newcomer === undefined ? undefined : readiness(newcomer)).toBe(40_500)
        end()
        yield* deletePod(cluster, third)
        expect(readiness(other)).toBe(40_500)
        yield* deletePod(cluster, newcomer as Pod)
        expect(readiness(other)).toBe(40_500)
        yield* deletePod(cluster, other)
        expect(podFaults.save().afflictions.map(([, { type }]) => type)).toEqual(["crash", "pullFails"])
      })
    ))

  it("leaves no state behind when it hit no Pod", () =>
    withPodFaults((podFaults) => {
      beginLastingFault(podFaults, slowStart())()
      expect(podFaults.save()).toEqual({ struck: [], afflictions: [], begun: 1 })
    }))
})

/** Deletes a Pod without grace; its ReplicaSet replaces it. */
const deletePod = (cluster: FaultCluster["cluster"], pod: Pod) =>
  Effect.orDie(
    cluster.delete(addressOf({ resource: resources.pods, key: objectKeyOf(pod) }), { gracePeriodSeconds: 0 })
  )

describe("a subscriber to Pod faults", () => {
  it("hears of faults on existing Pods until it unsubscribes", () =>
    inFaultCluster({}, ({ cluster, podsOf }) =>
      Effect.gen(function* () {
        const podFaults = makePodFaults(cluster.view)
        const [pod, other] = podsOf() as [Pod, Pod]
        const uids: Array<string> = []
        const stop = podFaults.onPodChange(({ metadata }) => uids.push(metadata.uid))
        podFaults.addRunFault(pod, "app", silentRun)
        podFaults.failPod(
          { ...other, metadata: { ...other.metadata, uid: "a namesake's" } },
          { reason: "Evicted" }
        )
        expect(uids.splice(0)).toEqual([pod.metadata.uid])
        const among = { uids: new Set([other.metadata.uid]) }
        const end = beginLastingFault(podFaults, {
          type: "flap",
          among,
          readyMillis: 5000,
          unreadyMillis: 3000
        })
        end()
        expect(uids.splice(0)).toEqual([other.metadata.uid, other.metadata.uid])
        yield* deletePod(cluster, pod)
        podFaults.endHang(namedPodOf(pod), "app", 0)
        stop()
        podFaults.addRunFault(other, "app", silentRun)
        expect(uids).toEqual([])
      })
    ))
})

describe("the state of Pod faults", () => {
  it.each<{
    readonly why: string
    readonly from: (fixture: FaultCluster, podFaults: PodFaults) => PodFaults
  }>([
    { why: "in the cluster of the fault", from: (_, podFaults) => podFaults },
    {
      why: "in a cluster restored from a snapshot",
      from: ({ cluster }, podFaults) => {
        const next = makePodFaults(cluster.view)
        next.restore(podFaults.save())
        return next
      }
    }
  ])("is removed with each Pod, $why", ({ from }) =>
    inFaultCluster({}, (fixture) =>
      Effect.gen(function* () {
        const { cluster, podsOf } = fixture
        const [pod, other] = podsOf() as [Pod, Pod]
        const [first, second] = [makePodFaults(cluster.view), makePodFaults(cluster.view)]
        first.addRunFault(pod, "app", silentRun)
        const end = beginLastingFault(
          second,
          slowStart(
            new Set(
              podsOf()
                .slice(2)
                .map(({ metadata }) => metadata.uid)
            )
          )
        )
        for (const it of [pod, other]) second.lifeOf(it, life)
        end()
        const [struck, slowed] = [from(fixture, first), from(fixture, second)]
        yield* deletePod(cluster, pod)
        yield* deletePod(cluster, other)
        expect([struck.save().struck, slowed.save().afflictions]).toEqual([[], []])
      })
    )
  )

  it("is removed with the deleted Pods", () =>
    inFaultCluster({}, ({ cluster, podsOf }) =>
      Effect.gen(function* () {
        const podFaults = makePodFaults(cluster.view)
        const [pod, other, third] = podsOf() as [Pod, Pod, Pod]
        for (const it of [pod, other]) podFaults.addRunFault(it, "app", silentRun)
        const before = new Set([other.metadata.uid, third.metadata.uid])
        const end = beginLastingFault(podFaults, slowStart(before))
        podFaults.lifeOf(pod, life)
        end()
        expect([podFaults.save().struck.length, podFaults.save().afflictions.length]).toEqual([2, 1])
        yield* Effect.orDie(
          cluster.delete(addressOf({ resource: resources.pods, key: objectKeyOf(pod) }), {
            gracePeriodSeconds: 0
          })
        )
        expect(podFaults.save().struck.map(([uid]) => uid)).toEqual([other.metadata.uid])
        expect(podFaults.save().afflictions).toEqual([])
      })
    ))

  it("can be saved once and restored several times", () =>
    withPodFaults((podFaults, { cluster, pod, podsOf }) => {
      podFaults.addRunFault(pod, "app", silentRun)
      const end = beginLastingFault(podFaults, slowStart(new Set(), 2))
      const first = podsOf()[1] as Pod
      podFaults.lifeOf(first, life)
      podFaults.beginLastingFault({
        type: "flap",
        among: { choice: { name: "absent" } },
        readyMillis: 7,
        unreadyMillis: 9
      })
      podFaults.beginLastingFault({ type: "pullFails", image: "nothing:*", error: "gone" })
      const state = podFaults.save()
      const before = structuredClone(state)
      const others = [makePodFaults(cluster.view), makePodFaults(cluster.view)]
      for (const other of others) {
        other.restore(state)
        expect(other.save()).toEqual(before)
        for (const it of podsOf()) other.lifeOf(it, life)
        expect(other.lifeOf(first, life)).toEqual(podFaults.lifeOf(first, life))
        other.beginLastingFault({ type: "crash", among: { choice: {} }, ...exit })
      }
      expect([podFaults.save(), state]).toEqual([before, before])
      end()
      expect(podFaults.save().afflictions).toHaveLength(3)
    }))
})
