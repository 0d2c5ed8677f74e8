import { PassThrough } from "node:stream"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { preciseDurationText } from "../../../src/cli/terminal/preciseDurationText.ts"
import { shortAge } from "../../../src/kubernetes/meta/text/shortAge.ts"
import { drawTree } from "../../../src/cli/tree/drawTree.ts"
import { liveRenderer } from "../../../src/cli/rendering/liveRenderer.ts"
import { openTerminalFrame } from "../../../src/cli/terminal/terminalFrame.ts"
import { makeCluster } from "../../../src/cluster/cluster.ts"
import { makeRolloutTracker } from "../../../src/cli/rendering/rolloutTracker.ts"
import { makeCostTracker } from "../../../src/cli/rendering/costTracker.ts"
import { plainPalette } from "../../../src/cli/terminal/palette.ts"
import { playStages } from "../../../src/cli/rendering/playStages.ts"
import { resources } from "../../../src/kubernetes/meta/kinds.ts"
import type { Behaviour } from "../../../src/behaviours/behaviour.ts"
import type { Cluster } from "../../../src/cluster/cluster.ts"
import type { CostTracker } from "../../../src/cli/rendering/costTracker.ts"

const deployment = (options: {
  readonly replicas: number
  readonly image?: string
  readonly name?: string
  readonly initImage?: string
}) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: options.name ?? "web", namespace: "default" },
  spec: {
    replicas: options.replicas,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: {
        ...(options.initImage === undefined
          ? {}
          : { initContainers: [{ name: "migrate", image: options.initImage }] }),
        containers: [{ name: "web", image: options.image ?? "web:1" }]
      }
    }
  }
})

/** Runs a program against a cluster whose changes a summary observes. */
const inCluster = <A>(
  behaviour: Behaviour | string,
  play: (cluster: Cluster["Service"], summary: CostTracker) => Effect.Effect<A, unknown>
): Promise<A> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const cluster = yield* makeCluster({ behaviour })
        const summary = makeCostTracker()
        cluster.onChange((change) => summary.onChange(change, cluster.nowMillis()))
        return yield* play(cluster, summary)
      })
    )
  )

const treeOf = ({ view, nowMillis }: Cluster["Service"], width?: number): ReadonlyArray<string> =>
  drawTree({ view, nowMillis: nowMillis(), palette: plainPalette, ...(width === undefined ? {} : { width }) })

