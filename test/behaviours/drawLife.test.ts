import * as fc from "fast-check"
import { expect, test } from "vitest"
import type { Behaviour, Delay } from "../../src/behaviours/behaviour.ts"
import { instant, manual, steady } from "../../src/behaviours/builtInBehaviours.ts"
import { drawLife } from "../../src/behaviours/drawLife.ts"
import { everything } from "./behaviourDocuments.ts"

const seed = 20_261
const uidOf = (index: number) => `6f9619ff-8b86-d011-b42d-${String(index).padStart(12, "0")}`

test("draws the delays of steady within their bounds and over their whole width", () => {
  const lives = Array.from({ length: 3_000 }, (_, index) => drawLife(steady, seed, uidOf(index)))
  const spread = (millisOf: (life: (typeof lives)[number]) => number) => {
    const drawn = lives.map(millisOf)
    return [Math.min(...drawn), Math.max(...drawn)]
  }
  expect(spread((life) => life.scheduleMillis)).toEqual([5, 30])
  for (const { drawn, bounds } of [
    { drawn: spread((life) => life.otherContainers.pullMillis), bounds: [300, 1200] },
    { drawn: spread((life) => life.otherContainers.startMillis), bounds: [100, 400] },
    { drawn: spread((life) => life.otherContainers.readyMillis), bounds: [200, 900] },
    { drawn: spread((life) => life.terminateMillis), bounds: [200, 1500] }
  ]) {
    const [min = 0, max = 0] = bounds
    expect(drawn[0]).toBeGreaterThanOrEqual(min)
    expect(drawn[0]).toBeLessThan(min + 5)
    expect(drawn[1]).toBeLessThanOrEqual(max)
    expect(drawn[1]).toBeGreaterThan(max - 5)
  }
})

test("gives every Pod the same frozen life without delays for instant", () => {
  const life = drawLife(instant, seed, uidOf(1))
  expect(life).toEqual({
    mover: "kubelet",
    scheduleMillis: 0,
    terminateMillis: 0,
    containers: {},
    otherContainers: {
      pullMillis: 0,
      pullFailures: 0,
      pullError: "manifest unknown",
      startMillis: 0,
      readyMillis: 0,
      exit: undefined,
      flap: undefined,
      hangMillis: undefined
    }
  })
  expect(drawLife(instant, seed + 1, uidOf(2))).toBe(life)
  expect(Object.isFrozen(life.otherContainers)).toBe(true)
})

test("lets the user move the Pods of manual and adds no delay", () => {
  expect(drawLife(manual, seed, uidOf(1))).toEqual({ ...drawLife(instant, seed, uidOf(1)), mover: "you" })
})

test("draws one life without distributions, and many with a single one", () => {
  const fixed: Behaviour = {
    ...instant,
    name: "fixed",
    ready: "3s",
    containers: { app: { flap: { ready: "1s", unready: "1s" } } }
  }
  expect(drawLife(fixed, seed, uidOf(1))).toBe(drawLife(fixed, seed, uidOf(2)))
  const free: Behaviour = { ...fixed, containers: { app: { hang: { exponential: { mean: "1h" } } } } }
  expect(drawLife(free, seed, uidOf(1))).not.toEqual(drawLife(free, seed, uidOf(2)))
  expect(drawLife(free, seed, uidOf(1)).otherContainers).toBe(drawLife(free, seed, uidOf(2)).otherContainers)
})

test("takes a missing field from the Pod's other fields first, then from steady", () => {
  const behaviour: Behaviour = {
    name: "slow-app",
    schedule: "1s",
    pull: { delay: "2s", failures: 3, error: "denied" },
    exit: { after: "9s" },
    containers: {
      app: { pull: { failures: "forever" }, start: "7ms" },
      job: { exit: { after: "1s", code: 0 } }
    }
  }
  const life = drawLife(behaviour, seed, uidOf(3))
  const { app, job } = life.containers
  expect(life.scheduleMillis).toBe(1_000)
  expect(life.otherContainers).toMatchObject({ pullMillis: 2_000, pullFailures: 3, pullError: "denied" })
  expect(app).toMatchObject({
    pullMillis: 2_000,
    pullFailures: Infinity,
    pullError: "denied",
    startMillis: 7
  })
  expect(app?.exit).toEqual({ afterMillis: 9_000, code: 1, reason: "Error", times: Infinity })
  expect(job?.exit).toEqual({ afterMillis: 1_000, code: 0, reason: "Completed", times: Infinity })
  expect(job?.readyMillis).toBeGreaterThanOrEqual(200)
  expect(job?.readyMillis).toBeLessThanOrEqual(900)
})

