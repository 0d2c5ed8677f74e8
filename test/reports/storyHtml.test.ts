import { describe, expect, it } from "vitest"
import { storyHtml } from "../../src/reports/storyHtml.ts"
import { timeScale } from "../../src/drawing/timeScale.ts"
import {
  violationFailure,
  controlCharacters,
  deploymentRun,
  nothingRecorded,
  samplePageAssets,
  report,
  reportSection,
  storyRun
} from "./sampleRuns.ts"
import type { LedgerRow } from "../../src/scenario/ledger/ledgerRows.ts"

const html = (it: ReturnType<typeof report>): string =>
  storyHtml(it, { reportRecordings: nothingRecorded, pageAssets: samplePageAssets })
const failed = storyRun({ seed: 17, outcome: "failed", failures: [violationFailure()] })

describe("the page of a story", () => {
  const page = html(report([storyRun(), failed, storyRun({ seed: 18 })]))

  it("shows the outcome, the failed seeds and the command that repeats them", () => {
    expect(page).toContain("with 1 of seeds 1..18, first with 17")
    expect(page).toContain('<p class="verdict">! blocked: 7 of 9 available; node-2 is lost, with 2 Pods.</p>')
    expect(page).toContain("charthouse run scripts/scenarios/rolling-under-fire.yaml --seed 17")
    expect(page).toContain("9 available, 3 to go of which 1 are not available: 9 - 2 = 7")
    expect(page).toContain("broken: available &gt;= desired - maxUnavailable: 7 &gt;= 8")
  })

  it("has every step, fault and event as text beside the drawing", () => {
    for (const expectedWords of [
      "set image of deployment/web to web:2",
      "crash 2 pods of deployment/web",
      "node-2 is lost",
      "until the end",
      "Scaled up replica set web-7c9d from 0 to 2"
    ])
      expect(page).toContain(`>${expectedWords}</td>`)
    expect(page).toContain(">12.5 of 61100 requests lost</p>")
  })

  it("has the same bytes for the same runs", () => {
    expect(html(report([storyRun(), failed, storyRun({ seed: 18 })]))).toBe(page)
  })

  it("fetches nothing, and has no script in its report", () => {
    expect(page).toContain("default-src &#39;none&#39;")
    expect(reportSection(page)).not.toMatch(/<script|<link|<img|<iframe|<style|style=|https?:|\bon\w+=|src=/i)
  })

  it("lists its recordings and those left out", () => {
    const reportRecordings = {
      recordings: [{ title: "seed 17", text: "" }],
      leftOutTexts: ["Seed 18 is <long>."]
    }
    const read = reportSection(
      storyHtml(report([failed]), { reportRecordings, pageAssets: samplePageAssets })
    )
    expect(read).toContain("to be watched from moment to moment: seed 17.</p>")
    expect(read).toContain("Seed 18 is &lt;long&gt;.</p>")
  })

  it("lists what is left out when it has no recording", () => {
    const reportRecordings = {
      recordings: [],
      leftOutTexts: ["Seed 17 is too long.", "Seeds 18, 19 are not recorded."]
    }
    const read = reportSection(
      storyHtml(report([failed]), { reportRecordings, pageAssets: samplePageAssets })
    )
    expect(read).toContain("<details><summary>Recordings that are left out, or begin late</summary>")
    expect(read).not.toContain("Recorded in this file")
  })

  it("closes its tags in order", () => {
    expect(misnested(page)).toEqual([])
  })
})

