import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { controllerOf } from "../../../src/kubernetes/meta/ownerReferences.ts"
import {
  isPodActive,
  isPodFinished,
  isPodReady,
  isPodTerminating
} from "../../../src/kubernetes/pods/podState.ts"
import { conditionOf } from "../../../src/kubernetes/meta/conditions.ts"
import { matchesSelector } from "../../../src/kubernetes/meta/selectors/labelSelectors.ts"
import { timestampMillis } from "../../../src/kubernetes/meta/amounts/timestamps.ts"
import { makePodTallies, type PodTallies } from "../../../src/store/indexes/podTallies.ts"
import { aPod, aReplicaSet, startMillis, type PodOptions } from "../../builders.ts"
import { namesOf, sortForDeletion, somePodOptions, unorderedUid } from "./podArbitraries.ts"
import type { PodCounts } from "../../../src/kubernetes/apps/replicaSets/replicaSetObservation.ts"
import type { Labels, Pod } from "../../../src/kubernetes/meta/objects.ts"

const owners = ["rs-a", "rs-b", "rs-c"].map((name) => aReplicaSet({ name }))

const podsWithTallies = () => {
  const pods = new Map<string, Pod>()
  const ownedBy = (uid: string) => [...pods.values()].filter((pod) => controllerOf(pod)?.uid === uid)
  const tallies = makePodTallies(ownedBy)
  const put = (name: string, pod: Pod | undefined): void => {
    const old = pods.get(name)
    if (pod === undefined) pods.delete(name)
    else pods.set(name, pod)
    tallies.update(old, pod)
  }
  return { ownedBy, tallies, put }
}

interface Question {
  readonly ownerUid: string
  readonly selector: { readonly matchLabels: Record<string, string> }
  readonly templateLabels: Labels
  readonly minReadySeconds: number
  readonly nowMillis: number
}

const recount = (owned: ReadonlyArray<Pod>, question: Question): PodCounts => {
  const { selector, templateLabels, minReadySeconds, nowMillis } = question
  const selected = owned.filter(({ metadata }) => matchesSelector(selector, metadata.labels))
  const active = selected.filter(isPodActive)
  const ready = active.filter(isPodReady)
  const availableAt = (pod: Pod): number => {
    const since = conditionOf(pod.status.conditions, "Ready")?.lastTransitionTime
    if (minReadySeconds === 0) return -Infinity
    return since === undefined ? Infinity : timestampMillis(since) + minReadySeconds * 1000
  }
  const waiting = ready.map(availableAt).filter((at) => at > nowMillis && at < Infinity)
  return {
    active: active.length,
    fullyLabeled: active.filter(({ metadata }) =>
      matchesSelector({ matchLabels: templateLabels }, metadata.labels)
    ).length,
    ready: ready.length,
    available: ready.filter((pod) => availableAt(pod) <= nowMillis).length,
    terminating: selected.filter(isPodTerminating).length,
    nextAvailableMillis: waiting.length === 0 ? undefined : Math.min(...waiting)
  }
}

const seed = 20_260_513

const labels = fc.constantFrom<Labels>(
  { app: "web" },
  { app: "web", tier: "front" },
  { app: "web", tier: "back" },
  { app: "site" }
)
const changes = fc.record({
  name: fc.nat(14),
  owner: fc.constantFrom(0, 0, 0, 1, 2, undefined),
  options: somePodOptions,
  labels,
  phase: fc.constantFrom(undefined, undefined, undefined, "Failed", "Succeeded"),
  terminating: fc.constantFrom(false, false, false, true),
  gone: fc.constantFrom(false, false, false, true)
})
const questions = fc.record({
  owner: fc.nat(2),
  app: fc.constantFrom("web", "site"),
  tier: fc.constantFrom("front", "back"),
  minReadySeconds: fc.constantFrom(0, 0, 7, 60),
  wait: fc.nat(90),
  count: fc.integer({ min: 1, max: 5 })
})
const steps = fc.array(fc.oneof({ weight: 3, arbitrary: changes }, { weight: 1, arbitrary: questions }), {
  minLength: 5,
  maxLength: 80
})

describe(`tallies equal a recount (seed ${seed})`, () => {
  it("while Pods are created, changed, relabelled, adopted and removed", () => {
    let compared = 0
    fc.assert(
      fc.property(steps, (drawn) => {
        const { ownedBy, tallies, put } = podsWithTallies()
        let seconds = 600
        for (const step of drawn) {
          if ("wait" in step) {
            seconds += step.wait
            const ownerUid = owners[step.owner]?.metadata.uid ?? ""
            const owned = ownedBy(ownerUid)
            const question: Question = {
              ownerUid,
              selector: { matchLabels: { app: step.app } },
              templateLabels: { app: step.app, tier: step.tier },
              minReadySeconds: step.minReadySeconds,
              nowMillis: startMillis + seconds * 1000
            }
            expect(tallies.counts(question)).toEqual(recount(owned, question))
            expect(tallies.total(ownerUid)).toBe(owned.length)
            expect(tallies.unfinished(ownerUid)).toBe(owned.filter((pod) => !isPodFinished(pod)).length)
            expect(tallies.hasUnselectedPods(ownerUid, question.selector)).toBe(
              owned.some(
                (pod) => isPodActive(pod) && !matchesSelector(question.selector, pod.metadata.labels)
              )
            )
            compared += compareDeletion({ ownedBy, tallies, ownerUid, seconds, count: step.count })
          } else if (step.gone) put(`p${step.name}`, undefined)
          else put(`p${step.name}`, podOf(step))
        }
      }),
      { seed, numRuns: 800 }
    )
    expect(compared).toBeGreaterThan(1_000)
  })
})

