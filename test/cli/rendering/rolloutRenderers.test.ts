import { join } from "node:path"
import { PassThrough } from "node:stream"
import { stripVTControlCharacters } from "node:util"
import { writeFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import { describe, expect, it, vi } from "vitest"
import { temporaryFolder } from "../harness/kubeconfigs.ts"
import {
  createAndRollOut,
  create,
  deployment,
  trackRollouts,
  image,
  withCluster,
  rolledOut,
  stageOf,
  wait,
  singleSpaced
} from "./clusterActions.ts"
import { autoscalerOf } from "../../controllers/autoscalers/autoscaledShop.ts"
import { everyWorkload } from "../../controllers/workloads/everyWorkload.ts"
import { drawTree } from "../../../src/cli/tree/drawTree.ts"
import { liveRenderer } from "../../../src/cli/rendering/liveRenderer.ts"
import { openTerminalFrame } from "../../../src/cli/terminal/terminalFrame.ts"
import { plainPalette } from "../../../src/cli/terminal/palette.ts"
import { treeRenderer } from "../../../src/cli/rendering/renderers.ts"
import { up } from "../harness/servingCommand.ts"

const missing = `apiVersion: charthouse.dev/v1
kind: Behaviour
metadata: { name: missing }
spec: { match: { image: "*:broken" }, pull: { failures: forever } }
`

/** Generous, for shared machines. */
const waitMillis = 60_000

describe("rollouts that other clients start", () => {
  const outside = [image("web", "web:2"), rolledOut("web"), image("web", "web:broken"), rolledOut("web")]

  it("appear in a pipe as a tree of their Deployment at the end of each rollout", async () => {
    const lines = await withCluster((cluster) =>
      Effect.gen(function* () {
        for (const action of [...createAndRollOut, create("api", 2), rolledOut("api")]) yield* action(cluster)
        const printed: Array<string> = []
        trackRollouts(cluster, treeRenderer(stageOf(cluster, (line) => printed.push(line))).onRolloutNews)
        yield* rolledOut("web")(cluster)
        for (const action of outside.slice(0, 2)) yield* action(cluster)
        return printed.map(singleSpaced)
      })
    )
    expect(lines.filter((line) => line.includes("api"))).toEqual([])
    expect(lines.at(-1)).toMatch(/^└──□ web-\S+ • Terminating/)
    expect(lines.filter((line) => line.startsWith("⟳"))).toHaveLength(1)
  })

  it("appear in a pipe as a tree of their StatefulSet alone", async () => {
    const statefulSets = everyWorkload.filter(({ kind }) => kind === "StatefulSet")
    const lines = await withCluster((cluster) =>
      Effect.gen(function* () {
        yield* create("api", 2)(cluster)
        yield* rolledOut("api")(cluster)
        const printed: Array<string> = []
        trackRollouts(cluster, treeRenderer(stageOf(cluster, (line) => printed.push(line))).onRolloutNews)
        for (const statefulSet of statefulSets) yield* cluster.create(statefulSet)
        yield* cluster.advance(60_000)
        return printed.map(singleSpaced)
      })
    )
    expect(lines.map((line) => line.split(" ").slice(0, 4).join(" "))).toEqual([
      expect.stringMatching(/^\S+ StatefulSet\/db Progressing revision$/u),
      expect.stringMatching(/^\S+ StatefulSet\/db Complete partitioned$/u),
      "NAME STATUS AGE INFO",
      expect.stringMatching(/^⟳ StatefulSet\/db ✔ Complete$/u),
      expect.stringMatching(/^├──□ db-0 ✔ Running$/u),
      expect.stringMatching(/^├──□ db-1 ✔ Running$/u),
      expect.stringMatching(/^└──□ db-2 ✔ Running$/u)
    ])
  })

  it("appear in a pipe as one line for a HorizontalPodAutoscaler and a CronJob", async () => {
    const cronJobs = everyWorkload.filter(({ kind }) => kind === "CronJob")
    const lines = await withCluster((cluster) =>
      Effect.gen(function* () {
        for (const action of createAndRollOut) yield* action(cluster)
        const printed: Array<string> = []
        const { onRolloutNews } = treeRenderer(stageOf(cluster, (line) => printed.push(line)))
        trackRollouts(cluster, onRolloutNews)
        yield* cluster.create(autoscalerOf())
        yield* cluster.advance(60_000)
        // Admission refuses a schedule that cannot be read: this news comes without one.
        for (const draft of cronJobs) {
          const workload = yield* cluster.create(draft)
          const message = "the schedule cannot be read"
          onRolloutNews({ workload, atMillis: 0, reason: "Failed", message, troubles: [] })
        }
        return printed.map(singleSpaced)
      })
    )
    expect(lines).toEqual([
      expect.stringMatching(/^\S+ HorizontalPodAutoscaler\/web Failed the HPA was unable to compute /u),
      expect.stringMatching(/^\S+ CronJob\/minutely Scheduled /u),
      expect.stringMatching(/^\S+ CronJob\/minutely Failed the schedule cannot be read$/u)
    ])
  })

  it("appear in a pipe as a tree of their DaemonSet alone", async () => {
    const daemonSets = everyWorkload.filter(({ kind }) => kind === "DaemonSet")
    const lines = await withCluster((cluster) =>
      Effect.gen(function* () {
        const printed: Array<string> = []
        trackRollouts(cluster, treeRenderer(stageOf(cluster, (line) => printed.push(line))).onRolloutNews)
        for (const daemonSet of daemonSets) yield* cluster.create(daemonSet)
        yield* cluster.advance(60_000)
        return printed.map(singleSpaced)
      })
    )
    expect(lines.filter((line) => line.startsWith("⟳"))).toEqual([
      expect.stringMatching(/^⟳ DaemonSet\/agent ✔ Complete /u)
    ])
  })

  it("appear on a terminal as lines above the tree, also while a virtual clock stands still", async () => {
    const written = new PassThrough({ encoding: "utf8" })
    let text = ""
    written.on("data", (chunk: string) => (text += chunk))
    const screen = Object.assign(written, { isTTY: true, columns: 160, rows: 40 })
    await withCluster((cluster) => {
      const stage = stageOf(cluster, (line) => written.write(`${line}\n`))
      // A stream with the members of a terminal that drawing needs.
      const live = { frame: openTerminalFrame(screen as unknown as NodeJS.WriteStream), isVirtual: true }
      const show = liveRenderer({ ...stage, ...live, pace: { frameMillis: 1, pauseMillis: 0 } })
      trackRollouts(cluster, show.onRolloutNews)
      cluster.onChange((it) => show.onChange(it, cluster.nowMillis() - stage.startMillis))
      const actions = Effect.gen(function* () {
        for (const action of [...createAndRollOut, ...outside]) yield* action(cluster)
        yield* Effect.promise(() => vi.waitFor(() => expect(text).toContain("✖ Failed"), waitMillis))
      })
      return Effect.raceFirst(actions, show.renderForever)
    })
    const lines = stripVTControlCharacters(text).split("\n")
    const rolloutLines = lines.filter((line) => /s {2}Deployment.*(revision|rolled out|exceeded)/.test(line))
    expect(rolloutLines.map((line) => / (Progressing|Complete|Failed) /.exec(line)?.[1])).toEqual([
      "Progressing",
      "Complete",
      "Progressing",
      "Complete",
      "Progressing",
      "Failed"
    ])
    expect(text).toContain('    ! 1 Pod could not pull image "web:broken" (ImagePullBackOff)\n')
  })

  it("come first in a tree that is higher than the screen", async () => {
    const { low, lower, all } = await withCluster((cluster) =>
      Effect.gen(function* () {
        for (const name of ["a", "b", "c", "d"]) yield* create(name, 2)(cluster)
        for (const name of ["a", "b", "c", "d"]) yield* rolledOut(name)(cluster)
        yield* image("c", "c:broken")(cluster)
        yield* wait(5000)(cluster)
        const drawn = (rowsMax: number) =>
          drawTree({ view: cluster.view, nowMillis: 0, palette: plainPalette, rowsMax }).map((line) =>
            line.slice(0, 14)
          )
        return { low: drawn(14), lower: drawn(5), all: drawn(99) }
      })
    )
    expect(all.filter((line) => line.startsWith("⟳")).map((line) => line.at(-1))).toEqual([
      "a",
      "b",
      "c",
      "d"
    ])
    expect(low.filter((line) => line.startsWith("⟳")).map((line) => line.at(-1))).toEqual([
      "c",
      "a",
      "b",
      "d"
    ])
    expect(low).toHaveLength(12)
    expect(lower).toHaveLength(5)
    expect([lower[1], lower[4]]).toEqual(["⟳ Deployment/c", "… 8 more"])
  })

  it("appear in the piped output of up with their outcome", async () => {
    const folder = temporaryFolder()
    const behaviour = join(folder, "behaviour.yaml")
    writeFileSync(behaviour, missing)
    const args = [
      "--clock",
      "600x",
      "--no-tls",
      "--behaviour",
      behaviour,
      "--kubeconfig",
      join(folder, "config")
    ]
    const { url, token, printed, end } = await up(args, /Ctrl-C ends it/)
    const to = (method: string, path: string, type: string, body: unknown) =>
      fetch(`${url}/apis/apps/v1/namespaces/default/deployments${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": type },
        body: JSON.stringify(body)
      })
    await to("POST", "", "application/json", deployment("web", 2))
    await vi.waitFor(
      () => expect(printed()).toMatch(/Complete +deployment "web" successfully rolled out in /),
      waitMillis
    )
    const containers = [{ name: "web", image: "web:broken" }]
    const spec = { template: { spec: { containers } } }
    await to("PATCH", "/web", "application/strategic-merge-patch+json", { spec })
    await vi.waitFor(
      () => expect(printed()).toMatch(/Failed +deployment "web" exceeded its progress deadline/),
      waitMillis
    )
    expect(printed()).toContain("Progressing        revision 2: web:broken\n")
    await end("SIGINT")
  })
})
