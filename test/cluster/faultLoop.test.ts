import { describe, expect, it } from "vitest"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { rolloutStatus } from "../../src/kubernetes/apps/rolloutStatus.ts"
import { isPodActive } from "../../src/kubernetes/pods/podState.ts"
import { controllerOf } from "../../src/kubernetes/meta/ownerReferences.ts"
import { conflict, forbidden, inFaultyWorld } from "./faults.ts"
import { aManifest } from "./worlds.ts"
import type { Draft } from "../../src/kubernetes/meta/objects.ts"
import type { Fault, FaultyWorld } from "./faults.ts"

/** A back-off of the longest kind would be over by then. */
const limitMillis = 4_000_000

/** A rollout and a second one over it, each to its end. */
const rollTwice = ({ timeline, store, view, run }: FaultyWorld): void => {
  const isComplete = (): boolean => {
    const deployment = view.get(resources.deployments, "default/web")
    return deployment !== undefined && rolloutStatus(deployment).state === "complete"
  }
  run(store.create(aManifest({ replicas: 3 })))
  timeline.kernel.advanceTo(limitMillis, isComplete)
  run(
    store.modify(
      { resource: resources.deployments, key: "default/web" },
      (object) => ({ ...object, spec: aManifest({ replicas: 4, version: "v2" }).spec }) as Draft
    )
  )
  timeline.kernel.advanceTo(2 * limitMillis, isComplete)
}

/** Every Pod that counts is owned, of the present revision, and counted once. */
const expectSane = ({ view }: FaultyWorld, where: string): void => {
  const deployment = view.get(resources.deployments, "default/web")
  if (deployment === undefined) throw new Error(`${where}: the Deployment is gone`)
  const active = [...view.all(resources.pods)].filter(isPodActive)
  const owners = new Set(active.map((pod) => controllerOf(pod)?.uid))
  const replicaSets = view.controlled(resources.replicaSets, deployment.metadata.uid)
  expect({
    where,
    state: rolloutStatus(deployment).state,
    pods: active.length,
    images: [...new Set(active.map((pod) => pod.spec.containers[0]?.image))],
    owners: replicaSets.filter(({ metadata }) => owners.has(metadata.uid)).length,
    replicaSets: replicaSets.length
  }).toEqual({
    where,
    state: "complete",
    pods: 4,
    images: ["registry.example/app:v2"],
    owners: 1,
    replicaSets: 2
  })
}

/** Fails the n-th write for n = 1, 2, … until a run meets no fault. */
const failEach = (fault: (n: number, met: () => void) => Fault): number => {
  for (let n = 1; n < 2000; n += 1) {
    let met = false
    inFaultyWorld({ fault: fault(n, () => (met = true)) }, (world) => {
      rollTwice(world)
      expectSane(world, `the write that failed: ${n}`)
    })
    if (!met) return n
  }
  throw new Error("there was no end to the writes")
}

describe("when one write of a controller fails", () => {
  for (const [kind, error] of [
    ["a conflict", conflict],
    ["a refusal", forbidden]
  ] as const) {
    it(`with ${kind}, wherever it is, the rollout still comes to its end`, () => {
      const runs = failEach((n, met) => (write) => {
        if (write !== n) return undefined
        met()
        return error()
      })
      expect(runs).toBeGreaterThan(100)
    })
  }

  it("and so do the nineteen after it, the rollout comes to its end all the same", () => {
    const starts = [1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 120]
    for (const start of starts) {
      inFaultyWorld(
        { fault: (write) => (write >= start && write < start + 20 ? forbidden() : undefined) },
        (world) => {
          rollTwice(world)
          expectSane(world, `the writes that failed: ${start} to ${start + 19}`)
        }
      )
    }
  })
})
