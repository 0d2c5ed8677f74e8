import { describe, expect, it, onTestFinished, vi } from "vitest"
import { openCluster } from "../../src/cluster/openCluster.ts"
import { bindPolling } from "../../src/testing/testing.ts"
import { toClusterUnderTest } from "../../src/testing/clusterUnderTest.ts"
import { aManifest } from "./worlds.ts"
import type { OpenCluster } from "../../src/cluster/openCluster.ts"

const startMillis = Date.UTC(2026, 0, 1)
const web = { resource: "deployments.apps", name: "web" } as const

/** What those who act at once note, each with the second at which it was so. */
interface Stage {
  readonly cluster: OpenCluster
  readonly note: (what: string) => void
}

const secondsOf = (cluster: OpenCluster): number => (cluster.now().getTime() - startMillis) / 1000

const noting =
  ({ note }: Stage, what: string) =>
  (): void =>
    note(what)

/** A run of a mix: what was noted, and every change to the byte. */
const played = async (mix: (stage: Stage) => Promise<unknown>) => {
  await using cluster = await openCluster({ seed: 1 })
  const notes: Array<string> = []
  const changes: Array<string> = []
  cluster.onChange((change) => changes.push(`${cluster.now().toISOString()} ${JSON.stringify(change)}`))
  await cluster.apply([aManifest({ replicas: 4 }), aManifest({ name: "api", replicas: 9 })])
  await mix({ cluster, note: (what) => notes.push(`${secondsOf(cluster)} ${what}`) })
  return { notes, changes }
}

const sized = (cluster: OpenCluster, replicas: number) => cluster.patch(web, { spec: { replicas } })

const mixes: ReadonlyArray<{
  readonly title: string
  readonly why: string
  readonly mix: (stage: Stage) => Promise<unknown>
  /** How the notes begin; `SETTLED` is the second at which a cluster of two Deployments is at rest. */
  readonly notes: ReadonlyArray<string>
}> = [
  {
    title: "two that advance",
    why: "the second begins where the first ends, as over HTTP",
    mix: (stage) =>
      Promise.all([
        stage.cluster.advance("1h").then(noting(stage, "first")),
        stage.cluster.advance("1h").then(noting(stage, "second"))
      ]),
    notes: ["3600 first", "7200 second"]
  },
  {
    title: "an advance that is asked for when a first one ends, and one that was asked for before",
    why: "in the order in which they were asked for",
    mix: (stage) =>
      Promise.all([
        stage.cluster
          .advance("1m")
          .then(() => stage.cluster.advance("1m"))
          .then(noting(stage, "third")),
        stage.cluster.advance("1h").then(noting(stage, "second"))
      ]),
    notes: ["3660 second", "3720 third"]
  },
  {
    title: "a patch after settle beside an advance",
    why: "whoever waited acts at the instant for which it waited, whoever moves time",
    mix: async (stage) => {
      const advanced = stage.cluster.advance("30m").then(noting(stage, "advanced"))
      await stage.cluster.settle()
      stage.note("settled")
      await sized(stage.cluster, 7)
      stage.note("patched")
      await advanced
    },
    notes: ["SETTLED settled", "SETTLED patched", "1800 advanced"]
  },
  {
    title: "a patch that is asked for after an advance in the same breath",
    why: "time is not moved before all have been heard who can be, and what they need has been read",
    mix: (stage) => {
      const advanced = stage.cluster.advance("1h")
      return Promise.all([advanced, sized(stage.cluster, 2).then(noting(stage, "patched"))])
    },
    notes: ["0 patched"]
  },
  {
    title: "two rollouts, each with what follows it",
    why: "each is over when it is, and not when both are",
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
    title: "a rollout whose limit comes first, beside an advance",
    why: "it waits no longer than it was told to, though time goes on",
    mix: (stage) =>
      Promise.all([
        stage.cluster.advance("10m").then(noting(stage, "advanced")),
        stage.cluster.rollout("web", { limit: 1 }).then(({ outcome }) => stage.note(outcome))
      ]),
    notes: ["0.001 unfinished", "600 advanced"]
  },
  {
    title: "eventually beside consistently, both beside an advance",
    why: "both look at every moment, and neither moves time for the other",
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
    title: "somebody who watches and patches, beside an advance",
    why: "what is told is heard after so much work and not after so much of the machine's time",
    mix: async (stage) => {
      const advanced = stage.cluster.advance("20m")
      for await (const { object } of stage.cluster.watch("pods", { labelSelector: "app=web" })) {
        stage.note(object.metadata.name)
        const { items } = await stage.cluster.list("pods", { labelSelector: "app=web" })
        await sized(stage.cluster, items.length + 1)
        if (items.length > 8) break
      }
      await advanced
    },
    notes: []
  },
  {
    title: "a callback that asks for a patch, and for an advance",
    why: "the patch is made at the very instant, the advance when the one that is under way is over",
    mix: async (stage) => {
      const { cluster } = stage
      let asked: Promise<unknown> | undefined
      const stop = cluster.onChange(({ object }) => {
        const at = secondsOf(cluster)
        if (object.kind !== "Pod" || at < 1 || asked !== undefined) return
        stage.note("asked")
        asked = Promise.all([
          sized(cluster, 5).then(() => stage.note(`patched ${secondsOf(cluster) - at} later`)),
          cluster.advance("1m").then(noting(stage, "after all"))
        ])
      })
      await cluster.advance("1h").then(noting(stage, "advanced"))
      stop()
      await asked
    },
    notes: ["1 asked", "1 patched 0 later", "3600 advanced", "3660 after all"]
  },
  {
    title: "a predicate that settles",
    why: "nobody waits for a move from within one, and it is made all the same",
    mix: async (stage) => {
      let settled: Promise<unknown> | undefined
      const { cluster } = stage
      await cluster.until(() => {
        settled ??= cluster.settle().then(noting(stage, "settled"))
        return secondsOf(cluster) >= 60
      })
      await settled
    },
    notes: ["SETTLED settled"]
  },
  {
    title: "an advance beside a clock that is set going and paused",
    why: "they are moves by hand as well: each has its turn",
    mix: (stage) =>
      Promise.all([
        stage.cluster.advance("1h").then(noting(stage, "advanced")),
        stage.cluster.clock.pause().then(noting(stage, "paused")),
        stage.cluster.clock.step().then(noting(stage, "stepped"))
      ]),
    notes: ["3600 advanced", "3600 paused"]
  }
]

