import { describe, expect, it } from "vitest"
import { planSarif } from "../../../src/reports/plan/planSarif.ts"
import { reportOf, shippingRollout } from "./sampleReport.ts"
import { sampleRollout } from "../samplePlan.ts"

/**
 * The part of the published schema that a plan uses: of each object the fields that it may have, with `!` those that
 * it must have. Lists are in brackets, quoted texts are the only ones allowed.
 *
 * Source: sarif-schema-2.1.0.json of the OASIS Standard, definitions of the same names.
 */
const schema: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  log: { $schema: "uri", version: "!'2.1.0'", runs: "![run]" },
  run: {
    tool: "!tool",
    automationDetails: "runAutomationDetails",
    columnKind: "'utf16CodeUnits'|'unicodeCodePoints'",
    invocations: "[invocation]",
    artifacts: "[artifact]",
    results: "[result]"
  },
  tool: { driver: "!toolComponent" },
  toolComponent: { name: "!text", semanticVersion: "text", rules: "[reportingDescriptor]" },
  reportingDescriptor: {
    id: "!text",
    name: "text",
    shortDescription: "multiformatMessageString",
    fullDescription: "multiformatMessageString",
    help: "multiformatMessageString",
    defaultConfiguration: "reportingConfiguration"
  },
  multiformatMessageString: { text: "!text" },
  reportingConfiguration: { level: "'none'|'note'|'warning'|'error'" },
  runAutomationDetails: { id: "text" },
  invocation: {
    executionSuccessful: "!boolean",
    exitCode: "integer",
    toolExecutionNotifications: "[notification]"
  },
  notification: { message: "!message", level: "'none'|'note'|'warning'|'error'" },
  message: { text: "text" },
  artifact: { location: "artifactLocation" },
  artifactLocation: { uri: "uri", uriBaseId: "text" },
  result: {
    ruleId: "text",
    ruleIndex: "integer",
    level: "'none'|'note'|'warning'|'error'",
    message: "!message",
    locations: "[location]",
    partialFingerprints: "strings",
    suppressions: "[suppression]"
  },
  location: { physicalLocation: "physicalLocation", logicalLocations: "[logicalLocation]" },
  physicalLocation: { artifactLocation: "artifactLocation", region: "region" },
  region: { startLine: "integer", startColumn: "integer" },
  logicalLocation: { name: "text", fullyQualifiedName: "text", kind: "text" },
  suppression: {
    kind: "!'inSource'|'external'",
    status: "'accepted'|'underReview'|'rejected'",
    justification: "text"
  }
}

const problemsOf = (value: unknown, type: string, path: string): ReadonlyArray<string> => {
  if (type.startsWith("["))
    return Array.isArray(value)
      ? value.flatMap((item, index) => problemsOf(item, type.slice(1, -1), `${path}[${index}]`))
      : [`${path} is no list`]
  if (type.startsWith("'"))
    return type.split("|").includes(`'${String(value)}'`) ? [] : [`${path}: ${String(value)}`]
  if (type === "integer")
    return Number.isInteger(value) && Number(value) >= 0 ? [] : [`${path} is no integer`]
  if (type === "boolean") return typeof value === "boolean" ? [] : [`${path} is no boolean`]
  if (type === "strings")
    return Object.values(value ?? {}).every((it) => typeof it === "string") ? [] : [`${path} has no texts`]
  if (type === "text" || type === "uri") {
    const isText = typeof value === "string" && value !== ""
    return isText &&
      (type === "text" || URL.canParse(value, "file:///")) &&
      !(type === "uri" && /[\s&]/.test(value))
      ? []
      : [`${path} is no ${type}`]
  }
  const fields = schema[type] ?? {}
  if (typeof value !== "object" || value === null) return [`${path} is no ${type}`]
  const missing = Object.entries(fields).filter(([name, it]) => it.startsWith("!") && !(name in value))
  return [
    ...missing.map(([name]) => `${path} lacks ${name}`),
    ...Object.entries(value).flatMap(([name, item]) => {
      const fieldType = fields[name]?.replace("!", "")
      return fieldType === undefined
        ? [`${path}.${name} is not in the schema`]
        : problemsOf(item, fieldType, `${path}.${name}`)
    })
  ]
}

