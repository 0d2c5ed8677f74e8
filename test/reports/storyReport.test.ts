import { describe, expect, it } from "vitest"
import { storyJunit } from "../../src/reports/storyJunit.ts"
import { storyJson } from "../../src/reports/storyJson.ts"
import { repeatCommand, storyReport } from "../../src/reports/storyReport.ts"
import { violationFailure, controlCharacters, report, storyRun } from "./sampleRuns.ts"

const unsettled = storyRun({
  seed: 3,
  outcome: "unsettled",
  failures: [
    {
      type: "unsettled",
      atMillis: 3_600_000,
      message: "not settled after 1h: Deployment/web waits for 1 of 10 Pods"
    }
  ],
  endMillis: 3_600_000
})
const failed = storyRun({ seed: 2, outcome: "failed", failures: [violationFailure()] })
const asExpected = storyRun({ failures: [{ ...violationFailure(), isExpected: true }] })
const runs = [storyRun(), failed, unsettled]
const shrunk = {
  seed: 2,
  yaml: "kind: Scenario\n",
  isRunnable: true,
  parts: 1,
  partsBefore: 9,
  plays: 31,
  writes: 4321,
  isSmallest: true
}

describe("JUnit's XML", () => {
  it("has a suite for the story and a case for each seed, with its failures", () => {
    expect(storyJunit(report(runs, { shrunk }))).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="charthouse" tests="3" failures="1" errors="1" time="4822.000">
  <testsuite name="rolling-under-fire" tests="3" failures="1" errors="1" time="4822.000" skipped="0">
    <properties>
      <property name="charthouse" value="0.1.0"/>
      <property name="file" value="scripts/scenarios/rolling-under-fire.yaml"/>
    </properties>
    <testcase name="seed 1" classname="rolling-under-fire" time="611.000"/>
    <testcase name="seed 2" classname="rolling-under-fire" time="611.000">
      <failure message="available &gt;= desired - maxUnavailable: 7 &gt;= 8" type="floor">[1] +4.600s  default/web: Deployment controller scaled ReplicaSet web-5d8f from 8 to 5
      9 available, 3 to go of which 1 are not available: 9 - 2 = 7; desired 10 - unavailable 2 = 8
      broken: available &gt;= desired - maxUnavailable: 7 &gt;= 8
repeat it with: charthouse run scripts/scenarios/rolling-under-fire.yaml --seed 2

The smallest story that fails in the same way:

kind: Scenario
</failure>
    </testcase>
    <testcase name="seed 3" classname="rolling-under-fire" time="3600.000">
      <error message="not settled after 1h: Deployment/web waits for 1 of 10 Pods" type="unsettled">[1] +3600.000s  not settled after 1h: Deployment/web waits for 1 of 10 Pods
repeat it with: charthouse run scripts/scenarios/rolling-under-fire.yaml --seed 3</error>
    </testcase>
  </testsuite>
</testsuites>
`)
  })

  it("has no failure for a seed that failed as expected, and has the expected failure as output", () => {
    const xml = storyJunit(report([asExpected]))
    expect(xml).toContain('<testsuite name="rolling-under-fire" tests="1" failures="0" errors="0"')
    expect(xml).toContain(
      "<system-out>failed as expected: available &gt;= desired - maxUnavailable: 7 &gt;= 8\n[1]"
    )
    expect(xml).not.toMatch(/<(failure|error) /)
  })

  const hostile = [`]]><x/>`, `"'<&>`, `a\u0000b\u000Bc\uFFFEd\u{D800}e`, `&#0;`, "two\nlines"]
  it.for(hostile)("escapes any text: %j", (text) => {
    const run = storyRun({
      story: text,
      outcome: "failed",
      failures: [{ type: "step", step: 1, atMillis: 1, message: text }]
    })
    const xml = storyJunit(report([run], { file: text, version: "1" }))
    const tags = [...xml.matchAll(/<\/?([a-zA-Z?]+)/g)].map(([, name]) => name)
    const suite = [
      "properties",
      "property",
      "property",
      "properties",
      "testcase",
      "failure",
      "failure",
      "testcase"
    ]
    expect(tags).toEqual(["?xml", "testsuites", "testsuite", ...suite, "testsuite", "testsuites"])
    expect(controlCharacters(xml)).toEqual([])
    expect(xml).not.toMatch(/[\uFFFE\uFFFF]|&(?!(amp|lt|gt|quot|apos);)/)
    expect(xml.isWellFormed()).toBe(true)
  })
})

describe("JSON", () => {
  it("has a run for each seed, details of failed ones, and null for unknown values", () => {
    const document: unknown = JSON.parse(storyJson(report(runs)))
    expect(document).toMatchObject({
      apiVersion: "charthouse.dev/v1",
      kind: "ScenarioReport",
      charthouse: "0.1.0",
      story: "rolling-under-fire",
      outcome: "failed",
      seeds: { first: 1, last: 3, count: 3 },
      runs: [
        { seed: 1, outcome: "passed", failures: [] },
        { seed: 2, outcome: "failed", failures: [{ type: "violation", violation: { rule: "floor" } }] },
        { seed: 3, outcome: "unsettled", failures: [{ type: "unsettled" }] }
      ],
      shownRuns: [
        {
          deployments: [{ podsMax: 12, reached: { podsMost: 13 } }],
          seed: 2,
          outcome: "failed",
          faults: [{ endedMillis: 9000 }, { endedMillis: null }]
        },
        { seed: 3, outcome: "unsettled" }
      ],
      shrunk: null
    })
  })

  it("has the expected failures of a story that has passed", () => {
    const document: unknown = JSON.parse(storyJson(report([asExpected])))
    const failures = [{ type: "violation", isExpected: true, violation: { rule: "floor" } }]
    expect(document).toMatchObject({
      outcome: "passed",
      runs: [{ outcome: "passed", failures }],
      shownRuns: [{ failures }]
    })
  })

  it("has the same bytes for the same runs", () => {
    expect(storyJson(report(runs, { shrunk }))).toBe(storyJson(report(runs, { shrunk })))
  })
})

describe("a story report", () => {
  it("shows the first seed if all have passed, and at most five failed ones", () => {
    const about = { story: "s", description: undefined, file: "s.yaml", version: "1" }
    const passed = storyReport(about, [storyRun(), storyRun({ seed: 2 })], undefined)
    expect(passed).toMatchObject({ outcome: "passed", shownRuns: [{ seed: 1 }] })
    const many = Array.from({ length: 9 }, (_, index) => ({ ...unsettled, seed: index }))
    expect(storyReport(about, many, undefined)).toMatchObject({ outcome: "unsettled" })
    expect(storyReport(about, many, undefined).shownRuns).toHaveLength(5)
  })

  it("quotes a file name for the shell if necessary", () => {
    expect(repeatCommand("a/b-1.yaml", 7)).toBe("charthouse run a/b-1.yaml --seed 7")
    expect(repeatCommand("it's $HOME.yaml", 7)).toBe(`charthouse run 'it'\\''s $HOME.yaml' --seed 7`)
  })
})
