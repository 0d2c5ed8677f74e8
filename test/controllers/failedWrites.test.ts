import { describe, expect, it } from "vitest"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { rolloutStatus } from "../../src/kubernetes/apps/rolloutStatus.ts"
import { isPodActive } from "../../src/kubernetes/pods/podState.ts"
import { controllerOf } from "../../src/kubernetes/meta/ownerReferences.ts"
import { conflict, forbidden, withFaultyControlPlane } from "./faultyControlPlane.ts"
import { deploymentManifest } from "../cluster/testCluster.ts"
import type { Draft } from "../../src/kubernetes/meta/objects.ts"
import type { WriteFault, FaultyControlPlane } from "./faultyControlPlane.ts"

const limitMillis = 4_000_000

const rollTwice = ({ timeline, store, view, run }: FaultyControlPlane): void => {
  const isComplete = (): boolean => {
    const deployment = view.get(resources.deployments, "default/web")
    return deployment !== undefined && rolloutStatus(deployment).state === "complete"
  }
  run(store.create(deploymentManifest({ replicas: 3 })))
  timeline.kernel.advanceTo(limitMillis, isComplete)
  run(
    store.modify(
      { resource: resources.deployments, key: "default/web" },
      (object) => ({ ...object, spec: deploymentManifest({ replicas: 4, version: "v2" }).spec }) as Draft
    )
  )
  timeline.kernel.advanceTo(2 * limitMillis, isComplete)
}

/** Checks that all active Pods are owned, of the current revision, and as many as desired. */
const expectConsistent = ({ view }: FaultyControlPlane, where: string): void => {
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

/** Fails the n-th write for n = 1, 2, … until a run has fewer than n writes. */
const failEachWrite = (fault: (n: number, met: () => void) => WriteFault): number => {
  for (let n = 1; n < 2000; n += 1) {
    let met = false
    withFaultyControlPlane({ fault: fault(n, () => (met = true)) }, (controlPlane) => {
      rollTwice(controlPlane)
      expectConsistent(controlPlane, `the write that failed: ${n}`)
    })
    if (!met) return n
  }
  throw new Error("there was no end to the writes")
}

describe("a rollout", () => {
  for (const [kind, error] of [
    ["a conflict", conflict],
    ["a refusal", forbidden]
  ] as const) {
    it(`completes after a failure of any single write with ${kind}`, () => {
      const runs = failEachWrite((n, met) => (write) => {
        if (write !== n) return undefined
        met()
        return error()
      })
      expect(runs).toBeGreaterThan(100)
    })
  }

  it("completes after twenty failed writes in a row", () => {
    const starts = [1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 120]
    for (const start of starts) {
      withFaultyControlPlane(
        { fault: (write) => (write >= start && write < start + 20 ? forbidden() : undefined) },
        (controlPlane) => {
          rollTwice(controlPlane)
          expectConsistent(controlPlane, `the writes that failed: ${start} to ${start + 19}`)
        }
      )
    }
  })
})
