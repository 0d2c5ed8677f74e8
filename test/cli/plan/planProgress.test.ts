import { PassThrough } from "node:stream"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { openPlanProgress, progressLine } from "../../../src/cli/plan/planProgress.ts"
import { playSeedsOnAllCores } from "../../../src/cli/plan/playSeedsOnAllCores.ts"
import { readManifestObjects } from "../../../src/manifests/readManifests.ts"
import { deploymentManifest } from "../../cluster/testCluster.ts"

const world = { next: readManifestObjects([deploymentManifest({ name: "web" })]).documents }

describe("the progress of a plan", () => {
  it.each([
    { played: 1, bar: "░".repeat(30), left: "" },
    { played: 60, bar: "█".repeat(15) + "░".repeat(15), left: ", 2s left" },
    { played: 120, bar: "█".repeat(30), left: ", 0s left" }
  ])("is a bar after $played of 120 runs", ({ played, bar, left }) => {
    expect(progressLine({ played, total: 120, elapsedMillis: 1130 })).toBe(
      `playing ${bar} ${played} of 120 runs${left}; Ctrl-C shows what is known so far`
    )
  })

  const screenOf = (properties: object) => {
    const written: Array<string> = []
    const stream = new PassThrough()
    stream.on("data", (chunk) => written.push(String(chunk)))
    return { screen: Object.assign(stream, properties) as unknown as NodeJS.WriteStream, written }
  }

  it("is drawn on a terminal, and gone at the end", () => {
    const { screen, written } = screenOf({ isTTY: true, columns: 120, rows: 40 })
    const progress = openPlanProgress(2, screen)
    progress.countRun()
    expect(written.join("")).toContain("1 of 2 runs")
    progress.close()
    expect(written.at(-1)).not.toContain("runs")
  })

  it("is not drawn elsewhere", () => {
    const { screen, written } = screenOf({ isTTY: false })
    const progress = openPlanProgress(2, screen)
    progress.countRun()
    progress.close()
    expect(written).toEqual([])
  })
})

describe("a plan that is stopped", () => {
  it("knows the seeds that are played", async () => {
    let stop = (): void => {}
    const stopped = Effect.callback<void>((resume) => {
      stop = () => resume(Effect.void)
    })
    let done = 0
    const { played } = await Effect.runPromise(
      playSeedsOnAllCores(world, [1, 2, 3, 4, 5, 6], {
        stop: stopped,
        onJobDone: () => {
          done += 1
          if (done === 2) stop()
        }
      })
    )
    expect(played.map(({ seed }) => seed).slice(0, 2)).toEqual([1, 2])
    expect(played.length).toBeLessThan(6)
  })
})
