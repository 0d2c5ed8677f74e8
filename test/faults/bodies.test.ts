import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { objectKeyOf } from "../../src/kubernetes/meta/objects.ts"
import { namedPodOf, makePodFaults } from "../../src/faults/pods/podFaults.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { aLife, aPod } from "../machines/leafWorlds.ts"
import { tell } from "./world.ts"
import type { Pod } from "../../src/kubernetes/meta/objects.ts"
import type { PodLife } from "../../src/kubernetes/pods/podLife.ts"
import type { LastingPodFault } from "../../src/faults/pods/lastingPodFaults.ts"
import type { PodFaults } from "../../src/faults/pods/podFaults.ts"
import type { Told } from "./world.ts"

/** Beside a cluster whose own faults do nothing: what this one says of its Pods, and who was asked to look. */
const beside = <A>(
  story: (bodies: PodFaults, told: Told & { readonly pod: Pod; readonly woken: Array<string> }) => A
): Promise<A> =>
  tell({}, (told) => {
    const bodies = makePodFaults(told.cluster.view)
    const woken: Array<string> = []
    bodies.onWake((key) => woken.push(key))
    const [pod] = told.podsOf()
    if (pod === undefined) throw new Error("there is no Pod")
    return Effect.sync(() => story(bodies, { ...told, pod, woken }))
  })

/** Afflicts, and says how to end it. */
const ending = (bodies: PodFaults, affliction: LastingPodFault): (() => void) => {
  const number = bodies.beginLasting(affliction)
  return () => bodies.endLasting(number)
}

