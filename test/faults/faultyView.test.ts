import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { objectKeyOf } from "../../src/kubernetes/meta/objects.ts"
import { makeClientConnection } from "../../src/faults/clientConnection.ts"
import { aPodDraft, aReplicaSetDraft, aStore, run } from "../store/testStore.ts"
import type { KubeObject } from "../../src/kubernetes/meta/objects.ts"
import type { FaultyView } from "../../src/faults/faultyView.ts"
import type { Timers } from "../../src/runtime/timers.ts"
import type { Change, ClusterView } from "../../src/store/objectStore.ts"

const seed = 20_261_121

const makeLater = () => {
  let now = 0
  const timers = new Set<{ readonly atMillis: number; readonly run: () => void }>()
  const later: Timers = {
    nowMillis: () => now,
    after: (millis, callback) => {
      const timer = { atMillis: now + millis, run: callback }
      timers.add(timer)
      return {
        cancel: () => timers.delete(timer),
        place: { atMillis: timer.atMillis, turnOrder: 0, sequence: 0 }
      }
    },
    resume: ({ atMillis }, callback) => later.after(atMillis - now, callback)
  }
  const pass = (millis: number): void => {
    const until = now + millis
    for (;;) {
      const [next] = [...timers]
        .filter(({ atMillis }) => atMillis <= until)
        .sort((a, b) => a.atMillis - b.atMillis)
      if (next === undefined) break
      timers.delete(next)
      now = Math.max(now, next.atMillis)
      next.run()
    }
    now = until
  }
  return { later, pass, timers }
}

type Fault = "delayChanges" | "dropChanges" | "repeatChanges" | "freezeReads"
type Step =
  | { readonly type: "make" | "remake" | "change" | "remove"; readonly which: number }
  | { readonly type: "begin"; readonly fault: Fault; readonly millis: number }
  | { readonly type: "end"; readonly which: number }
  | { readonly type: "pass"; readonly millis: number }

const which = fc.nat(3)
const millis = fc.integer({ min: 1, max: 700 })
const steps: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(
  fc.oneof(
    fc.record({ type: fc.constantFrom("make", "remake", "change", "remove"), which }),
    fc.record({
      type: fc.constant("begin"),
      fault: fc.constantFrom("delayChanges", "dropChanges", "repeatChanges", "freezeReads"),
      millis
    }),
    fc.record({ type: fc.constant("end"), which }),
    fc.record({ type: fc.constant("pass"), millis })
  ) as fc.Arbitrary<Step>,
  { minLength: 3, maxLength: 40 }
)

const contentsOf = (view: ClusterView["Service"]): object => ({
  version: view.version(),
  pods: [...view.all(resources.pods)].map(textOf).sort(),
  owned: view.controlled(resources.pods, owner.metadata.uid).map(textOf).sort(),
  orphans: view.orphans(resources.pods, "shop").map(textOf).sort(),
  count: view.pods.total(owner.metadata.uid)
})
const textOf = ({ metadata }: KubeObject): string =>
  `${metadata.name} ${metadata.uid} ${metadata.resourceVersion} ${metadata.labels?.["turn"]}`

const podStore = aStore()
const owner = run(podStore.store.create(aReplicaSetDraft({ name: "web" }, { replicas: 0 })))
const ownerReferences = [
  { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: owner.metadata.uid, controller: true }
]

const performStep = (step: Extract<Step, { readonly which: number }>, turn: number): void => {
  const { store, view } = podStore
  const name = `web-${step.which}`
  const ref = { resource: resources.pods, key: `shop/${name}` }
  const present = view.get(ref.resource, ref.key)
  const make = (): unknown =>
    run(store.create(aPodDraft({ name, ...(step.which % 2 === 0 ? { ownerReferences } : {}) }, {})))
  if (step.type === "make" && present === undefined) make()
  if (present === undefined) return
  if (step.type === "change") {
    const labels = { ...present.metadata.labels, turn: String(turn) }
    run(store.modify(ref, (pod) => ({ ...pod, metadata: { ...pod.metadata, labels } })))
  }
  if (step.type === "remove" || step.type === "remake") run(store.delete(ref))
  if (step.type === "remake") make()
}

const makeListener = () => {
  const known = new Map<string, KubeObject>()
  const wrong: Array<string> = []
  return {
    known,
    wrong,
    hear: ({ type, resource, object, old }: Change): void => {
      if (resource !== resources.pods) return
      const key = objectKeyOf(object)
      if (type === "ADDED" && old !== undefined) wrong.push(`${key} was there before it was added`)
      if (type === "DELETED") known.delete(key)
      else known.set(key, object)
    }
  }
}

