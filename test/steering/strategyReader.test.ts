import * as Effect from "effect/Effect"
import { expect, it, vi } from "vitest"
import { webDeployment } from "./steeredShop.ts"
import type * as Library from "../../src/index.ts"
import type { OpenCluster, OpenOptions } from "../../src/index.ts"

type Library = typeof Library

const steered = webDeployment("canary:\n  steps:\n    - approve: 1\n    - hold: 5m\n", {
  isGated: true,
  spec: { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }
})
const unsteered = webDeployment(undefined)
const other = {
  ...unsteered,
  metadata: { name: "other" },
  spec: {
    ...unsteered.spec,
    selector: { matchLabels: { app: "other" } },
    template: { ...unsteered.spec.template, metadata: { labels: { app: "other" } } }
  }
}
const web = { resource: "deployments.apps", name: "web" } as const
const nextImage = {
  spec: { template: { spec: { containers: [{ name: "web", image: "web:2" }] } } }
}
const deployments = "/apis/apps/v1/namespaces/default/deployments"

/** What a program sees: each change as text, and the moments that it notes. */
const openNoted = async (library: Library, options: OpenOptions = {}) => {
  const cluster = await library.openCluster({ seed: 7, ...options })
  const notes: Array<string> = []
  cluster.onChange((change) => notes.push(JSON.stringify(change)))
  const note = (text: string): void => void notes.push(`${text} at ${cluster.now().toISOString()}`)
  return { cluster, notes, note }
}

const finish = async (cluster: OpenCluster): Promise<void> => {
  await cluster.advance("1m")
  await cluster.patch(web, nextImage)
  await cluster.rollout("web")
  await cluster.close()
}

type Story = (library: Library) => Promise<ReadonlyArray<string>>

const stories: Readonly<Record<string, Story>> = {
  "by a call, while others are made": async (library) => {
    const { cluster, notes, note } = await openNoted(library)
    await Promise.all([
      cluster.create(steered).then(() => note("created")),
      cluster.sleep("1s").then(() => note("slept")),
      cluster.create(other).then(() => note("other created")),
      cluster.get(web).then(({ status }) => note(`status ${JSON.stringify(status)}`))
    ])
    await finish(cluster)
    return notes
  },
  "by a patch of a Deployment that has been rolled out": async (library) => {
    const { cluster, notes, note } = await openNoted(library)
    await cluster.create(unsteered)
    await cluster.rollout("web")
    const { metadata, spec } = steered
    const begun = [
      cluster.patch(web, { metadata, spec }).then(() => note("patched")),
      cluster.settle().then(() => note("settled"))
    ]
    await Promise.all(begun)
    await finish(cluster)
    return notes
  },
  "by clients": async (library) => {
    const { cluster, notes, note } = await openNoted(library)
    const post = async (body: object) => {
      const { status } = await cluster.fetch(deployments, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body)
      })
      note(`answered ${status}`)
    }
    await Promise.all([post(steered), post(other)])
    note(await (await cluster.fetch(`${deployments}/web`)).text())
    await finish(cluster)
    return notes
  },
  "by programs that the clock calls": async (library) => {
    const { cluster, notes, note } = await openNoted(library)
    cluster.timers.setTimeout(async () => {
      await cluster.create(steered)
      note("created")
      await cluster.create(other)
      note("other created")
    }, 1000)
    for (const millis of [1000, 1001, 2000]) cluster.timers.setTimeout(() => note("called"), millis)
    await cluster.advance("1m")
    await finish(cluster)
    return notes
  },
  "among the writes of one step": async ({ makeCluster }) => {
    const notes: Array<string> = []
    const program = Effect.gen(function* () {
      const cluster = yield* makeCluster({ seed: 7 })
      cluster.onChange((change) => notes.push(JSON.stringify(change)))
      const drafts = [other, steered].map((draft) => ({
        ...draft,
        metadata: { ...draft.metadata, namespace: "default" }
      }))
      yield* cluster.run(
        Effect.forEach(drafts, (draft) => Effect.andThen(Effect.yieldNow, cluster.store.create(draft)))
      )
      notes.push("created")
      yield* cluster.advance("1m")
      yield* cluster.patch(web, nextImage)
      yield* cluster.rollout("web")
    })
    await Effect.runPromise(Effect.scoped(program))
    return notes
  },
  "in a snapshot": async (library) => {
    const { cluster, notes } = await openNoted(library, { from: library.readSnapshot(await snapshot) })
    await finish(cluster)
    return notes
  }
}

/** The modules of another process. */
const loadLibrary = async (): Promise<Library> => {
  vi.resetModules()
  return import("../../src/index.ts")
}

const takeSnapshot = async (): Promise<string> => {
  const library = await loadLibrary()
  const { cluster } = await openNoted(library)
  await cluster.create(steered)
  await cluster.advance("1m")
  const text = library.snapshotText(await cluster.snapshot())
  await cluster.close()
  return text
}
const snapshot = takeSnapshot()

it.each(Object.entries(stories))(
  "the first strategy of a process, stored %s, has the same consequences as a later one",
  async (_name, play) => {
    await snapshot
    const library = await loadLibrary()
    const { loadedStrategyReader } = await import("../../src/steering/strategyReader.ts")
    expect(loadedStrategyReader()).toBeUndefined()
    const first = await play(library)
    expect(loadedStrategyReader()).toBeDefined()
    expect(first.join("\n")).toContain('"reason":"Holding"')
    expect(await play(library)).toEqual(first)
  }
)

it("a cluster without strategies does not load what reads them", async () => {
  const library = await loadLibrary()
  const { loadedStrategyReader } = await import("../../src/steering/strategyReader.ts")
  const { cluster } = await openNoted(library)
  await cluster.create(unsteered)
  await cluster.rollout("web")
  await cluster.close()
  expect(loadedStrategyReader()).toBeUndefined()
})

it("a call that waits for the reader is rejected when the cluster closes", async () => {
  const library = await loadLibrary()
  const { cluster } = await openNoted(library)
  const calls = [cluster.create(steered), cluster.until(() => false), cluster.sleep("1s"), cluster.settle()]
  await cluster.close()
  const outcomes = await Promise.allSettled(calls)
  expect(outcomes.slice(1)).toEqual(
    outcomes.slice(1).map(() => ({ status: "rejected", reason: new library.ClusterClosed() }))
  )
})

it("a Deployment whose strategy cannot be read says why", async () => {
  const library = await loadLibrary()
  vi.doMock("../../src/steering/decodeStrategy.ts", () => {
    throw new Error("no space left on device")
  })
  try {
    const { cluster } = await openNoted(library)
    await cluster.create(steered)
    await cluster.advance("1m")
    const { conditions } = (await cluster.get(web)).status
    expect(conditions?.find(({ type }) => type === "charthouse.dev/Steered")).toMatchObject({
      reason: "InvalidStrategy",
      message: expect.stringContaining("is not followed: cannot be read: ")
    })
    await cluster.close()
  } finally {
    vi.doUnmock("../../src/steering/decodeStrategy.ts")
  }
})
