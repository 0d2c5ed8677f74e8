import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { createOwnedPods } from "../../src/controllers/ownedPods.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { createObject, withCluster } from "../cluster/testCluster.ts"
import { quotaManifest } from "../builders.ts"
import type { EventRecorder } from "../../src/controllers/eventRecorder.ts"

const pod = {
  metadata: { generateName: "sums-", namespace: "default" },
  apiVersion: "v1",
  kind: "Pod",
  spec: { restartPolicy: "Never", containers: [{ name: "c", image: "x:1" }] }
}

const manifest = {
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "sums" },
  spec: { template: { metadata: { labels: { app: "x" } }, spec: pod.spec } }
}

/** Creates seven Pods; without the Job controller, which would try again. */
const createSeven = (quota: number) =>
  withCluster({ nodes: 0, behaviour: "manual", controllers: ["*", "-job-controller"] }, (cluster) =>
    Effect.gen(function* () {
      yield* createObject(cluster, quotaManifest({ pods: String(quota) }))
      yield* createObject(cluster, manifest)
      const job = yield* Effect.orDie(cluster.get({ resource: resources.jobs, name: "sums" }))
      const eventReasons: Array<string> = []
      const record: EventRecorder["record"] = ({ event }) =>
        Effect.sync(() => void eventReasons.push(event.reason))
      const refusal = yield* createOwnedPods(
        { store: cluster.store, view: cluster.view, events: { record } },
        { component: "job-controller", owner: job },
        Array.from({ length: 7 }, () => pod)
      ).pipe(Effect.match({ onSuccess: () => "nothing", onFailure: ({ message }) => message }))
      const pods = yield* cluster.list(resources.pods)
      return {
        created: pods.items.length,
        refused: eventReasons.filter((it) => it === "FailedCreate").length,
        refusal
      }
    })
  )

describe("seven Pods are created in batches of 1, 2 and 4", () => {
  const rows = [
    { quota: 0, created: 0, refused: 1, why: "the first is refused, and nothing more is tried" },
    { quota: 1, created: 1, refused: 2, why: "all of the second batch are tried, and nothing more" },
    { quota: 2, created: 2, refused: 1, why: "one of the second batch is refused" },
    { quota: 4, created: 4, refused: 3, why: "all of the third batch are tried" },
    { quota: 7, created: 7, refused: 0, why: "nothing is refused" }
  ]
  it.each(rows)("with room for $quota: $why", async ({ quota, created, refused }) => {
    const outcome = await createSeven(quota)
    expect(outcome).toMatchObject({ created, refused })
    expect(outcome.refusal).toMatch(refused === 0 ? /^nothing$/ : /exceeded quota/)
  })
})