const podOf = (step: {
  readonly name: number
  readonly owner: number | undefined
  readonly options: PodOptions
  readonly labels: Labels
  readonly phase: string | undefined
  readonly terminating: boolean
}): Pod => {
  const owner = step.owner === undefined ? undefined : owners[step.owner]
  return aPod({
    ...step.options,
    name: `p${step.name}`,
    uid: unorderedUid(step.name),
    labels: step.labels,
    terminating: step.terminating,
    ...(owner === undefined ? {} : { owner }),
    ...(step.phase === undefined ? {} : { phase: step.phase })
  })
}

const compareDeletion = (options: {
  readonly ownedBy: (uid: string) => ReadonlyArray<Pod>
  readonly tallies: PodTallies
  readonly ownerUid: string
  readonly seconds: number
  readonly count: number
}): number => {
  const { ownedBy, tallies, ownerUid, seconds, count } = options
  const relatedOwnerUids = owners.slice(0, 2).map(({ metadata }) => metadata.uid)
  const family = relatedOwnerUids.flatMap(ownedBy).filter(isPodActive)
  const rankOf = (node: string): number => family.filter(({ spec }) => (spec.nodeName ?? "") === node).length
  const expected = sortForDeletion(ownedBy(ownerUid).filter(isPodActive), rankOf, seconds)
  const nowMillis = startMillis + seconds * 1000
  const chosen = tallies.firstToDelete({ ownerUid, relatedOwnerUids, count, nowMillis })
  if (expected === undefined) return 0
  expect(namesOf(chosen)).toEqual(namesOf(expected.slice(0, count)))
  return 1
}

describe("the time at which a Pod is available (TestNextPodAvailabilityCheck, TestFindMinNextPodAvailability)", () => {
  const owner = aReplicaSet({ uid: "o" })
  const countsOf = (pods: ReadonlyArray<PodOptions>, minReadySeconds: number, now: number): PodCounts => {
    const tallies = makePodTallies(() => [])
    for (const [index, options] of pods.entries()) {
      tallies.update(undefined, aPod({ owner, name: `p${index}`, ...options }))
    }
    return tallies.counts({
      ownerUid: "o",
      selector: { matchLabels: { app: "web" } },
      templateLabels: { app: "web" },
      minReadySeconds,
      nowMillis: startMillis + now * 1000
    })
  }
  it.each([
    { why: "not ready", pods: [{}], min: 7, now: 99, ready: 0, available: 0, next: undefined },
    {
      why: "ready, without minReadySeconds",
      pods: [{ ready: 5 }],
      min: 0,
      now: 5,
      ready: 1,
      available: 1,
      next: undefined
    },
    {
      why: "ready at this second",
      pods: [{ ready: 5 }],
      min: 7,
      now: 5,
      ready: 1,
      available: 0,
      next: 12
    },
    {
      why: "a millisecond too early",
      pods: [{ ready: 5 }],
      min: 7,
      now: 11.999,
      ready: 1,
      available: 0,
      next: 12
    },
    {
      why: "exactly in time",
      pods: [{ ready: 5 }],
      min: 7,
      now: 12,
      ready: 1,
      available: 1,
      next: undefined
    },
    {
      why: "the next of several",
      pods: [{ ready: 5 }, { ready: 9 }, { ready: 7 }, {}],
      min: 7,
      now: 13,
      ready: 3,
      available: 1,
      next: 14
    },
    {
      why: "one that becomes ready later",
      pods: [{ ready: 30 }],
      min: 7,
      now: 13,
      ready: 1,
      available: 0,
      next: 37
    },
    {
      why: "ready without a transition time, without minReadySeconds",
      pods: [{ ready: true }],
      min: 0,
      now: 5,
      ready: 1,
      available: 1,
      next: undefined
    },
    {
      why: "ready without a transition time is never available",
      pods: [{ ready: true }],
      min: 7,
      now: 9_999,
      ready: 1,
      available: 0,
      next: undefined
    },
    {
      why: "and does not hide another one",
      pods: [{ ready: true }, { ready: 5 }],
      min: 7,
      now: 6,
      ready: 2,
      available: 0,
      next: 12
    },
    {
      why: "a terminating one is not counted",
      pods: [{ ready: 5, terminating: true }],
      min: 0,
      now: 9,
      ready: 0,
      available: 0,
      next: undefined
    }
  ])(
    "is $next ($ready ready, $available available at $now): $why",
    ({ pods, min, now, ready, available, next }) => {
      expect(countsOf(pods, min, now)).toMatchObject({
        ready,
        available,
        nextAvailableMillis: next === undefined ? undefined : startMillis + next * 1000
      })
    }
  )
})