/** A machine on which everything takes for ever. */
const slowMachine = () => {
  const own = performance.now.bind(performance)
  let aheadMillis = 0
  const machine = vi.spyOn(performance, "now").mockImplementation(() => own() + (aheadMillis += 50))
  onTestFinished(() => machine.mockRestore())
}

describe("time that stands still, moved by several at once", () => {
  it.each(mixes)("$title: each run is the same, and $why", async ({ mix, notes }) => {
    const alone = await played((stage) => stage.cluster.settle().then(noting(stage, "")))
    const settled = alone.notes.join().trim()
    const first = await played(mix)
    slowMachine()
    const second = await played(mix)
    expect(second).toEqual(first)
    expect(first.notes.slice(0, notes.length)).toEqual(notes.map((line) => line.replace("SETTLED", settled)))
  })

  it("lets an interceptor move it as well, beside who moves it already", async () => {
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

  it("does not wait for who has given up", async () => {
    await using cluster = await openCluster()
    const stuck = cluster.until(() => {
      throw new Error("no")
    })
    const advanced = [cluster.advance("1m"), cluster.advance("1m")]
    await expect(stuck).rejects.toThrow("no")
    await Promise.all(advanced)
    expect(secondsOf(cluster)).toBe(120)
  })

  it("ends for all of them when the cluster is closed", async () => {
    const cluster = await openCluster()
    const moves = [cluster.advance("1h"), cluster.advance("1h"), cluster.settle(), cluster.clock.step()]
    const outcomes = Promise.allSettled(moves)
    await cluster.close()
    expect((await outcomes).map((it) => it.status === "rejected" && String(it.reason))).toEqual(
      moves.map(() => expect.stringContaining("the cluster is closed"))
    )
  })
})
