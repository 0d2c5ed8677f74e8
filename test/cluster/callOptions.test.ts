import { expect, it } from "vitest"
import { runStory } from "../../src/scenario/stories/stories.ts"
import { InvalidOptions } from "../../src/options/invalidOptions.ts"
import { BadRequest, readSnapshot, snapshotText, UnreadableSnapshot } from "../../src/index.ts"
import { startCluster } from "../../src/testing/testing.ts"
import { deploymentManifest } from "./testCluster.ts"
import type { ConfigMap } from "../../src/index.ts"
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
    call: "get, of no name",
    says: "get needs a name",
    make: ({ cluster }) => cluster.get({ resource: "pods" } as never)
  },
  {
    call: "delete, of a name that is a number",
    says: "name must be text, not 3",
    make: ({ cluster }) => cluster.delete({ ...web, name: 3 as never })
  },
  {
    call: "patch, of a namespace that is a list",
    says: 'namespace must be text, not ["shop"]',
    make: ({ cluster }) => cluster.patch({ ...web, namespace: ["shop"] as never }, { spec: { replicas: 9 } })
  },
  {
    call: "events, of a name",
    says: 'events takes an object\'s metadata, or another object with its uid, not "web"',
    make: ({ cluster }) => cluster.events("web" as never)
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

const wrongArguments: ReadonlyArray<{
  readonly why: string
  readonly error: new (...args: never) => Error
  readonly says: string
  readonly make: (started: StartedCluster) => unknown
}> = [
  {
    why: "labels in place of a selector, which would select everything",
    error: TypeError,
    says: 'labelSelector must be text such as "app=web", or { matchLabels, matchExpressions }, not {"app":"no"}',
    make: ({ cluster }) => cluster.list("pods", { labelSelector: { app: "no" } as never })
  },
  {
    why: "a namespace that is no text",
    error: TypeError,
    says: "namespace must be text, not 3",
    make: ({ cluster }) => cluster.list("pods", { namespace: 3 as never })
  },
  {
    why: "a version that is no number",
    error: BadRequest,
    says: 'Invalid value: "latest": strconv.ParseUint: parsing "latest": invalid syntax',
    make: ({ cluster }) => cluster.watch("pods", { resourceVersion: "latest" })[Symbol.asyncIterator]().next()
  },
  {
    why: "no name of a rollout",
    error: TypeError,
    says: "Job, not undefined",
    make: ({ cluster }) => cluster.rollout(undefined as never)
  },
  {
    why: "a promise, which eventually cannot ask again",
    error: TypeError,
    says: "eventually needs a function, which it calls again and again, not a promise",
    make: ({ cluster, eventually }) => eventually(cluster.get(web) as never)
  },
  {
    why: "a value in place of an assertion",
    error: TypeError,
    says: "consistently needs a function, which it calls again and again, not true",
    make: ({ consistently }) => consistently(true as never)
  },
  {
    why: "a snapshot that has not been awaited",
    error: TypeError,
    says: "snapshotText takes a snapshot, which cluster.snapshot() resolves with",
    make: ({ cluster }) => snapshotText(cluster.snapshot() as never)
  },
  {
    why: "the bytes of a snapshot's file",
    error: UnreadableSnapshot,
    says: "it is no text: read the file as utf8",
    make: () => readSnapshot(Buffer.from("{}") as never)
  }
]

it.each(wrongArguments)("$why is refused, and no time passes", async ({ make, error, says }) => {
  await using started = await startCluster()
  await started.cluster.apply(deploymentManifest({ replicas: 3 }))
  const call = (async () => make(started))()
  await expect(call).rejects.toThrow(error)
  await expect(call).rejects.toThrow(says)
  expect(started.cluster.now().toISOString()).toBe("2026-01-01T00:00:00.000Z")
})

it("create and update take a manifest as JSON would send it, as apply does", async () => {
  await using world = await startCluster()
  const manifest = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "settings", labels: undefined },
    data: { left: undefined, since: new Date(0) as never as string }
  }
  const { metadata, data } = (await world.cluster.create(manifest as never)) as ConfigMap
  expect({ labels: metadata.labels, data }).toEqual({
    labels: undefined,
    data: { since: "1970-01-01T00:00:00.000Z" }
  })
})

it("until refuses a condition that returns a promise", async () => {
  await using world = await startCluster()
  const call = world.cluster.until((async () => false) as never, "1m")
  await expect(call).rejects.toThrow("must return true or false, not a promise: use eventually")
  await world.cluster.advance("1m")
  expect(world.cluster.now().toISOString()).toBe("2026-01-01T00:01:00.000Z")
})
