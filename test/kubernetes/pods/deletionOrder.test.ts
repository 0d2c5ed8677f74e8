import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  ageBucket,
  ageBucketEndMillis,
  deletionClass,
  parseDeletionCost
} from "../../../src/kubernetes/pods/deletionOrder.ts"
import { aContainerStatus, aPod, startMillis } from "../../builders.ts"
import { compareForDeletion } from "./slowDeletionOrder.ts"
import type { PodOptions } from "../../builders.ts"
import type { Pod } from "../../../src/kubernetes/meta/objects.ts"

const hour = 3_600
const month = 31 * 24 * hour
/** Seconds after the start at which Pods are compared. */
const nowSeconds = month
const nowMillis = startMillis + nowSeconds * 1000

interface Side extends PodOptions {
  readonly rank?: number
}

const compared = (a: Side, b: Side): number => {
  const ranked = ({ rank = 1, ...options }: Side) => ({ pod: aPod(options), rank })
  return compareForDeletion(ranked(a), ranked(b), nowMillis)
}

const unscheduled: Side = { name: "unscheduled", node: undefined, phase: "Pending" }
const pending: Side = { name: "pending", phase: "Pending" }
const unknown: Side = { name: "unknown-phase", phase: "Unknown" }
const notReady: Side = { name: "not-ready" }
const readyNoTime: Side = { name: "ready-no-time", ready: true, created: nowSeconds }
const readyNow: Side = { name: "ready-now", ready: nowSeconds, created: nowSeconds }
const readyThen: Side = { name: "ready-then", ready: 0, created: 0 }
const restarted: Side = { ...readyNow, name: "restarted", restarts: [9001] }
const readyNowCreatedThen: Side = { name: "ready-now-created-then", ready: nowSeconds, created: 0 }
const cheap: Side = { ...readyNowCreatedThen, name: "cheap", cost: "10" }
const expensive: Side = { ...readyNowCreatedThen, name: "dear", cost: "100" }
const ready2Hours: Side = { name: "ready-2-hours", ready: nowSeconds - 2 * hour, created: 0 }
const ready5Hours: Side = { name: "ready-5-hours", ready: nowSeconds - 5 * hour, created: 0 }

describe("the order of deletion of two Pods (TestSortingActivePodsWithRanks)", () => {
  it.each<{ readonly why: string; readonly first: Side; readonly second: Side }>([
    { why: "unscheduled before scheduled", first: unscheduled, second: pending },
    {
      why: "unscheduled before scheduled with a higher rank",
      first: { ...unscheduled, rank: 2 },
      second: { ...pending, rank: 3 }
    },
    { why: "Pending before Unknown", first: pending, second: { ...unknown, rank: 2 } },
    { why: "Unknown before Running", first: unknown, second: { ...notReady, rank: 2 } },
    { why: "not ready before ready", first: notReady, second: readyNoTime },
    { why: "ready at an unknown time before ready since now", first: readyNoTime, second: readyNow },
    { why: "higher rank before lower", first: { ...readyNow, rank: 2 }, second: readyNoTime },
    { why: "just ready before long ready", first: readyNow, second: readyThen },
    {
      why: "rank before the time of readiness",
      first: { ...readyThen, rank: 2 },
      second: readyNow
    },
    { why: "more restarts before fewer", first: restarted, second: readyNow },
    { why: "rank before restarts", first: { ...readyNow, rank: 2 }, second: restarted },
    { why: "young before old", first: readyNow, second: readyNowCreatedThen },
    { why: "rank before age", first: { ...readyNowCreatedThen, rank: 2 }, second: readyNow },
    { why: "low cost before high cost, whatever the rank", first: cheap, second: { ...expensive, rank: 2 } },
    {
      why: "a negative cost before 0",
      first: { ...expensive, cost: "-1" },
      second: { ...expensive, cost: "0" }
    },
    {
      why: "not ready before a lower cost",
      first: { ...notReady, cost: "100" },
      second: { ...cheap, rank: 9 }
    },
    {
      why: "ready for 2 hours before 5 hours, another power of two",
      first: ready2Hours,
      second: ready5Hours
    },
    {
      why: "the most restarts of one container, not their sum",
      first: { ...readyNow, name: "z", restarts: [0, 4] },
      second: { ...readyNow, name: "a", restarts: [3, 3, 3] }
    }
  ])("$why", ({ first, second }) => {
    expect(compared(first, second)).toBeLessThan(0)
    expect(compared(second, first)).toBeGreaterThan(0)
  })

  it.each<{ readonly side: Side }>(
    [unscheduled, pending, unknown, notReady, readyNow, readyThen, restarted, readyNowCreatedThen].map(
      (side) => ({ side })
    )
  )("$side.name equals itself", ({ side }) => {
    expect(compared(side, side)).toBe(0)
  })

  it("depends on the uid within one power of two, not on restarts or age", () => {
    const ready8Hours: Side = {
      name: "z",
      uid: "b",
      ready: nowSeconds - 8 * hour,
      created: nowSeconds - hour,
      restarts: [7]
    }
    expect(compared({ ...ready5Hours, uid: "a" }, ready8Hours)).toBeLessThan(0)
    expect(compared({ ...ready5Hours, uid: "c" }, ready8Hours)).toBeGreaterThan(0)
  })

  it("compares restarts of sidecars as a tie-breaker, not those of init containers", () => {
    const init = (restarts: number, sidecar: boolean): Pod => {
      const pod = aPod({ name: `r${restarts}`, ready: nowSeconds, created: nowSeconds, restarts: [2] })
      return {
        ...pod,
        spec: {
          ...pod.spec,
          initContainers: [{ name: "proxy", image: "i", ...(sidecar ? { restartPolicy: "Always" } : {}) }]
        } as Pod["spec"],
        status: {
          ...pod.status,
          initContainerStatuses: [aContainerStatus({ name: "proxy", restartCount: restarts })]
        }
      }
    }
    const compare = (a: Pod, b: Pod) =>
      compareForDeletion({ pod: a, rank: 0 }, { pod: b, rank: 0 }, nowMillis)
    expect(compare(init(5, true), init(3, true))).toBeLessThan(0)
    expect(compare(init(3, true), init(5, true))).toBeGreaterThan(0)
    expect(compare(init(5, false), init(3, false))).toBe(0)
    const moreRegular = aPod({ ready: nowSeconds, created: nowSeconds, restarts: [3] })
    expect(compare(moreRegular, init(99, true))).toBeLessThan(0)
  })
})