describe("the tree", () => {
  it("shows each Pod of a small Deployment under its ReplicaSet and revision", async () => {
    const lines = await inCluster("steady", (cluster) =>
      Effect.gen(function* () {
        yield* cluster.create(deployment({ replicas: 2 }))
        yield* cluster.rollout("web")
        return treeOf(cluster)
      })
    )
    expect(lines.map((line) => line.replaceAll(/web-[a-z0-9-]+/g, "web-*").replaceAll(/ +/g, " "))).toEqual([
      "NAME STATUS AGE INFO",
      "⟳ Deployment/web ✔ Complete 1s 2/2 available, 2 updated",
      "└──# revision:1 web:1",
      " └──⧉ ReplicaSet/web-* ✔ Healthy 1s 2/2 ready",
      " ├──□ web-* ✔ Running 1s node-2",
      " └──□ web-* ✔ Running 1s node-1"
    ])
  })

  it("shows the Pods of a large Deployment by their number in each state", async () => {
    const lines = await inCluster("steady", (cluster) =>
      Effect.gen(function* () {
        yield* cluster.create(deployment({ replicas: 13 }))
        yield* cluster.advance(40)
        return treeOf(cluster)
      })
    )
    expect(lines).toHaveLength(4)
    expect(lines.at(-1)).toMatch(/◌ Progressing .* 0\/13 ready, 13 ContainerCreating$/)
  })

  it("is no wider than the given width, and truncates notes only", async () => {
    const lines = await inCluster("steady", (cluster) =>
      Effect.gen(function* () {
        yield* cluster.create(deployment({ replicas: 3 }))
        yield* cluster.rollout("web")
        return treeOf(cluster, 78)
      })
    )
    expect(lines.filter((line) => line.length > 78)).toEqual([])
    expect(lines[1]).toMatch(/ ▇▇▇▇▇ 3\/3$/)
  })

  it("never cuts the tag of an image, nor a word", async () => {
    const trees = await inCluster("steady", (cluster) =>
      Effect.gen(function* () {
        yield* cluster.create(deployment({ replicas: 2, image: "registry.example/team-a/web:2026.01-rc1" }))
        yield* cluster.rollout("web")
        return [80, 78, 44].map((width) => treeOf(cluster, width))
      })
    )
    for (const lines of trees) expect(lines[2]).toMatch(/:2026\.01-rc1$/)
    expect(trees[2]?.[2]).toBe("└──# revision:1  …ple/team-a/web:2026.01-rc1")
    expect(trees[1]?.[1]).toMatch(/ ▇▇▇▇▇ 2\/2$/)
  })

  it("keeps its columns aligned below a long status", async () => {
    const gone: Behaviour = { name: "gone", containers: { migrate: { pull: { failures: "forever" } } } }
    const lines = await inCluster(gone, (cluster) =>
      Effect.gen(function* () {
        yield* cluster.create(deployment({ replicas: 1, initImage: "migrate:1" }))
        yield* cluster.advance(5_000)
        return treeOf(cluster)
      })
    )
    expect(lines.at(-1)).toContain("✖ Init:ImagePullBackOff  5s ")
    expect(lines.at(-1)?.indexOf("5s ")).toBe(lines[0]?.indexOf("AGE"))
  })

  it("shows Pods without a controller beside the Deployments", async () => {
    const lines = await inCluster("instant", (cluster) =>
      Effect.gen(function* () {
        const pod = { containers: [{ name: "web", image: "web:1" }] }
        yield* cluster.create({
          apiVersion: "v1",
          kind: "Pod",
          metadata: { name: "alone", namespace: "default" },
          spec: pod
        } as Parameters<typeof cluster.create>[0])
        yield* cluster.settle()
        return treeOf(cluster)
      })
    )
    expect(lines[1]).toMatch(/^□ alone +✔ Running +0s +node-\d$/)
  })
})

const uidOf = ({ view }: Cluster["Service"]): string =>
  view.get(resources.deployments, "default/web")?.metadata.uid ?? ""

describe("the summary", () => {
  const crash: Behaviour = { name: "crash", exit: { after: "3s", reason: "OOMKilled" } }
  const rows: ReadonlyArray<{
    readonly why: string
    readonly behaviour: Behaviour
    readonly replicas: number
    readonly initImage?: string
    readonly expectedText: ReadonlyArray<string>
  }> = [
    {
      why: "a container that is OOMKilled repeatedly, with its exit code",
      behaviour: crash,
      replicas: 2,
      expectedText: ['container "web" of 2 Pods ended 5 times with exit code 137 (OOMKilled)']
    },
    {
      why: "unschedulable Pods, with the scheduler's message",
      behaviour: { name: "well" },
      replicas: 333,
      expectedText: ["3 Pods found no node: 0/3 nodes are available: 3 Too many pods. (Unschedulable)"]
    },
    {
      why: "an image that cannot be pulled, with the registry's message",
      behaviour: { name: "gone", pull: { failures: 2, error: "no such manifest" } },
      replicas: 1,
      expectedText: ['1 Pod could not pull image "web:1": no such manifest (ImagePullBackOff)']
    },
    {
      why: "an init container that fails repeatedly",
      behaviour: { name: "fails", containers: { migrate: { exit: { after: "2s", code: 3 } } } },
      replicas: 2,
      initImage: "migrate:1",
      expectedText: ['init container "migrate" of 2 Pods ended 6 times with exit code 3 (Error)']
    },
    {
      why: "the image of an init container that cannot be pulled",
      behaviour: { name: "gone", containers: { migrate: { pull: { failures: 2, error: "unauthorized" } } } },
      replicas: 1,
      initImage: "migrate:1",
      expectedText: ['1 Pod could not pull image "migrate:1": unauthorized (ImagePullBackOff)']
    },
    { why: "nothing if all Pods become ready", behaviour: { name: "well" }, replicas: 5, expectedText: [] }
  ]
  it.for(rows)("reports $why", async ({ behaviour, expectedText, ...deploymentOptions }) => {
    const troubles = await inCluster(behaviour, (cluster, summary) =>
      Effect.gen(function* () {
        yield* cluster.create(deployment(deploymentOptions))
        yield* cluster.advance(20_000)
        return summary.costsOf(uidOf(cluster)).troubles
      })
    )
    expect(troubles).toEqual(expectedText)
  })

  it("starts its counts anew when a file is applied", async () => {
    const { before, after } = await inCluster(crash, (cluster, summary) =>
      Effect.gen(function* () {
        yield* cluster.create(deployment({ replicas: 3 }))
        yield* cluster.advance(20_000)
        const before = summary.costsOf(uidOf(cluster))
        summary.reset(cluster.nowMillis())
        return { before, after: summary.costsOf(uidOf(cluster)) }
      })
    )
    expect([before.restarts > 0, before.availableFewest, before.troubles.length]).toEqual([
      true,
      undefined,
      1
    ])
    expect([after.restarts, after.podsMost, after.troubles]).toEqual([0, 3, []])
  })

  it("reports a node whose kubelet has stopped", async () => {
    const troubles = await inCluster("steady", (cluster, summary) =>
      Effect.gen(function* () {
        yield* cluster.setKubelet("node-2", "stopped")
        yield* cluster.advance(60_000)
        return summary.nodeTroubles()
      })
    )
    expect(troubles).toEqual(["node node-2 stopped answering (NodeNotReady)"])
  })
})

