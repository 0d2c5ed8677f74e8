import { describe, expect, it, onTestFinished, vi } from "vitest"
import { openCluster } from "../../src/cluster/openCluster.ts"
import { bindPolling } from "../../src/testing/testing.ts"
import { toClusterUnderTest } from "../../src/testing/clusterUnderTest.ts"
import { deploymentManifest } from "./testCluster.ts"
import type { OpenCluster } from "../../src/cluster/openCluster.ts"

const startMillis = Date.UTC(2026, 0, 1)
const web = { resource: "deployments.apps", name: "web" } as const

interface NotedCluster {
  readonly cluster: OpenCluster
  readonly note: (what: string) => void
}

const secondsOf = (cluster: OpenCluster): number => (cluster.now().getTime() - startMillis) / 1000

const noteOutcome =
  ({ note }: NotedCluster, what: string) =>
  (): void =>
    note(what)

const playMix = async (mix: (noted: NotedCluster) => Promise<unknown>) => {
  await using cluster = await openCluster({ seed: 1 })
  const notes: Array<string> = []
  const changes: Array<string> = []
  cluster.onChange((change) => changes.push(`${cluster.now().toISOString()} ${JSON.stringify(change)}`))
  await cluster.apply([deploymentManifest({ replicas: 4 }), deploymentManifest({ name: "api", replicas: 9 })])
  await mix({ cluster, note: (what) => notes.push(`${secondsOf(cluster)} ${what}`) })
  return { notes, changes }
}

const scale = (cluster: OpenCluster, replicas: number) => cluster.patch(web, { spec: { replicas } })

const mixes: ReadonlyArray<{
  readonly title: string
  readonly why: string
  readonly mix: (noted: NotedCluster) => Promise<unknown>
  /** The first notes; `SETTLED` is the second at which two Deployments have settled. */
  readonly notes: ReadonlyArray<string>
}> = [
  {
    title: "two advances",
    why: "the second begins when the first ends, as over HTTP",
    mix: (noted) =>
      Promise.all([
        noted.cluster.advance("1h").then(noteOutcome(noted, "first")),
        noted.cluster.advance("1h").then(noteOutcome(noted, "second"))
      ]),
    notes: ["3600 first", "7200 second"]
  },
  {
    title: "an advance after the end of a first one, and one called before that",
    why: "they take turns in the order of their calls",
    mix: (noted) =>
      Promise.all([
        noted.cluster
          .advance("1m")
          .then(() => noted.cluster.advance("1m"))
          .then(noteOutcome(noted, "third")),
        noted.cluster.advance("1h").then(noteOutcome(noted, "second"))
      ]),
    notes: ["3660 second", "3720 third"]
  },
  {
    title: "a patch after settle beside an advance",
    why: "a call after a wait acts at the instant of its wait",
    mix: async (noted) => {
      const advanced = noted.cluster.advance("30m").then(noteOutcome(noted, "advanced"))
      await noted.cluster.settle()
      noted.note("settled")
      await scale(noted.cluster, 7)
      noted.note("patched")
      await advanced
    },
    notes: ["SETTLED settled", "SETTLED patched", "1800 advanced"]
  },
  {
    title: "a patch called in the same turn as an advance",
    why: "time moves only after pending calls have been made",
    mix: (noted) => {
      const advanced = noted.cluster.advance("1h")
      return Promise.all([advanced, scale(noted.cluster, 2).then(noteOutcome(noted, "patched"))])
    },
    notes: ["0 patched"]
  },
  {
    title: "two rollouts, each followed by another",
    why: "each rollout ends at its own time",
    mix: ({ cluster, note }) =>
      Promise.all(
        ["web", "api"].map(async (name) => {
          const { outcome } = await cluster.rollout(name)
          note(outcome)
          await cluster.patch({ resource: "deployments.apps", name }, { spec: { replicas: 3 } })
          note((await cluster.rollout(name)).outcome)
        })
      ),
    notes: []
  },
  {
    title: "a rollout with a short limit beside an advance",
    why: "a wait ends at its limit, though time goes on",
    mix: (noted) =>
      Promise.all([
        noted.cluster.advance("10m").then(noteOutcome(noted, "advanced")),
        noted.cluster.rollout("web", { limit: 1 }).then(({ outcome }) => noted.note(outcome))
      ]),
    notes: ["0.001 unfinished", "600 advanced"]
  },
  {
    title: "eventually beside consistently, both beside an advance",
    why: "both check at each instant, and neither moves time",
    mix: async ({ cluster, note }) => {
      const { eventually, consistently } = bindPolling(toClusterUnderTest(cluster))
      const moments: Array<number> = []
      const pods = async (): Promise<number> => (await cluster.list("pods")).items.length
      await Promise.all([
        cluster.advance("2m"),
        consistently(() => moments.push(secondsOf(cluster)) > 0, { for: "30s" }),
        eventually(async () => note(`${await pods()} Pods`) ?? (await pods()) === 13, { within: "20s" })
      ])
      note(moments.join(" "))
    },
    notes: ["0 13 Pods"]
  },
  {
    title: "a watch that patches beside an advance",
    why: "a watch delivers changes by work done, not by the machine's time",
    mix: async (noted) => {
      const advanced = noted.cluster.advance("20m")
      for await (const { object } of noted.cluster.watch("pods", { labelSelector: "app=web" })) {
        noted.note(object.metadata.name)
        const { items } = await noted.cluster.list("pods", { labelSelector: "app=web" })
        await scale(noted.cluster, items.length + 1)
        if (items.length > 8) break
      }
      await advanced
    },
    notes: []
  },
  {
    title: "a callback that patches and advances",
    why: "the patch is made at once, the advance after the current one",
    mix: async (noted) => {
      const { cluster } = noted
      let laterCalls: Promise<unknown> | undefined
      const stop = cluster.onChange(({ object }) => {
        const at = secondsOf(cluster)
        if (object.kind !== "Pod" || at < 1 || laterCalls !== undefined) return
        noted.note("asked")
        laterCalls = Promise.all([
          scale(cluster, 5).then(() => noted.note(`patched ${secondsOf(cluster) - at} later`)),
          cluster.advance("1m").then(noteOutcome(noted, "after all"))
        ])
      })
      await cluster.advance("1h").then(noteOutcome(noted, "advanced"))
      stop()
      await laterCalls
    },
    notes: ["1 asked", "1 patched 0 later", "3600 advanced", "3660 after all"]
  },
  {
    title: "a predicate that settles",
    why: "the move is made after the current one",
    mix: async (noted) => {
      let settled: Promise<unknown> | undefined
      const { cluster } = noted
      await cluster.until(() => {
        settled ??= cluster.settle().then(noteOutcome(noted, "settled"))
        return secondsOf(cluster) >= 60
      })
      await settled
    },
    notes: ["SETTLED settled"]
  },
  {
    title: "an advance beside a clock that gets a speed and is paused",
    why: "moves of the clock by hand take turns as well",
    mix: (noted) =>
      Promise.all([
        noted.cluster.advance("1h").then(noteOutcome(noted, "advanced")),
        noted.cluster.clock.pause().then(noteOutcome(noted, "paused")),
        noted.cluster.clock.step().then(noteOutcome(noted, "stepped"))
      ]),
    notes: ["3600 advanced", "3600 paused"]
  }
]

