import * as fc from "fast-check"
import { aPod, startMillis } from "../../builders.ts"
import { compareForDeletion } from "../../kubernetes/pods/slowDeletionOrder.ts"
import type { Pod } from "../../../src/kubernetes/meta/objects.ts"
import type { PodOptions } from "../../builders.ts"

/** Pods drawn for all rules of the deletion order; times are seconds after the start. */
export const somePodOptions = fc
  .record({
    node: fc.constantFrom("n1", "n2", "n3", undefined),
    phase: fc.constantFrom("Pending", "Running", "Running", "Running", "Unknown"),
    readyAfter: fc.option(fc.nat(60), { nil: undefined }),
    knowsSince: fc.constantFrom(true, true, true, true, false),
    created: fc.nat(600),
    restarts: fc.array(fc.nat(2), { maxLength: 2 }),
    cost: fc.constantFrom(undefined, undefined, undefined, undefined, "-5", "7", "x")
  })
  .map(({ readyAfter, knowsSince, created, cost, node, ...rest }): PodOptions => ({
    ...rest,
    node,
    created,
    ...(readyAfter === undefined ? {} : { ready: knowsSince ? created + readyAfter : true }),
    ...(cost === undefined ? {} : { cost })
  }))

/** uids that do not ascend with age. */
export const unorderedUid = (index: number): string => `${((index * 7_919) % 9_973) + 10_000}-${index}`

export const numberedPod = (options: PodOptions, index: number): Pod =>
  aPod({ ...options, name: `p${index}`, uid: unorderedUid(index) })

/**
 * The order by sorting. Undefined where the rules are circular: some Pods became ready in the same second
 * and others in the same power of two, so that no order is correct.
 */
export const sortForDeletion = (
  pods: ReadonlyArray<Pod>,
  rankOf: (node: string) => number,
  seconds: number
): ReadonlyArray<Pod> | undefined => {
  const nowMillis = startMillis + seconds * 1000
  const ranked = (pod: Pod) => ({ pod, rank: rankOf(pod.spec.nodeName ?? "") })
  const compare = (a: Pod, b: Pod): number =>
    compareForDeletion(ranked(a), ranked(b), nowMillis) || (a.metadata.uid < b.metadata.uid ? -1 : 1)
  const sorted = [...pods].sort(compare)
  const isOrdered = sorted.every((a, place) => sorted.slice(place + 1).every((b) => compare(a, b) < 0))
  return isOrdered ? sorted : undefined
}

export const namesOf = (pods: ReadonlyArray<Pod>): ReadonlyArray<string> =>
  pods.map(({ metadata }) => metadata.name)