describe("the drawing of a Deployment", () => {
  it("has a caption with the extremes and the limits of the strategy", () => {
    const reached =
      "Reached: 13 Pods at the most (15 with those that were stopping), 7 available at the fewest."
    const promised = "Promised at the end: 12 Pods at the most, 8 available at the fewest."
    expect(html(report([failed]))).toContain(`<p>${reached} ${promised}</p>`)
    const bare = deploymentRun({ podsMax: undefined, availableMin: undefined })
    const page = html(report([storyRun({ deployments: [bare] })]))
    expect(page).toContain(`<p>${reached} Nothing was promised at the end.</p>`)
    expect(page).not.toContain("promised:")
  })

  it("distinguishes ready and unready Pods of the new and the old revision", () => {
    const counts = { desired: 10, existing: 10, available: 5, terminating: 0, updatedAvailable: 2 }
    const rows = [{ atMillis: 0, ...counts, updated: 4, updatedReady: 2, ready: 6 }]
    const page = html(report([storyRun({ deployments: [deploymentRun({ rows, podsMax: 10 })] })]))
    const heights = ["new", "new-unready", "old-unready", "old", "stopping"].map((name) => {
      const [, path = ""] = new RegExp(`class="pods-${name}" d="([^"]+)"`).exec(page) ?? []
      const ys = [...path.matchAll(/,([\d.]+)/g)].map(([, y]) => Number(y))
      return Math.round(((Math.max(...ys) - Math.min(...ys)) / 200) * 10)
    })
    expect(heights).toEqual([2, 2, 2, 4, 0])
  })

  it("has the events of its own Pods only, not of a Deployment with the same prefix or in another namespace", () => {
    const events = [
      { deployment: "default/web", object: "Pod/web-7c9d-x2x4v" },
      { deployment: "default/web-api", object: "Pod/web-api-5d8f-k7bq2" },
      { deployment: "shop/web", object: "ReplicaSet/web-6b6b" },
      { object: "Pod/web-lonely" }
    ].map((event) => ({ ...event, atMillis: 4000, type: "Normal", reason: "Killing", message: "" }))
    const names = [{ name: "web" }, { name: "web-api" }, { namespace: "shop", name: "web" }]
    const page = html(report([storyRun({ events, deployments: names.map(deploymentRun) })]))
    const drawn = page.split("<figure>").flatMap((figure) => {
      const [, title] = /<title>Pods of Deployment (\S+) over time/.exec(figure) ?? []
      const [, event] = /class="event-Normal"[^>]*><title>([^<]*)/.exec(figure) ?? []
      return title === undefined ? [] : [[title, event]]
    })
    expect(drawn).toEqual([
      ["default/web", "Killing Pod/web-7c9d-x2x4v"],
      ["default/web-api", "Killing Pod/web-api-5d8f-k7bq2"],
      ["shop/web", "Killing ReplicaSet/web-6b6b"]
    ])
  })
})

describe("the page of a story with expectFailure", () => {
  const expected = (seed: number) =>
    storyRun({ seed, failures: [{ ...violationFailure(), isExpected: true }] })

  it.each([
    ["in its title", "<title>rolling-under-fire: failed as expected</title>"],
    ["at its beginning", '<span class="outcome passed">✓ failed as expected</span> with seeds 3..5'],
    ["of the seed that is shown", '<h2>Seed 3: <span class="passed">✓ failed as expected</span> after'],
    ["with the counterexample", "broken: available &gt;= desired - maxUnavailable: 7 &gt;= 8</pre>"],
    ["of all seeds", ">✓ failed as expected</td>"],
    ["of all seeds with the first of them", ">3: available &gt;= desired - maxUnavailable: 7 &gt;= 8</td>"]
  ])("shows the expected failure %s", (_where, expectedWords) => {
    expect(html(report([expected(3), expected(4), expected(5)]))).toContain(expectedWords)
  })

  it("shows seeds that failed otherwise as failed", () => {
    const page = html(report([expected(3), failed]))
    expect(page).toContain("<title>rolling-under-fire: failed</title>")
    expect(page).toContain("with 1 of seeds 3..17, first with 17")
  })
})