const slowMachine = () => {
  const own = performance.now.bind(performance)
  let aheadMillis = 0
  const machine = vi.spyOn(performance, "now").mockImplementation(() => own() + (aheadMillis += 50))
  onTestFinished(() => machine.mockRestore())
}

describe("concurrent moves of a virtual clock", () => {
  it.each(mixes)("$title: runs are equal, and $why", async ({ mix, notes }) => {
    const alone = await playMix((noted) => noted.cluster.settle().then(noteOutcome(noted, "")))
    const settled = alone.notes.join().trim()
    const first = await playMix(mix)
    slowMachine()
    const second = await playMix(mix)
    expect(second).toEqual(first)
    expect(first.notes.slice(0, notes.length)).toEqual(notes.map((line) => line.replace("SETTLED", settled)))
  })

  it("include those of an interceptor", async () => {
    await using cluster = await openCluster()
    cluster.intercept({ verb: "list", resource: "pods" }, async () => {
      await cluster.advance("5s")
      return undefined
    })
    const { url } = await cluster.serve({ tls: false, token: "a-token" })
    const advanced = cluster.advance("1h")
    const { status } = await fetch(`${url}/api/v1/pods`, { headers: { authorization: "Bearer a-token" } })
    await advanced
    expect({ status, seconds: secondsOf(cluster) }).toEqual({ status: 200, seconds: 3605 })
  })

  it("do not wait for a call that was rejected", async () => {
    await using cluster = await openCluster()
    const stuck = cluster.until(() => {
      throw new Error("no")
    })
    const advanced = [cluster.advance("1m"), cluster.advance("1m")]
    await expect(stuck).rejects.toThrow("no")
    await Promise.all(advanced)
    expect(secondsOf(cluster)).toBe(120)
  })

  it("all end when the cluster is closed", async () => {
    const cluster = await openCluster()
    const moves = [cluster.advance("1h"), cluster.advance("1h"), cluster.settle(), cluster.clock.step()]
    const outcomes = Promise.allSettled(moves)
    await cluster.close()
    expect((await outcomes).map((it) => it.status === "rejected" && String(it.reason))).toEqual(
      moves.map(() => expect.stringContaining("the cluster is closed"))
    )
  })
})