describe(`a faulty view (seed ${seed})`, () => {
  it("equals the store in every index once all faults are over, and so does what subscribers know", () => {
    let turn = 0
    fc.assert(
      fc.property(steps, (script) => {
        const { later, pass, timers } = makeLater()
        const { view, faultyView } = makeClientConnection({
          ...podStore,
          timers: later,
          usedBy: "controller"
        })
        const listener = makeListener()
        for (const pod of podStore.view.all(resources.pods)) listener.known.set(objectKeyOf(pod), pod)
        const unsubscribe = view.subscribe(listener.hear)
        const ends: Array<() => void> = []
        for (const step of script) {
          turn += 1
          if (step.type === "pass") pass(step.millis)
          else if (step.type === "begin") ends.push(beginOn(faultyView, step.fault, step.millis))
          else if (step.type === "end") ends.splice(step.which, 1).forEach((end) => end())
          else performStep(step, turn)
        }
        ends.forEach((end) => end())
        unsubscribe()
        expect(contentsOf(view)).toEqual(contentsOf(podStore.view))
        expect([...listener.known.values()].map(textOf).sort()).toEqual(
          [...podStore.view.all(resources.pods)].map(textOf).sort()
        )
        expect([listener.wrong, timers.size, faultyView.pendingChanges()]).toEqual([[], 0, 0])
      }),
      { seed, numRuns: 400 }
    )
  })

  it("never goes back, and is consistent at every instant", () => {
    let turn = 0
    fc.assert(
      fc.property(steps, (script) => {
        const { later, pass } = makeLater()
        const { view, faultyView } = makeClientConnection({
          ...podStore,
          timers: later,
          usedBy: "controller"
        })
        const ends: Array<() => void> = []
        let version = view.version()
        for (const step of script) {
          turn += 1
          if (step.type === "pass") pass(step.millis)
          else if (step.type === "begin") ends.push(beginOn(faultyView, step.fault, step.millis))
          else if (step.type === "end") ends.splice(step.which, 1).forEach((end) => end())
          else performStep(step, turn)
          const owned = [...view.all(resources.pods)].filter(
            (pod) => pod.metadata.ownerReferences !== undefined
          )
          expect(view.version()).toBeGreaterThanOrEqual(version)
          expect(view.delivered.version()).toBeGreaterThanOrEqual(view.version())
          expect(view.controlled(resources.pods, owner.metadata.uid)).toHaveLength(owned.length)
          expect(view.pods.total(owner.metadata.uid)).toBe(owned.length)
          version = view.version()
        }
        ends.forEach((end) => end())
      }),
      { seed, numRuns: 200 }
    )
  })
})

describe("a write by a subscriber that has waited for its view to catch up", () => {
  const rows: ReadonlyArray<{ why: string; begin: (faultyView: FaultyView) => ReadonlyArray<() => void> }> = [
    { why: "with dropped changes", begin: (faultyView) => [faultyView.dropChanges()] },
    { why: "with delayed changes", begin: (faultyView) => [faultyView.delayChanges(300)] },
    {
      why: "while later changes are delayed",
      begin: (faultyView) => [faultyView.dropChanges(), faultyView.delayChanges(300)]
    },
    {
      why: "with dropped and delayed changes",
      begin: (faultyView) => [faultyView.delayChanges(300), faultyView.dropChanges()]
    }
  ]
  it.each(rows)("is delivered once and in order, $why", ({ begin }) => {
    const { later, pass } = makeLater()
    const { store, view: present } = aStore()
    const makePod = (name: string) => store.create(aPodDraft({ name }, {}))
    const { view, faultyView } = makeClientConnection({
      store,
      view: present,
      timers: later,
      usedBy: "controller"
    })
    const delivered: Array<string> = []
    view.subscribe(({ type, object }) => delivered.push(`${type} ${object.metadata.name}`))
    const [end, ...others] = begin(faultyView)
    const first = run(makePod("first"))
    const caughtUp = view.waitForVersion(first.metadata.resourceVersion)
    Effect.runFork(Effect.andThen(caughtUp, makePod("second")))
    run(makePod("third"))
    end?.()
    others.forEach((endOther) => endOther())
    run(store.delete({ resource: resources.pods, key: "shop/second" }))
    pass(300)
    expect({
      delivered,
      underway: faultyView.pendingChanges(),
      version: view.version()
    }).toEqual({
      delivered: ["ADDED first", "ADDED third", "ADDED second", "DELETED second"],
      underway: 0,
      version: present.version()
    })
  })
})

describe("a view handed out before a fault", () => {
  it("shows what the fault lets through, and the present after its end", () => {
    const { later, pass } = makeLater()
    const { store, view: present } = aStore()
    const makePod = (name: string): unknown => run(store.create(aPodDraft({ name, ownerReferences }, {})))
    const { view, faultyView } = makeClientConnection({
      store,
      view: present,
      timers: later,
      usedBy: "controller"
    })
    const seen = (): ReadonlyArray<unknown> => [
      [...view.all(resources.pods)].map(({ metadata }) => metadata.name),
      view.get(resources.pods, "shop/late") !== undefined,
      view.version() === present.version(),
      view.delivered.version() === present.version(),
      view.pods.total(owner.metadata.uid),
      view.kinds.findByResource(resources.pods)?.kind
    ]
    makePod("early")
    const endDelay = faultyView.delayChanges(300)
    makePod("late")
    const whileUnderway = seen()
    const endFreeze = faultyView.freezeReads()
    pass(300)
    const whileStale = seen()
    endFreeze()
    endDelay()
    expect([whileUnderway, whileStale, seen()]).toEqual([
      [["early"], false, false, false, 1, "Pod"],
      [["early"], false, false, true, 1, "Pod"],
      [["early", "late"], true, true, true, 2, "Pod"]
    ])
  })
})

const beginOn = (faultyView: FaultyView, fault: Fault, millis: number): (() => void) => {
  const end = fault === "delayChanges" ? faultyView.delayChanges(millis) : faultyView[fault]()
  return end
}