test.each([
  { exit: { after: "1s" }, status: "1 Error", why: "an exit is a crash by default" },
  { exit: { after: "1s", code: 3 }, status: "3 Error", why: "the reason follows from the code" },
  { exit: { after: "1s", code: 0 }, status: "0 Completed", why: "exit code 0 means Completed" },
  { exit: { after: "1s", code: 137 }, status: "137 Error", why: "SIGKILL alone is not OOMKilled" },
  {
    exit: { after: "1s", reason: "OOMKilled" },
    status: "137 OOMKilled",
    why: "the code follows from OOMKilled"
  },
  {
    exit: { after: "1s", reason: "Completed" },
    status: "0 Completed",
    why: "the code follows from Completed"
  }
] as const)("$exit ends with $status: $why", ({ exit, status }) => {
  const life = drawLife({ ...instant, name: "ends", exit }, seed, uidOf(1)).otherContainers
  expect(`${life.exit?.code} ${life.exit?.reason}`).toBe(status)
})

test("finds by name only the containers that the behaviour names", () => {
  const { containers } = drawLife({ name: "named", containers: { app: { ready: "1s" } } }, seed, uidOf(1))
  expect(containers["app"]?.readyMillis).toBe(1_000)
  expect(containers["constructor"]).toBeUndefined()
  expect(drawLife(steady, seed, uidOf(1)).containers["constructor"]).toBeUndefined()
})

test("takes at least a millisecond for a flap whose delays may be zero", () => {
  const flap = { ready: { uniform: ["0s", "1ms"] }, unready: { uniform: ["0s", "1ms"] } } as const
  for (let index = 0; index < 100; index++) {
    const life = drawLife({ ...instant, name: "quick", flap }, seed, uidOf(index)).otherContainers.flap
    expect((life?.readyMillis ?? 0) + (life?.unreadyMillis ?? 0)).toBeGreaterThan(0)
  }
})

test("draws a life from seed and uid alone, whatever Pods came before", () => {
  const uids = fc.uniqueArray(fc.uuid(), { minLength: 2, maxLength: 20 })
  fc.assert(
    fc.property(fc.integer(), uids, (seed, uids) => {
      const all = (order: ReadonlyArray<string>) => {
        const behaviour: Behaviour = { name: "flaky", ...everything }
        return new Map(order.map((uid) => [uid, drawLife(behaviour, seed, uid)]))
      }
      const forwards = all(uids)
      const backwards = all(uids.toReversed())
      for (const uid of uids) expect(backwards.get(uid)).toEqual(forwards.get(uid))
    }),
    { seed: 5 }
  )
})

test("draws the same life whatever the order of the containers in the file", () => {
  const app = { start: { exponential: { mean: "3s" } } } as const
  const log = { start: { uniform: ["1s", "9s"] } } as const
  for (let index = 0; index < 50; index++) {
    expect(drawLife({ name: "a", containers: { app, log } }, seed, uidOf(index))).toEqual(
      drawLife({ name: "b", containers: { log, app } }, seed, uidOf(index))
    )
  }
})

test.each([
  { seeds: [1, 2], why: "neighbours" },
  { seeds: [0, 2 ** 32], why: "equal in their lower 32 bits" },
  { seeds: [7, -7], why: "opposite" }
])("draws other lives for seeds that are $why", ({ seeds }) => {
  const [one = 0, other = 0] = seeds
  const delays = (seed: number) => Array.from({ length: 9 }, (_, pod) => drawLife(steady, seed, uidOf(pod)))
  expect(delays(one)).not.toEqual(delays(other))
})

