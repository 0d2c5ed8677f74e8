import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makeDeletionQueue } from "../../../src/store/indexes/deletionQueue.ts"
import { aPod, startMillis } from "../../builders.ts"
import { namesOf, numberedPod, sortForDeletion, somePodOptions } from "./podArbitraries.ts"
import type { Pod } from "../../../src/kubernetes/meta/objects.ts"

const seed = 20_260_510

const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ add: somePodOptions }) },
    { weight: 2, arbitrary: fc.record({ remove: fc.nat(99) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        wait: fc.oneof(fc.nat(40), fc.nat(90_000)),
        count: fc.integer({ min: 1, max: 9 })
      })
    }
  ),
  { minLength: 1, maxLength: 60 }
)
const ranks = fc.record({ n1: fc.nat(3), n2: fc.nat(3), n3: fc.nat(3), none: fc.nat(3) })

describe(`a deletion queue gives the same Pods as sorting (seed ${seed})`, () => {
  it("while Pods are added, removed and grow older", () => {
    let [compared, circular] = [0, 0]
    fc.assert(
      fc.property(steps, ranks, (drawn, { none, ...byNode }) => {
        const podCountOn = (node: string): number => new Map(Object.entries(byNode)).get(node) ?? none
        const queue = makeDeletionQueue()
        let pods: ReadonlyArray<Pod> = []
        let seconds = 600
        for (const [index, step] of drawn.entries()) {
          if ("add" in step) {
            const pod = numberedPod(step.add, index)
            pods = [...pods, pod]
            queue.add(pod)
          } else if ("remove" in step) {
            const gone = pods[step.remove % Math.max(1, pods.length)]
            if (gone === undefined) continue
            pods = pods.filter((pod) => pod !== gone)
            queue.remove(gone)
          } else {
            seconds += step.wait
            const { count } = step
            const chosen = queue.firstPods({ count, nowMillis: startMillis + seconds * 1000, podCountOn })
            expect(chosen).toHaveLength(Math.min(count, pods.length))
            expect(new Set(chosen).size).toBe(chosen.length)
            const expected = sortForDeletion(pods, podCountOn, seconds)
            if (expected === undefined) circular += 1
            else {
              compared += 1
              expect(namesOf(chosen)).toEqual(namesOf(expected.slice(0, count)))
            }
          }
        }
      }),
      { seed, numRuns: 2_000 }
    )
    // Most drawn Pods must have an unambiguous order.
    expect(compared).toBeGreaterThan(4 * circular)
    expect(compared).toBeGreaterThan(2_000)
  })
})

describe("a deletion queue", () => {
  const all = { count: 99, nowMillis: startMillis, podCountOn: () => 0 }

  it("without Pods gives none", () => {
    expect(makeDeletionQueue().firstPods(all)).toEqual([])
  })

  it("keeps the Pods that it gives until they are removed", () => {
    const queue = makeDeletionQueue()
    const pods = [aPod({ name: "a" }), aPod({ name: "b" })]
    for (const pod of pods) queue.add(pod)
    expect(queue.firstPods({ ...all, count: 1 })).toEqual(queue.firstPods({ ...all, count: 1 }))
    for (const pod of pods) queue.remove(pod)
    expect(queue.firstPods(all)).toEqual([])
  })

  it("ignores the removal of an unknown Pod", () => {
    const queue = makeDeletionQueue()
    queue.add(aPod({ name: "a" }))
    queue.remove(aPod({ name: "b" }))
    queue.remove(aPod({ name: "c", node: "elsewhere" }))
    expect(namesOf(queue.firstPods(all))).toEqual(["a"])
  })

  it("orders by the rank of each call", () => {
    const queue = makeDeletionQueue()
    for (const node of ["n1", "n2"]) queue.add(aPod({ name: node, node, ready: 0 }))
    const crowded = (name: string) => ({
      ...all,
      count: 1,
      podCountOn: (node: string) => (node === name ? 2 : 1)
    })
    expect(namesOf(queue.firstPods(crowded("n1")))).toEqual(["n1"])
    expect(namesOf(queue.firstPods(crowded("n2")))).toEqual(["n2"])
  })

  it("reorders Pods when their ages leave a common power of two", () => {
    const queue = makeDeletionQueue()
    queue.add(aPod({ name: "older", uid: "a", ready: 0 }))
    queue.add(aPod({ name: "younger", uid: "b", ready: 1 }))
    const firstAt = (seconds: number) =>
      namesOf(queue.firstPods({ ...all, count: 1, nowMillis: startMillis + seconds * 1000 }))
    // 2^33 ns are 8.6 s: at 8 s both have the same bucket and the uid decides; at 9 s only the older has left it.
    expect(firstAt(8)).toEqual(["older"])
    expect(firstAt(9)).toEqual(["younger"])
    expect(firstAt(10)).toEqual(["older"])
  })
})
