import { describe, expect, it } from "vitest"
import { planAnnotations } from "../../../src/reports/plan/planAnnotations.ts"
import { planJunit } from "../../../src/reports/plan/planJunit.ts"
import { planMarkdown } from "../../../src/reports/plan/planMarkdown.ts"
import { planSarif } from "../../../src/reports/plan/planSarif.ts"
import { reportOf, shippingRollout } from "./sampleReport.ts"
import { sampleRollout } from "../samplePlan.ts"

const stuck = { ...sampleRollout, stuck: 30, late: 0, duration: undefined }
const reportWithReason = (reason: string) => reportOf([{ ...stuck, reasons: [{ reason, seeds: 30 }] }])

describe("the comment of a plan", () => {
  it("begins with a line that identifies it, and has a line for each workload, the worst first", () => {
    const lines = planMarkdown(reportOf([shippingRollout, stuck])).split("\n")
    expect(lines.slice(0, 8)).toEqual([
      "<!-- charthouse plan -->",
      "### ✗ Rollout plan: stuck",
      "",
      "Don't ship Deployment/shop: it never completes, capacity is halved for 1m1s and 1.8% of requests are lost. One field makes it better. 1 stuck, 1 ships.",
      "",
      "|  | workload | why | duration | fewest available | requests lost |",
      "| --- | --- | --- | --- | --- | --- |",
      "| ✗ stuck | **Deployment/shop** | never completes: Pods had not started yet | never completes | 2 of 4 | 131 of 7,348 |"
    ])
    expect(lines[8]).toBe("| ✓ ships | **Deployment/blog** |  | 50.1s (worst 1m13.5s) | 4 of 4 |  |")
  })

  it("folds the details of each workload", () => {
    const text = planMarkdown(reportOf([shippingRollout, stuck]))
    expect(text.match(/^<details><summary>.*$/gm)).toEqual([
      "<details><summary>✗ Deployment/shop: how it goes</summary>",
      "<details><summary>✓ Deployment/blog: how it goes</summary>"
    ])
    expect(text.match(/^<\/details>$/gm)).toHaveLength(2)
  })

  it("has a column for each environment", () => {
    const text = planMarkdown(reportOf([stuck], { environments: ["test", "production"] }))
    expect(text).toContain("| workload | test | production |")
    expect(text).toContain(
      "| **Deployment/shop** | ✗ stuck: never completes: Pods had not started yet | ✗ stuck: never completes"
    )
  })

  const hostile = [
    { why: "ends a cell of the table", reason: "a | b", shown: "a \\| b" },
    { why: "is HTML", reason: "<img src=x> &amp;", shown: "&lt;img src=x&gt; &amp;amp;" },
    { why: "mentions a user", reason: "ask @octocat", shown: "ask @<!-- -->octocat" },
    { why: "names an issue", reason: "see #12", shown: "see #<!-- -->12" },
    { why: "is Markdown", reason: "[x](y) `z` *w*", shown: "\\[x\\](y) \\`z\\` \\*w\\*" },
    { why: "has another line", reason: "one\ntwo", shown: "one\\\\ntwo" }
  ]
  it.each(hostile)("shows a reason as it is that $why", ({ reason, shown }) => {
    expect(planMarkdown(reportWithReason(reason))).toContain(`| never completes: ${shown} |`)
  })

  it("is never longer than GitHub takes: the details of the best workloads are left out", () => {
    const rollouts = Array.from({ length: 200 }, (_, index) => ({
      ...shippingRollout,
      name: `blog-${index}`
    }))
    const text = planMarkdown(reportOf([...rollouts, stuck]))
    expect(text.length).toBeLessThanOrEqual(65_536)
    expect(text).toContain("<summary>✗ Deployment/shop")
    expect(text).toMatch(/^Details of \d+ more workloads are left out\.$/m)
    expect(text.match(/^\| ✓ ships/gm)).toHaveLength(200)
  })

  it("says that no workload changes", () => {
    expect(planMarkdown(reportOf([]))).toContain("### ✓ Rollout plan: no rollout\n\nNo workload changes.")
  })
})

describe("the annotations of a plan", () => {
  it("are at the lines of the fields", () => {
    expect(planAnnotations(reportOf([stuck]))).toBe(
      "::error file=deploy/shop & co.yaml,line=9,col=3,title=Deployment/shop%3A The rollout never completes::" +
        "never completes: Pods had not started yet\n"
    )
  })

  it("warn of what does not fail the plan", () => {
    const lines = planAnnotations(reportOf([{ ...sampleRollout, late: 0 }])).split("\n")
    expect(lines[0]).toMatch(/^::warning file=.*::1\.8%25 of requests are lost$/)
  })

  it("cannot be added to by a text of a manifest", () => {
    const text = planAnnotations(reportWithReason("100%\n::error::no"))
    expect(text.split("\n")).toHaveLength(2)
    expect(text).toContain("never completes: 100%25\\n::error::no")
  })

  it("are one notice if all rollouts ship", () => {
    expect(planAnnotations(reportOf([shippingRollout]))).toBe(
      "::notice title=charthouse plan::1 rollout ships, played with 30 seeds\n"
    )
  })
})

describe("the JUnit suite of a plan", () => {
  it("has a test case for each workload, which fails if it fails the plan", () => {
    const xml = planJunit(reportOf([shippingRollout, stuck]))
    expect(xml).toContain('<testsuite name="plan" tests="2" failures="1" errors="0"')
    expect(xml).toContain(
      '<testcase name="Deployment/shop" classname="charthouse.plan" time="0.000" file="deploy/shop &amp; co.yaml" line="2">'
    )
    expect(xml.match(/<failure [^>]*>/g)).toEqual([
      '<failure message="stuck: never completes: Pods had not started yet" type="rollout-stuck">'
    ])
  })

  it("fails a risky rollout only if the plan is strict", () => {
    const risky = { ...sampleRollout, late: 0 }
    expect(planJunit(reportOf([risky]))).not.toContain("<failure")
    expect(planJunit(reportOf([risky], { changes: { isStrict: true } }))).toContain("<failure")
  })

  it("has a suite for each environment", () => {
    const xml = planJunit(reportOf([stuck], { environments: ["test", "production"] }))
    expect(xml.match(/<testsuite name="[^"]*"/g)).toEqual([
      '<testsuite name="plan in test"',
      '<testsuite name="plan in production"'
    ])
  })
})

describe("an object that the API server refuses", () => {
  const message = "spec.selector: Required value"
  const place = { file: "old.yaml", line: 3, column: 1 }
  const report = reportOf([shippingRollout], {
    changes: {
      refused: [
        {
          verdict: "refused",
          title: "Deployment/old",
          kind: "Deployment",
          namespace: "default",
          name: "old",
          message,
          place
        }
      ]
    }
  })

  it("is an error in each report, beside a rollout that ships", () => {
    expect(planAnnotations(report)).toBe(
      "::error file=old.yaml,line=3,col=1,title=Deployment/old%3A refused::spec.selector: Required value\n"
    )
    expect(planJunit(report)).toContain('<testsuite name="kubectl apply" tests="1" failures="1"')
    expect(planMarkdown(report)).toContain("Don't ship: kubectl apply fails for Deployment/old.")
    expect(planMarkdown(report)).toContain(`- ✗ refused: **Deployment/old**: ${message}`)
    expect(JSON.parse(planSarif(report)).runs[0].results).toEqual([
      expect.objectContaining({ ruleId: "object-refused", level: "error" })
    ])
  })
})
