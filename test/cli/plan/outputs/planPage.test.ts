import { describe, expect, it } from "vitest"
import { charthouse, deploymentYaml } from "../../harness/charthouse.ts"
import { planPageOf } from "../../../reports/builtPages.ts"
import { recordingsIn, recordingTextsIn } from "../../../reports/pageRecordings.ts"
import type { ParsedRecording } from "../../../../src/recording/readRecording.ts"

const from = deploymentYaml({ replicas: 4 })
const next = deploymentYaml({ replicas: 4, image: "web:2" })

/** The objects that existed when the recording began. */
const beginningOf = ({ header, entries }: ParsedRecording) =>
  entries.filter(({ number }) => number <= header.number)

describe("the page of a plan", () => {
  it("has recordings of a typical seed, the slowest and the one with the fewest available Pods, each once", async () => {
    const seeds = Array.from({ length: 9 }, (_, index) => index + 1)
    const page = await planPageOf({ from, next, seeds, assume: "ready=1s..40s", failOn: "pods>4" })
    const titles = [...recordingTextsIn(page).keys()]
    expect(titles.map((title) => title.replace(/^seed \d+: /, ""))).toEqual([
      "typical",
      "pods&gt;4",
      "takes longest, fewest available"
    ])
    expect(page).toContain(`to be watched from moment to moment: ${titles.join("; ")}.</p>`)
  })

  it("has recordings that begin with the objects of --from", async () => {
    const [recording] = recordingsIn(await planPageOf({ from, next, seeds: [1] })).values()
    if (recording === undefined) throw new Error("there is no recording")
    expect(recording).toMatchObject({ header: { title: "plan of web, seed 1" }, isCutOff: false })
    const initialObjects = beginningOf(recording).flatMap((entry) => (entry.type === "object" ? [entry] : []))
    expect(initialObjects.every(({ change }) => change === "ADDED")).toBe(true)
    expect(initialObjects.filter(({ resource }) => resource === "pods")).toHaveLength(4)
    expect(initialObjects.find(({ resource }) => resource === "deployments")?.object).toMatchObject({
      spec: { template: { spec: { containers: [{ image: "web:1" }] } } },
      status: { availableReplicas: 4 }
    })
    const notes = recording.entries.flatMap((entry) => (entry.type === "note" ? [entry.text] : []))
    expect(notes).toEqual(["apply Deployment default/web", "Deployment default/web is complete"])
  })

  it("has a recording of a seed that misses its deadline, with the reason", async () => {
    const shortDeadline = `${next}  progressDeadlineSeconds: 20\n`
    const page = await planPageOf({ from, next: shortDeadline, seeds: [1, 2, 3], assume: "start=1s..60s" })
    const [, late] = [...recordingsIn(page)].find(([title]) => /^seed \d+: .*\blate\b/.test(title)) ?? []
    const failures = late?.entries.flatMap((entry) =>
      entry.type === "note" && entry.level === "failure" ? [entry.text] : []
    )
    expect(failures).toEqual([
      expect.stringMatching(/^Deployment default\/web is not complete: Pods had not started yet/)
    ])
  })

  it("has the same bytes for the same seeds, in another process too", async () => {
    const files = { "v1.yaml": from, "v2.yaml": next }
    const args = [
      "plan",
      "-f",
      "v2.yaml",
      "--from",
      "v1.yaml",
      "--seeds",
      "2..3",
      "--what-if",
      "none",
      "-o",
      "html"
    ]
    const printed = await charthouse(args, files)
    expect(printed).toMatchObject({ code: 0, stderr: "" })
    const page = await planPageOf({ from, next, seeds: [2, 3] })
    expect(page.length).toBeGreaterThan(100_000)
    expect(printed.stdout).toBe(page)
  })
})
