import { describe, expect, it } from "vitest"
import { charthouse } from "../harness/charthouse.ts"
import { storyPageOf } from "../../reports/builtPages.ts"
import { recordingsIn, recordingTextsIn } from "../../reports/pageRecordings.ts"
import { complete, setImage, storyOf } from "../harness/storyFiles.ts"
import type { ParsedRecording } from "../../../src/recording/readRecording.ts"

const nondeterministic = `
const known = new WeakSet()
let plays = 0
/** Each play waits a second longer than the one before. */
const isTime = ({ ledger, sinceMillis }) => {
  if (!known.has(ledger)) plays += 1
  known.add(ledger)
  return sinceMillis >= plays * 1000
}
const start = [{
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "web:1" }] } }
  }
}]
const setImage = (image) => ({ setImage: "deployment/web", images: { web: image } })
export const story = { name: "moody", start, steps: [setImage("web:2"), { when: isTime, ...setImage("web:3") }] }
`
const failing = storyOf({
  name: "failing",
  steps: [setImage, { fault: "kill", pods: { deployment: "web", count: 1 } }],
  invariants: ["deployment/web available > 5"]
})
const failsAtThirdStep = storyOf({
  name: "told",
  steps: [setImage, complete, { expect: "deployment/web available = 7" }]
})
const files = { "failing.yaml": failing, "moody.mjs": nondeterministic }
const run = (...args: ReadonlyArray<string>) => charthouse(["run", ...args, "--report", "html"], files)

const notesIn = ({ header, entries }: ParsedRecording) =>
  entries.flatMap((entry) => {
    if (entry.type !== "note") return []
    const { atMillis, level, step, text } = entry
    return [`${atMillis - header.atMillis}ms ${level}${step === undefined ? "" : ` ${step}`}: ${text}`]
  })

describe("the page of a story", () => {
  it("has a recording of the whole run, with its steps and failures at their moments", async () => {
    const recordings = recordingsIn(await storyPageOf(failsAtThirdStep))
    expect([...recordings.keys()]).toEqual(["seed 1"])
    const [recording] = recordings.values()
    if (recording === undefined) return
    expect(recording).toMatchObject({ header: { title: "told, seed 1", seed: 1 }, isCutOff: false })
    const notes = notesIn(recording).map((text) => text.replace(/^\d+ms /, ""))
    expect(notes).toEqual([
      "step 1: set image deployment/web web=web:2",
      "step 2: wait for deployment/web is complete",
      "step 3: expect deployment/web available = 7",
      "failure 3: deployment/web available is 6, not = 7"
    ])
    const pods = recording.entries.filter((entry) => entry.type === "object" && entry.resource === "pods")
    expect(pods.length).toBeGreaterThan(24)
    expect(recording.entries.some(({ type }) => type === "step")).toBe(true)
  })

  it("has recordings of the first three failed seeds, with the same bytes as each alone, and the command for the others", async () => {
    const { stdout } = await run("failing.yaml", "--seeds", "3..6")
    const texts = recordingTextsIn(stdout)
    expect([...texts.keys()]).toEqual(["seed 3", "seed 4", "seed 5"])
    expect(stdout).toContain(
      "Seed 6 is not recorded here; charthouse run failing.yaml --seed 6 --report html"
    )
    const alone = await storyPageOf(failing, 4)
    expect(recordingTextsIn(alone).get("seed 4")).toBe(texts.get("seed 4"))
    const [recording] = recordingsIn(alone).values()
    expect(recording?.entries.filter(({ type }) => type === "fault")).toMatchObject([
      { change: "BEGAN", text: "1 Pod of Deployment web is deleted" },
      { change: "ENDED" }
    ])
    const broken = /failure: default\/web: .* broken: deployment\/web available is \d, not > 5$/
    expect(recording === undefined ? [] : notesIn(recording)).toContainEqual(expect.stringMatching(broken))
  })

  it("warns of a run that differed when it was replayed, and has no recording of it", async () => {
    const { code, stdout, stderr } = await run("moody.mjs")
    const expectedWords = "Played again to be recorded, seed 1 went another way than before"
    expect(code).toBe(0)
    expect(stderr).toContain(`warning: moody: ${expectedWords}`)
    expect(stdout).toContain(expectedWords)
    expect([...recordingTextsIn(stdout).keys()]).toEqual([])
  })
})