const draws = 2_000
const drawMany = (ready: Delay): ReadonlyArray<number> => {
  const behaviour: Behaviour = { ...instant, name: "drawn", ready }
  return Array.from({ length: draws }, (_, index) => {
    return drawLife(behaviour, seed, uidOf(index)).otherContainers.readyMillis
  })
}
const meanOf = (values: ReadonlyArray<number>) =>
  values.reduce((sum, value) => sum + value, 0) / values.length
const deviationOf = (values: ReadonlyArray<number>) => {
  const mean = meanOf(values)
  return Math.sqrt(meanOf(values.map((value) => (value - mean) ** 2)))
}

test.each<{ delay: Delay; mean: number; deviation: number; why: string }>([
  { delay: { uniform: ["1s", "3s"] }, mean: 2_000, deviation: 577, why: "the width over the root of 12" },
  {
    delay: { normal: { mean: "5s", deviation: "700ms" } },
    mean: 5_000,
    deviation: 700,
    why: "the given mean and deviation"
  },
  {
    delay: { normal: { mean: "0s", deviation: "1s" } },
    mean: 399,
    deviation: 584,
    why: "the negative half is cut off at 0"
  },
  {
    delay: { exponential: { mean: "1300ms" } },
    mean: 1_300,
    deviation: 1_300,
    why: "the mean equals the deviation"
  },
  { delay: "1234ms", mean: 1_234, deviation: 0, why: "a fixed delay" },
  { delay: { normal: { mean: "3s", deviation: "0s" } }, mean: 3_000, deviation: 0, why: "no deviation" },
  { delay: { uniform: ["3s", "3s"] }, mean: 3_000, deviation: 0, why: "equal bounds" }
])("$delay has a mean of $mean and a deviation of $deviation ms: $why", ({ delay, mean, deviation }) => {
  const drawn = drawMany(delay)
  const margin = (4 * deviation) / Math.sqrt(draws)
  expect(Math.abs(meanOf(drawn) - mean)).toBeLessThanOrEqual(margin)
  expect(Math.abs(deviationOf(drawn) - deviation)).toBeLessThanOrEqual(2 * margin)
})

test("draws the delays of one Pod independently of each other", () => {
  const lives = Array.from({ length: draws }, (_, index) => drawLife(steady, seed, uidOf(index)))
  const pulls = lives.map((life) => life.otherContainers.pullMillis)
  const starts = lives.map((life) => life.otherContainers.startMillis)
  const covariance =
    meanOf(pulls.map((pull, index) => pull * (starts[index] ?? 0))) - meanOf(pulls) * meanOf(starts)
  expect(Math.abs(covariance / (deviationOf(pulls) * deviationOf(starts)))).toBeLessThan(0.08)
})

test("draws whole milliseconds within the bounds, whatever the bounds", () => {
  const bounds = fc.tuple(fc.nat({ max: 100_000 }), fc.nat({ max: 100_000 }))
  fc.assert(
    fc.property(bounds, fc.integer(), fc.uuid(), ([one, other], seed, uid) => {
      const [min, max] = one < other ? [one, other] : [other, one]
      const schedule = { uniform: [`${min}ms`, `${max}ms`] } as const
      const hang = { normal: { mean: `${min}ms`, deviation: `${max}ms` } } as const
      const life = drawLife(
        { name: "any", schedule, hang, terminate: { exponential: { mean: `${max}ms` } } },
        seed,
        uid
      )
      expect(life.scheduleMillis).toBeGreaterThanOrEqual(min)
      expect(life.scheduleMillis).toBeLessThanOrEqual(max)
      for (const millis of [
        life.scheduleMillis,
        life.terminateMillis,
        life.otherContainers.hangMillis ?? -1
      ]) {
        expect(Number.isSafeInteger(millis) && millis >= 0 && !Object.is(millis, -0)).toBe(true)
      }
    }),
    { seed: 11 }
  )
})

test("throws for a malformed delay that was not validated", () => {
  expect(() => drawLife({ name: "unchecked", ready: "soon" }, seed, uidOf(1))).toThrow(
    '"soon" is not the duration'
  )
})
