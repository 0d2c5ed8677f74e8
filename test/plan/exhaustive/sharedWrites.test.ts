import * as Effect from "effect/Effect"
import { afterEach, describe, expect, it, vi } from "vitest"
import { rolloutStatus } from "../../../src/kubernetes/apps/rolloutStatus.ts"
import { resources } from "../../../src/kubernetes/meta/kinds.ts"
import { createObject, deploymentManifest, replaceSpec, withCluster } from "../../cluster/testCluster.ts"
import { claimAbout, exploredRollout } from "./exploredRollouts.ts"
import type * as DeploymentWrites from "../../../src/kubernetes/apps/deploymentWrites.ts"

/** What is proved is proved of the writes that a cluster carries out: one that goes wrong is noticed by both. */

const { rule } = vi.hoisted(() => ({ rule: { isBroken: false } }))

vi.mock("../../../src/kubernetes/apps/deploymentWrites.ts", async (load) => {
  const writes = await load<typeof DeploymentWrites>()
  return {
    ...writes,
    deploymentWrite: (...[command]: Parameters<typeof writes.deploymentWrite>) =>
      writes.deploymentWrite(
        rule.isBroken && command.type === "scaleReplicaSet"
          ? { ...command, replicasTo: command.replicasFrom }
          : command
      )
  }
})

afterEach(() => {
  rule.isBroken = false
})

const rolloutInCluster = () =>
  withCluster({ seed: 1 }, (cluster) =>
    Effect.gen(function* () {
      yield* createObject(cluster, deploymentManifest({ replicas: 2 }))
      yield* cluster.settle()
      yield* replaceSpec(cluster, deploymentManifest({ replicas: 2, version: "v2" }))
      yield* cluster.settle()
      const deployment = cluster.view.get(resources.deployments, "default/web")
      return deployment === undefined ? undefined : rolloutStatus(deployment).state
    })
  )

describe("a scaling that keeps the size", () => {
  it.each([
    { isBroken: false, end: "proved", state: "complete" },
    { isBroken: true, end: "broken", state: "failed" }
  ])("ends the rollout in the search and in a cluster alike: broken $isBroken", async (row) => {
    rule.isBroken = row.isBroken
    const { verdict } = claimAbout(exploredRollout({ replicas: 2, surge: 1, unavailable: 0 }), "end")
    expect({ end: verdict, state: await rolloutInCluster() }).toEqual({ end: row.end, state: row.state })
  })
})