describe("names full of markup", () => {
  const hostile = [
    `<script>alert(1)</script>`,
    `"><img src=x onerror=alert(1)>`,
    `'><svg onload=alert(1)>`,
    `</style></title></svg></pre><b>`,
    `\${7*7} {{7*7}} & &amp; &#60;b&#62;`,
    `a\u0000b\u0007c\u{202E}d\u{D800}e`
  ]
  const plain = html(report([storyRun({ outcome: "failed", failures: [violationFailure()] })]))
  const tags = (page: string): ReadonlyArray<string> => page.match(/<\/?[a-z][^\s>]*/gi) ?? []

  it.for(hostile)("are shown as text everywhere: %j", (text) => {
    const run = storyRun({
      story: text,
      outcome: "failed",
      failures: [violationFailure({ subject: text, who: text, what: text, sums: text, broken: text })],
      steps: storyRun().steps.map((step) => ({ ...step, text })),
      faults: storyRun().faults.map((fault) => ({ ...fault, text })),
      deployments: [deploymentRun({ namespace: text, message: text })],
      services: storyRun().services.map((service) => ({ ...service, name: text })),
      events: storyRun().events.map((event) => ({
        ...event,
        deployment: `${text}/web`,
        reason: text,
        message: text
      }))
    })
    const page = html(report([run], { file: text, version: text, description: text }))
    // The same tags as with harmless names.
    expect(tags(page)).toEqual(tags(plain))
    expect(misnested(page)).toEqual([])
    expect(page.isWellFormed()).toBe(true)
    expect(controlCharacters(page)).toEqual([])
  })
})

describe("a long run", () => {
  const row = (atMillis: number, available: number): LedgerRow => ({
    atMillis,
    desired: 100,
    existing: 100,
    ready: available,
    available,
    updated: 100,
    updatedReady: available,
    updatedAvailable: available,
    terminating: 0
  })

  it("is drawn with reduced detail and every dip", () => {
    const rows = Array.from({ length: 50_000 }, (_, index) =>
      row(index * 20, index === 31_337 ? 3 : 99 + (index % 2))
    )
    const run = storyRun({
      deployments: [deploymentRun({ rows, podsMax: 125 })],
      endMillis: 1_000_000,
      events: []
    })
    const page = html(report([run]))
    expect(page.length).toBeLessThan(250_000)
    const [, path = ""] = /class="available" d="([^"]+)"/.exec(page) ?? []
    const heights = [...path.matchAll(/[LMV]?(-?[\d.]+),(-?[\d.]+)/g)].map(([, , y]) => Number(y))
    // Three of 100 are near the bottom of the drawing.
    expect(Math.max(...heights)).toBeGreaterThan(200)
  })

  it("is drawn with quiet hours shortened, and says so", () => {
    const scale = timeScale({ endMillis: 3_600_000, moments: [1000, 2000, 3000, 3_599_000], range: [0, 900] })
    expect(scale.cuts).toEqual([{ fromMillis: 3000, toMillis: 3_599_000 }])
    expect(scale.x(3000)).toBeGreaterThan(400)
    expect(scale.x(3_600_000)).toBe(900)
    expect(html(report([storyRun()]))).toContain("cut short")
  })

  it("is drawn uncut if it has no quiet times", () => {
    const moments = Array.from({ length: 60 }, (_, index) => index * 1000)
    const scale = timeScale({ endMillis: 60_000, moments, range: [0, 600] })
    expect(scale.cuts).toEqual([])
    expect(scale.ticks.map(({ text }) => text)).toEqual(["0s", "10s", "20s", "30s", "40s", "50s", "1m"])
  })
})

/** Tags that are not closed in order, without void elements of HTML and self-closing ones of SVG. */
const misnested = (page: string): ReadonlyArray<string> => {
  const open: Array<string> = []
  const wrong: Array<string> = []
  const body = page.replaceAll(/<style>[^]*?<\/style>/g, "")
  for (const [, slash, name = "", rest = ""] of body.matchAll(/<(\/?)([a-z][a-z0-9]*)([^>]*)>/gi)) {
    if (name === "meta" || name === "link" || rest.endsWith("/")) continue
    if (slash === "") open.push(name)
    else if (open.pop() !== name) wrong.push(name)
  }
  return [...wrong, ...open]
}