const life = aLife()
const hidden = { run: 0, silentMillis: 700 }
const exit = { code: 3, reason: "Error" }
const containersOf = (lives: PodLife): ReadonlyArray<string> => Object.keys(lives.containers).sort()
const slow = (before: ReadonlySet<string> = new Set(), count?: number): LastingPodFault => ({
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

describe("how a Pod lives", () => {
  it("is its own affair as long as nothing comes over it", () =>
    beside((bodies, { pod, podsOf }) => {
      expect(bodies.lifeOf(pod, life)).toBe(life)
      bodies.hitRun(pod, "app", hidden)
      const [, other] = podsOf()
      expect(other === undefined ? undefined : bodies.lifeOf(other, life)).toBe(life)
      expect(bodies.lifeOf(pod, life).containers["app"]).toEqual({ ...life.otherContainers, mishap: hidden })
    }))

  it("is nobody's but yours where you move it", () =>
    beside((bodies, { pod }) => {
      const own = aLife({}, "you")
      bodies.hitRun(pod, "app", hidden)
      bodies.failPod(pod, { reason: "Evicted" })
      expect(bodies.lifeOf(pod, own)).toBe(own)
    }))

  it("is looked at anew by those whom it concerns, and no others", () =>
    beside((bodies, { pod, podsOf, woken }) => {
      bodies.hitRun(pod, "app", hidden)
      expect(woken.splice(0)).toEqual([objectKeyOf(pod)])
      const among = { uids: new Set([podsOf()[1]?.metadata.uid ?? ""]) }
      const end = ending(bodies, { type: "flap", among, readyMillis: 5000, unreadyMillis: 3000 })
      expect(woken.splice(0)).toEqual(podsOf().slice(1, 2).map(objectKeyOf))
      end()
      end()
      expect(woken).toEqual(podsOf().slice(1, 2).map(objectKeyOf))
    }))

  it("suffers several things at once", () =>
    beside((bodies, { pod }) => {
      const among = { choice: { deployment: "web" } }
      bodies.beginLasting({ type: "flap", among, readyMillis: 5000, unreadyMillis: 3000 })
      const endCrash = ending(bodies, { type: "crash", among, ...exit })
      bodies.hitRun(pod, "app", hidden)
      bodies.hitRun(pod, "app", { run: 0, crash: { ...exit, ranMillis: 900 } })
      expect(bodies.lifeOf(pod, life).containers["app"]).toMatchObject({
        flap: { readyMillis: 5000, unreadyMillis: 3000, times: Infinity },
        exit: { ...exit, afterMillis: 250, times: Infinity },
        mishap: { run: 0, silentMillis: 700, crash: { ...exit, ranMillis: 900 } }
      })
      endCrash()
      expect(bodies.lifeOf(pod, life).containers["app"]?.exit).toBeUndefined()
    }))

  it("is a matter of its present run", () =>
    beside((bodies, { pod }) => {
      bodies.hitRun(pod, "app", { ...hidden, crash: { ...exit, ranMillis: 900 } })
      bodies.hitRun(pod, "app", { run: 1, silentMillis: 90 })
      expect(bodies.lifeOf(pod, life).containers["app"]?.mishap).toEqual({ run: 1, silentMillis: 90 })
      bodies.endHang(namedPodOf(pod), "app", 0)
      expect(bodies.lifeOf(pod, life).containers["app"]?.mishap).toEqual({ run: 1, silentMillis: 90 })
      bodies.endHang(namedPodOf(pod), "app", 1)
      expect(bodies.lifeOf(pod, life).containers["app"]?.mishap).toEqual({ run: 1 })
    }))

  it("is no other where it is to be as before, of which nothing had come over it", () =>
    beside((bodies, { pod, podsOf, woken }) => {
      bodies.hitRun(pod, "app", hidden)
      woken.length = 0
      bodies.endHang(namedPodOf(pod), "sidecar", 0)
      for (const other of podsOf().slice(1)) bodies.endHang(namedPodOf(other), "app", 0)
      expect(woken).toEqual([])
    }))

  it("ends as its kubelet says, whatever comes after", () =>
    beside((bodies, { pod }) => {
      bodies.failPod(pod, { reason: "Evicted" })
      bodies.hitRun(pod, "app", hidden)
      const lives = bodies.lifeOf(pod, life)
      expect([lives.verdict, containersOf(lives)]).toEqual([{ reason: "Evicted" }, []])
    }))

  it("crashes within a second, and before it would have answered", () =>
    beside((bodies, { pod }) => {
      bodies.beginLasting({ type: "crash", among: { choice: {} }, ...exit })
      const endOf = (readyMillis: number) =>
        bodies.lifeOf(pod, aLife({ readyMillis })).containers["app"]?.exit?.afterMillis
      expect([endOf(0), endOf(701), endOf(1999), endOf(60_000)]).toEqual([0, 350, 999, 1000])
    }))
})

describe("init containers", () => {
  const pod = aPod({ node: "node-1", inits: ["setup", "sidecar"], containers: ["constructor"] })

  it("are left in peace but for their images; sidecars are not", () =>
    beside((bodies) => {
      bodies.beginLasting({ type: "crash", among: { choice: {} }, ...exit })
      expect(containersOf(bodies.lifeOf(pod, life))).toEqual(["constructor", "sidecar"])
      bodies.beginLasting({ type: "pullFails", image: "registry.example/setup:*", error: "gone" })
      const { containers } = bodies.lifeOf(pod, life)
      expect(containers["setup"]).toMatchObject({ pullFailures: Infinity, pullError: "gone" })
      expect(containers["constructor"]).toMatchObject({ pullFailures: 0, exit: { code: 3 } })
    }))
})

describe("an image that cannot be pulled", () => {
  it("is no trouble where it may not be pulled anyway", () =>
    beside((bodies, { woken }) => {
      const pod = aPod({ node: "node-1" })
      const [container = { name: "app" }] = pod.spec.containers
      const containers = [{ ...container, imagePullPolicy: "Never" }]
      const frugal: Pod = { ...pod, spec: { ...pod.spec, containers } }
      bodies.beginLasting({ type: "pullFails", image: "*", error: "gone" })
      expect(woken).toHaveLength(3)
      expect(bodies.lifeOf(frugal, life)).toBe(life)
      expect(bodies.lifeOf(pod, life).containers["app"]?.pullFailures).toBe(Infinity)
    }))
})

describe("slow starts", () => {
  it("meet the first that come, as many as are wanted, and stay with them", () =>
    beside((bodies, { pod, podsOf }) => {
      const end = ending(bodies, slow(new Set([pod.metadata.uid]), 1))
      const readiness = () =>
        podsOf().map((it) => bodies.lifeOf(it, life).containers["app"]?.readyMillis ?? 500)
      expect(readiness()).toEqual([500, 40_500, 500])
      expect(readiness()).toEqual([500, 40_500, 500])
      expect(bodies.lifeOf(aPod(), life)).toBe(life)
      end()
      expect(readiness()).toEqual([500, 40_500, 500])
    }))

  it("meet only those who are meant", () =>
    beside((bodies) => {
      bodies.beginLasting(slow())
      expect(bodies.lifeOf(aPod(), life)).toBe(life)
    }))

  it("go on for those who come while others go, and stay with each whom they met", () =>
    tell({}, ({ cluster, podsOf }) =>
      Effect.gen(function* () {
        const bodies = makePodFaults(cluster.view)
        const [pod, other, third] = podsOf() as [Pod, Pod, Pod]
        const readiness = (of: Pod) => bodies.lifeOf(of, life).containers["app"]?.readyMillis ?? 500
        const among = { uids: new Set([third.metadata.uid]) }
        bodies.beginLasting({ type: "crash", among, ...exit })
        bodies.beginLasting({ type: "pullFails", image: "nothing:*", error: "gone" })
        const end = ending(bodies, slow(new Set([third.metadata.uid])))
        expect(readiness(pod)).toBe(40_500)
        yield* deleted(cluster, pod)
        expect(readiness(other)).toBe(40_500)
        const [newcomer] = podsOf().filter(
          ({ metadata: { uid } }) => ![other, third].some((it) => it.metadata.uid === uid)
        )
        expect(newcomer === undefined ? undefined : readiness(newcomer)).toBe(40_500)
        end()
        yield* deleted(cluster, third)
        expect(readiness(other)).toBe(40_500)
        yield* deleted(cluster, newcomer as Pod)
        expect(readiness(other)).toBe(40_500)
        yield* deleted(cluster, other)
        expect(bodies.save().afflictions.map(([, { type }]) => type)).toEqual(["crash", "pullFails"])
      })
    ))

  it("that met nobody leave no trace", () =>
    beside((bodies) => {
      ending(bodies, slow())()
      expect(bodies.save()).toEqual({ struck: [], afflictions: [], begun: 1 })
    }))
})

/** Gone at once; another comes in its place. */
const deleted = (cluster: Told["cluster"], pod: Pod) =>
  Effect.orDie(cluster.delete({ resource: resources.pods, key: objectKeyOf(pod) }, { gracePeriodSeconds: 0 }))

describe("whoever asks what befalls Pods", () => {
  it("is told of those who are there, until he wants to hear no more", () =>
    tell({}, ({ cluster, podsOf }) =>
      Effect.gen(function* () {
        const bodies = makePodFaults(cluster.view)
        const [pod, other] = podsOf() as [Pod, Pod]
        const told: Array<string> = []
        const stop = bodies.onPodChange(({ metadata }) => told.push(metadata.uid))
        bodies.hitRun(pod, "app", hidden)
        bodies.failPod(
          { ...other, metadata: { ...other.metadata, uid: "a namesake's" } },
          { reason: "Evicted" }
        )
        expect(told.splice(0)).toEqual([pod.metadata.uid])
        const among = { uids: new Set([other.metadata.uid]) }
        const end = ending(bodies, { type: "flap", among, readyMillis: 5000, unreadyMillis: 3000 })
        end()
        expect(told.splice(0)).toEqual([other.metadata.uid, other.metadata.uid])
        yield* deleted(cluster, pod)
        bodies.endHang(namedPodOf(pod), "app", 0)
        stop()
        bodies.hitRun(other, "app", hidden)
        expect(told).toEqual([])
      })
    ))
})

describe("what has come over Pods", () => {
  it.each<{ readonly why: string; readonly from: (told: Told, bodies: PodFaults) => PodFaults }>([
    { why: "where it came", from: (_, bodies) => bodies },
    {
      why: "where it was taken up again",
      from: ({ cluster }, bodies) => {
        const next = makePodFaults(cluster.view)
        next.restore(bodies.save())
        return next
      }
    }
  ])("goes with each of them, $why", ({ from }) =>
    tell({}, (told) =>
      Effect.gen(function* () {
        const { cluster, podsOf } = told
        const [pod, other] = podsOf() as [Pod, Pod]
        const [first, second] = [makePodFaults(cluster.view), makePodFaults(cluster.view)]
        first.hitRun(pod, "app", hidden)
        const end = ending(
          second,
          slow(
            new Set(
              podsOf()
                .slice(2)
                .map(({ metadata }) => metadata.uid)
            )
          )
        )
        for (const it of [pod, other]) second.lifeOf(it, life)
        end()
        const [struck, slowed] = [from(told, first), from(told, second)]
        yield* deleted(cluster, pod)
        yield* deleted(cluster, other)
        expect([struck.save().struck, slowed.save().afflictions]).toEqual([[], []])
      })
    )
  )

  it("is forgotten with them", () =>
    tell({}, ({ cluster, podsOf }) =>
      Effect.gen(function* () {
        const bodies = makePodFaults(cluster.view)
        const [pod, other, third] = podsOf() as [Pod, Pod, Pod]
        for (const it of [pod, other]) bodies.hitRun(it, "app", hidden)
        const before = new Set([other.metadata.uid, third.metadata.uid])
        const end = ending(bodies, slow(before))
        bodies.lifeOf(pod, life)
        end()
        expect([bodies.save().struck.length, bodies.save().afflictions.length]).toEqual([2, 1])
        yield* Effect.orDie(
          cluster.delete({ resource: resources.pods, key: objectKeyOf(pod) }, { gracePeriodSeconds: 0 })
        )
        expect(bodies.save().struck.map(([uid]) => uid)).toEqual([other.metadata.uid])
        expect(bodies.save().afflictions).toEqual([])
      })
    ))

  it("can be taken down, and taken up by another as often as is wanted", () =>
    beside((bodies, { cluster, pod, podsOf }) => {
      bodies.hitRun(pod, "app", hidden)
      const end = ending(bodies, slow(new Set(), 2))
      const first = podsOf()[1] as Pod
      bodies.lifeOf(first, life)
      bodies.beginLasting({
        type: "flap",
        among: { choice: { name: "nobody" } },
        readyMillis: 7,
        unreadyMillis: 9
      })
      bodies.beginLasting({ type: "pullFails", image: "nothing:*", error: "gone" })
      const state = bodies.save()
      const before = structuredClone(state)
      const others = [makePodFaults(cluster.view), makePodFaults(cluster.view)]
      for (const other of others) {
        other.restore(state)
        expect(other.save()).toEqual(before)
        for (const it of podsOf()) other.lifeOf(it, life)
        expect(other.lifeOf(first, life)).toEqual(bodies.lifeOf(first, life))
        other.beginLasting({ type: "crash", among: { choice: {} }, ...exit })
      }
      expect([bodies.save(), state]).toEqual([before, before])
      end()
      expect(bodies.save().afflictions).toHaveLength(3)
    }))
})