interface Log {
  readonly runs: ReadonlyArray<{
    readonly tool: { readonly driver: { readonly rules: ReadonlyArray<{ readonly id: string }> } }
    readonly artifacts: ReadonlyArray<object>
    readonly results: ReadonlyArray<{
      readonly ruleId: string
      readonly ruleIndex: number
      readonly partialFingerprints: object
    }>
  }>
}

const runOf = (text: string) => {
  const [run] = (JSON.parse(text) as Log).runs
  if (run === undefined) throw new Error("there is no run")
  return run
}

const stuck = { ...sampleRollout, stuck: 30, late: 0, duration: undefined }
const suppressing = {
  suppressions: [{ rule: "requests-lost" as const, workloads: undefined, because: "clients try again" }]
}
const risky = { ...sampleRollout, late: 0, reasons: [] }

describe("the SARIF of a plan", () => {
  const rows = [
    { why: "a rollout is stuck", report: reportOf([stuck, shippingRollout]) },
    { why: "a reason does not count", report: reportOf([risky], { options: suppressing }) },
    { why: "there are environments", report: reportOf([stuck], { environments: ["test", "production"] }) },
    { why: "all rollouts ship", report: reportOf([shippingRollout]) },
    { why: "nothing changes", report: reportOf([]) }
  ]
  it.each(rows)("is valid if $why", ({ report }) => {
    expect(problemsOf(JSON.parse(planSarif(report)), "log", "log")).toEqual([])
  })

  it("has the rule, the file, the line and the column of the field", () => {
    const { results, tool } = runOf(planSarif(reportOf([stuck])))
    expect(results).toMatchObject([
      {
        ruleId: "rollout-stuck",
        level: "error",
        message: { text: "Deployment/shop: never completes: Pods had not started yet" },
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: "deploy/shop%20%26%20co.yaml", uriBaseId: "%SRCROOT%" },
              region: { startLine: 9, startColumn: 3 }
            },
            logicalLocations: [{ fullyQualifiedName: "apps/Deployment/default/shop" }]
          }
        ]
      }
    ])
    for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex]?.id).toBe(ruleId)
  })

  it("has no result and all rules if all rollouts ship", () => {
    const { results, tool, artifacts } = runOf(planSarif(reportOf([shippingRollout])))
    expect(results).toEqual([])
    expect(artifacts).toHaveLength(1)
    expect(tool.driver.rules.length).toBeGreaterThan(10)
  })

  it("says why a result does not count", () => {
    expect(runOf(planSarif(reportOf([risky], { options: suppressing }))).results).toMatchObject([
      { ruleId: "requests-lost", suppressions: [{ kind: "external", justification: "clients try again" }] }
    ])
  })

  it("has the same fingerprint for other numbers, and another one for another environment or reason", () => {
    const fingerprintsOf = (report: Parameters<typeof planSarif>[0]) =>
      runOf(planSarif(report)).results.map(({ partialFingerprints }) => JSON.stringify(partialFingerprints))
    const [first] = fingerprintsOf(reportOf([stuck]))
    expect(fingerprintsOf(reportOf([{ ...stuck, stuck: 29 }]))).toEqual([first])
    expect(new Set(fingerprintsOf(reportOf([stuck], { environments: ["a", "b"] }))).size).toBe(2)
    const reasons = ["ConfigMap/a is missing", "ConfigMap/b is missing"].map((reason) => ({
      reason,
      seeds: 6
    }))
    const [one, other] = fingerprintsOf(reportOf([{ ...stuck, reasons }]))
    expect([one === first, other === first]).toEqual([true, false])
  })
})