describe("a list of Pods (TestSortingActivePods)", () => {
  const inOrder: ReadonlyArray<Side> = [
    unscheduled,
    pending,
    unknown,
    notReady,
    { name: "no-time", ready: true, restarts: [3, 0], created: 0 },
    { name: "ready-now", ready: nowSeconds, restarts: [3, 0], created: 0 },
    { name: "ready-longer", ready: 0, restarts: [3, 0], created: 0 },
    { name: "fewer-restarts", ready: 0, restarts: [2, 1], created: nowSeconds },
    { name: "oldest", ready: 0, restarts: [2, 1], created: 0 }
  ]
  const seed = 20_260_507
  it(`sorts the same from any order (seed ${seed})`, () => {
    const shuffles = fc.shuffledSubarray([...inOrder], { minLength: inOrder.length })
    fc.assert(
      fc.property(shuffles, (shuffled) => {
        const names = [...shuffled].sort(compared).map(({ name }) => name)
        expect(names).toEqual(inOrder.map(({ name }) => name))
      }),
      { seed, numRuns: 40 }
    )
  })
})

describe("a deletion cost", () => {
  it.each([
    { text: "0", cost: 0 },
    { text: "-0", cost: -0 },
    { text: "17", cost: 17 },
    { text: "-17", cost: -17 },
    { text: "-017", cost: -17 },
    { text: "+17", cost: undefined },
    { text: "017", cost: undefined },
    { text: "1.5", cost: undefined },
    { text: "seventeen", cost: undefined },
    { text: "-", cost: undefined },
    { text: "", cost: undefined },
    { text: "2147483647", cost: 2147483647 },
    { text: "-2147483648", cost: -2147483648 },
    { text: "2147483648", cost: undefined },
    { text: "-2147483649", cost: undefined }
  ])("parses '$text' as $cost", ({ text, cost }) => {
    expect(parseDeletionCost(text)).toBe(cost)
  })

  it.each([{ cost: "+17" }, { cost: "017" }, { cost: "" }, {}])(
    "counts as 0 when it is invalid: $cost",
    (options) => {
      expect(deletionClass(aPod(options))).toBe(deletionClass(aPod({ cost: "0" })))
      expect(deletionClass(aPod(options))).toBeLessThan(deletionClass(aPod({ cost: "1" })))
    }
  )

  it("does not keep an unready Pod before a ready one", () => {
    expect(compared({ ...notReady, cost: "2147483647" }, { ...readyNow, cost: "-2147483648" })).toBeLessThan(
      0
    )
  })
})

describe("the age of a Pod in powers of two of nanoseconds", () => {
  it.each([
    { seconds: 0, bucket: -1, why: "no age" },
    { seconds: -3, bucket: -1, why: "negative age" },
    { seconds: 0.001, bucket: 19, why: "1 000 000 ns" },
    { seconds: 1, bucket: 29, why: "2^29 is 0.54 s" },
    { seconds: 2, bucket: 30, why: "2^30 is 1.07 s" },
    { seconds: 3, bucket: 31, why: "2^31 is 2.15 s" },
    { seconds: 2 * hour, bucket: 42, why: "2^42 is 1 h 13 min" },
    { seconds: 5 * hour, bucket: 44, why: "2^44 is 4 h 53 min" },
    { seconds: 8 * hour, bucket: 44, why: "still less than 9 h 46 min" }
  ])("is in bucket $bucket after $seconds s: $why", ({ seconds, bucket }) => {
    expect(ageBucket(nowMillis - seconds * 1000, nowMillis)).toBe(bucket)
  })

  it("is -1 without a time", () => {
    expect(ageBucket(undefined, nowMillis)).toBe(-1)
  })

  const seed = 20_260_508
  it(`leaves its bucket exactly at the predicted end (seed ${seed})`, () => {
    const ages = fc.integer({ min: -5, max: 2 ** 40 })
    fc.assert(
      fc.property(ages, (age) => {
        const since = startMillis
        const at = since + age
        const end = ageBucketEndMillis(since, at)
        const bucket = ageBucket(since, at)
        expect(end).toBeGreaterThan(at)
        const last = Math.ceil(end) - 1
        expect(ageBucket(since, Math.max(at, last))).toBe(bucket)
        expect(ageBucket(since, last + 1)).toBeGreaterThan(bucket)
      }),
      { seed, numRuns: 2_000 }
    )
  })
})