describe("the live tree", () => {
  it("draws a rollout in frames, and leaves the last frame and the outcome", async () => {
    const written = new PassThrough({ encoding: "utf8" })
    const chunks: Array<string> = []
    written.on("data", (chunk: string) => chunks.push(chunk))
    const screen = Object.assign(written, { isTTY: true, columns: 100, rows: 40 })
    await inCluster("steady", (cluster) => {
      const startMillis = cluster.nowMillis()
      const show = liveRenderer({
        cluster,
        startMillis,
        settings: { version: "0", seed: 1, clock: "virtual", nodes: 3, startTime: "" },
        palette: plainPalette,
        print: (line) => written.write(`${line}\n`),
        printLazily: (makeLine) => written.write(`${makeLine()}\n`),
        // A stream with the members of a terminal that drawing needs.
        frame: openTerminalFrame(screen as unknown as NodeJS.WriteStream),
        isVirtual: true,
        pace: { frameMillis: 0, pauseMillis: 0 }
      })
      show.showPageAddress?.("http://127.0.0.1:1/charthouse/")
      const apply = Effect.map(Effect.orDie(cluster.create(deployment({ replicas: 4 }))), (object) => [
        { outcome: "created", object }
      ])
      const rolloutTracker = makeRolloutTracker({
        view: cluster.view,
        nowMillis: cluster.nowMillis,
        onNews: show.onRolloutNews
      })
      return playStages({
        cluster,
        startMillis,
        renderer: show,
        rolloutTracker,
        stages: [{ title: "web comes up", apply }]
      })
    })
    const text = chunks.join("")
    expect(text.split("since the start").length).toBeGreaterThan(10)
    // Each frame has the page's address.
    expect(text.split("http://127.0.0.1:1/charthouse/")).toHaveLength(text.split("since the start").length)
    expect(text).toContain("◌ ContainerCreating")
    expect(text).toContain("Successfully assigned…")
    expect(text.trimEnd().split("\n").at(-1)).toMatch(/ {2}Deployment\/web complete in \d\.\ds: most Pods 4/)
  })
})

describe("durations", () => {
  it.for([
    { millis: 999, short: "0s", exact: "1.0s" },
    { millis: 119_940, short: "119s", exact: "1m59.9s" },
    { millis: 599_000, short: "9m59s", exact: "9m59.0s" },
    { millis: 660_000, short: "11m", exact: "11m0.0s" },
    { millis: 12_300_000, short: "3h25m", exact: "3h25m0.0s" },
    { millis: 190_000_000, short: "2d4h", exact: "52h46m40.0s" }
  ])("of $millis ms are $short as an age and $exact as a span", ({ millis, short, exact }) => {
    expect([shortAge(millis), preciseDurationText(millis)]).toEqual([short, exact])
  })
})