describe("the Pods counted by a ReplicaSet (TestCalculateStatus)", () => {
  const owner = aReplicaSet({ uid: "o" })
  const full = { app: "web", tier: "a" }
  it.each<{ readonly why: string; readonly pods: ReadonlyArray<PodOptions>; readonly counts: string }>([
    {
      why: "without Pods",
      pods: [],
      counts: "0 active, 0 fully labelled, 0 ready, 0 available, 0 terminating"
    },
    {
      why: "fully labelled",
      pods: [{ labels: full }],
      counts: "1 active, 1 fully labelled, 0 ready, 0 available, 0 terminating"
    },
    {
      why: "selected, without all labels of the template",
      pods: [{}],
      counts: "1 active, 0 fully labelled, 0 ready, 0 available, 0 terminating"
    },
    {
      why: "with more labels than the template",
      pods: [{ labels: { ...full, extra: "1" } }, { labels: full }, {}],
      counts: "3 active, 2 fully labelled, 0 ready, 0 available, 0 terminating"
    },
    {
      why: "ready, and available after minReadySeconds",
      pods: [{ ready: 95 }, { ready: 90 }, { ready: 0, labels: full }, {}],
      counts: "4 active, 1 fully labelled, 3 ready, 2 available, 0 terminating"
    },
    {
      why: "terminating ones are counted apart, finished ones not at all",
      pods: [
        { terminating: true, ready: 0, labels: full },
        { terminating: true },
        { terminating: true, phase: "Failed" },
        { phase: "Succeeded", labels: full },
        { ready: 0 }
      ],
      counts: "1 active, 0 fully labelled, 1 ready, 1 available, 2 terminating"
    }
  ])("are $counts: $why", ({ pods, counts }) => {
    const tallies = makePodTallies(() => [])
    for (const [index, options] of pods.entries()) {
      tallies.update(undefined, aPod({ owner, name: `p${index}`, ...options }))
    }
    const { active, fullyLabeled, ready, available, terminating } = tallies.counts({
      ownerUid: "o",
      selector: { matchLabels: { app: "web" } },
      templateLabels: full,
      minReadySeconds: 10,
      nowMillis: startMillis + 100_000
    })
    expect(
      `${active} active, ${fullyLabeled} fully labelled, ${ready} ready, ${available} available, ` +
        `${terminating} terminating`
    ).toBe(counts)
  })
})

describe("firstToDelete takes Pods of one owner (TestGetPodsToDelete)", () => {
  it("ranking nodes by the Pods of all related owners (TestRelatedPodsLookup, TestGetReplicaSetsWithSameController)", () => {
    const [a, b] = owners
    if (a === undefined || b === undefined) throw new Error("no owners")
    const { tallies, put } = podsWithTallies()
    put("a1", aPod({ owner: a, name: "a1", node: "n1", ready: 0 }))
    put("a2", aPod({ owner: a, name: "a2", node: "n2", ready: 0 }))
    put("b1", aPod({ owner: b, name: "b1", node: "n2", ready: 0 }))
    const ownerUid = a.metadata.uid
    const first = (relatedOwnerUids: ReadonlyArray<string>) =>
      namesOf(tallies.firstToDelete({ ownerUid, relatedOwnerUids, count: 1, nowMillis: startMillis }))
    expect(first([a.metadata.uid, b.metadata.uid])).toEqual(["a2"])
    expect(first([])).toEqual(["a1"])
  })

  it.each([
    { count: 1, gone: "unscheduled" },
    { count: 3, gone: "unscheduled pending unready" },
    { count: 5, gone: "unscheduled pending unready young old" },
    { count: 9, gone: "unscheduled pending unready young old" }
  ])("$count of five are $gone", ({ count, gone }) => {
    const [owner] = owners
    const { tallies, put } = podsWithTallies()
    const five: ReadonlyArray<PodOptions & { readonly name: string }> = [
      { name: "old", ready: 7, created: 0 },
      { name: "unready", phase: "Running" },
      { name: "young", ready: 7, created: 600 },
      { name: "pending", phase: "Pending" },
      { name: "unscheduled", phase: "Pending", node: undefined },
      { name: "ended", phase: "Failed" },
      { name: "going", terminating: true }
    ]
    for (const options of five)
      put(options.name, aPod({ ...options, ...(owner === undefined ? {} : { owner }) }))
    const chosen = tallies.firstToDelete({
      ownerUid: owner?.metadata.uid ?? "",
      relatedOwnerUids: [],
      count,
      nowMillis: startMillis + 700_000
    })
    expect(namesOf(chosen).join(" ")).toBe(gone)
  })

  it("and none of an owner without Pods", () => {
    const { tallies } = podsWithTallies()
    expect(
      tallies.firstToDelete({ ownerUid: "uid-other", relatedOwnerUids: [], count: 3, nowMillis: startMillis })
    ).toEqual([])
  })
})
