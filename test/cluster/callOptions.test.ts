import { expect, it } from "vitest"
import { runStory } from "../../src/scenario/stories/stories.ts"
import { InvalidOptions } from "../../src/options/invalidOptions.ts"
import { startCluster } from "../../src/testing/testing.ts"
import { deploymentManifest } from "./testCluster.ts"
import type { StartedCluster } from "../../src/testing/testing.ts"

const web = { resource: "deployments.apps", name: "web" } as const
const misspeltOption = { ...web, namspace: "shop" }

const rows: ReadonlyArray<{
  readonly call: string
  readonly says: string
  readonly make: (started: StartedCluster) => unknown
}> = [
  {
    call: "get",
    says: "namspace is no option of get: did you mean namespace?",
    make: ({ cluster }) => cluster.get(misspeltOption)
  },
  {
    call: "patch, of an object",
    says: "namspace is no option of patch: did you mean namespace?",
    make: ({ cluster }) => cluster.patch(misspeltOption, { spec: { replicas: 9 } })
  },
  {
    call: "patch",
    says: "stauts is no option of patch: did you mean status?",
    make: ({ cluster }) => cluster.patch(web, { spec: { replicas: 9 } }, { stauts: true } as never)
  },
  {
    call: "delete",
    says: "namspace is no option of delete: did you mean namespace?",
    make: ({ cluster }) => cluster.delete(misspeltOption)
  },
  {
    call: "delete, of how",
    says: "propagationPolcy is no option of delete: did you mean propagationPolicy?",
    make: ({ cluster }) => cluster.delete(web, { propagationPolcy: "Orphan" } as never)
  },
  {
    call: "why",
    says: "namspace is no option of why: did you mean namespace?",
    make: ({ cluster }) => cluster.why(misspeltOption)
  },
  {
    call: "list",
    says: "labelselector is no option of list: did you mean labelSelector?",
    make: ({ cluster }) => cluster.list("pods", { labelselector: "app=no" } as never)
  },
  {
    call: "list, told nothing that has a name",
    says: 'the options of list must be an object, not "shop"',
    make: ({ cluster }) => cluster.list("pods", "shop" as never)
  },
  {
    call: "watch",
    says: "labels is no option of watch: the options are namespace, labelSelector,",
    make: ({ cluster }) => cluster.watch("pods", { labels: "app=no" } as never)
  },
  {
    call: "rollout",
    says: "within is no option of rollout: the options are namespace, limit",
    make: ({ cluster }) => cluster.rollout("web", { within: "1ms" } as never)
  },
  {
    call: "eventually",
    says: "timeout is no option of eventually: the options are every, quiet, within",
    make: ({ eventually }) => eventually(() => true, { timeout: "1s" } as never)
  },
  {
    call: "consistently",
    says: "within is no option of consistently: the options are every, quiet, for",
    make: ({ consistently }) => consistently(() => true, { within: "1s" } as never)
  },
  {
    call: "rolledOut",
    says: "limit is no option of rolledOut: the options are namespace, within",
    make: ({ rolledOut }) => rolledOut("web", { limit: "1s" } as never)
  },
  {
    call: "runStory",
    says: "sed is no option of runStory: did you mean seed?",
    make: () =>
      runStory(
        { name: "short", manifests: [deploymentManifest({})], steps: [] } as never,
        { sed: 7 } as never
      )
  }
]

it.each(rows)("$call refuses invalid options, and changes nothing", async ({ make, says }) => {
  await using started = await startCluster()
  await started.cluster.apply(deploymentManifest({ replicas: 3 }))
  const call = (async () => make(started))()
  await expect(call).rejects.toThrow(InvalidOptions)
  await expect(call).rejects.toThrow(says)
  expect((await started.cluster.get(web)).spec.replicas).toBe(3)
  expect(started.cluster.now().toISOString()).toBe("2026-01-01T00:00:00.000Z")
})

it("until refuses a condition that returns a promise", async () => {
  await using world = await startCluster()
  const call = world.cluster.until((async () => false) as never, "1m")
  await expect(call).rejects.toThrow("must return true or false, not a promise: use eventually")
  await world.cluster.advance("1m")
  expect(world.cluster.now().toISOString()).toBe("2026-01-01T00:01:00.000Z")
})
