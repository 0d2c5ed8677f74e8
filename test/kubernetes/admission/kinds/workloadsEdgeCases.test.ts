import { describe, expect, it } from "vitest"
import { validateCreate, validateUpdate, withDefaults } from "../../../../src/kubernetes/admission/admit.ts"
import { errorBody } from "../../../../src/kubernetes/validation/fieldErrors.ts"
import {
  aDeployment,
  aReplicaSet,
  deployments,
  edited,
  replicaSets,
  errorTexts,
  type Edit,
  type ErrorRow
} from "../drafts.ts"

const stored = withDefaults(deployments, aDeployment())
const storedReplicaSet = withDefaults(replicaSets, aReplicaSet())

const errorsOf = (...edits: ReadonlyArray<Edit>): ReadonlyArray<string> =>
  errorTexts(validateCreate(deployments, edited(stored, ...edits)))

const path = "spec.strategy.rollingUpdate"

describe("validation of a Deployment's strategy and deadline", () => {
  const rolling = (maxUnavailable: unknown, maxSurge: unknown): Edit => [
    "spec.strategy",
    { type: "RollingUpdate", rollingUpdate: { maxUnavailable, maxSurge } }
  ]
  const rows: ReadonlyArray<ErrorRow> = [
    { why: "accepts maxSurge with maxUnavailable 0", edits: [rolling(0, 1)], errors: [] },
    { why: "accepts maxUnavailable with maxSurge 0%", edits: [rolling("1%", "0%")], errors: [] },
    {
      why: "rejects 0 in quotes",
      edits: [rolling(0, "0")],
      errors: [
        `${path}.maxSurge: Invalid value: "0": a valid percent string must be a numeric string followed by ` +
          "an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
        `${path}.maxUnavailable: Invalid value: 0: may not be 0 when \`maxSurge\` is 0`
      ]
    },
    {
      why: "accepts a deadline of one second",
      edits: [["spec.progressDeadlineSeconds", 1]],
      errors: []
    },
    { why: "accepts no deadline", edits: [["spec.progressDeadlineSeconds", undefined]], errors: [] },
    {
      why: "requires rollingUpdate",
      edits: [["spec.strategy", { type: "RollingUpdate" }]],
      errors: [`${path}: Required value: this should be defaulted and never be nil`]
    },
    {
      why: "reports a missing strategy as a Go struct",
      edits: [["spec.strategy", undefined]],
      errors: [
        'spec.strategy: Unsupported value: {"Type":"","RollingUpdate":null}: ' +
          'supported values: "Recreate", "RollingUpdate"'
      ]
    },
    {
      why: "reports an unknown strategy with its maxSurge",
      edits: [["spec.strategy", { type: "Canary", rollingUpdate: { maxSurge: "30%" } }]],
      errors: [
        'spec.strategy: Unsupported value: {"Type":"Canary","RollingUpdate":{"MaxUnavailable":0,"MaxSurge":"30%"}}: ' +
          'supported values: "Recreate", "RollingUpdate"'
      ]
    },
    {
      why: "reports an unknown strategy with its maxUnavailable",
      edits: [["spec.strategy", { type: "Canary", rollingUpdate: { maxUnavailable: 3 } }]],
      errors: [
        'spec.strategy: Unsupported value: {"Type":"Canary","RollingUpdate":{"MaxUnavailable":3,"MaxSurge":0}}: ' +
          'supported values: "Recreate", "RollingUpdate"'
      ]
    }
  ]
  it.each(rows)("$why", ({ edits, errors }) => {
    expect(errorsOf(...edits)).toEqual(errors)
  })
})

describe("validation of a custom strategy", () => {
  const strategies = ["BlueGreen", "Recreate", "RollingUpdate"]
  const cannotRoll = `${path}.maxUnavailable: Invalid value: 0: may not be 0 when \`maxSurge\` is 0`
  it.each([
    { why: "needs no rollingUpdate", strategy: { type: "BlueGreen" }, errors: [] },
    {
      why: "accepts rollingUpdate",
      strategy: { type: "BlueGreen", rollingUpdate: { maxSurge: 1 } },
      errors: []
    },
    {
      why: "rejects rollingUpdate that allows no Pod to be replaced",
      strategy: { type: "BlueGreen", rollingUpdate: {} },
      errors: [cannotRoll]
    },
    {
      why: "rejects the same of RollingUpdate",
      strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: 0 } },
      errors: [cannotRoll]
    },
    {
      why: "rejects a strategy that is not registered",
      strategy: { type: "Canary" },
      errors: [
        'spec.strategy: Unsupported value: {"Type":"Canary","RollingUpdate":null}: ' +
          'supported values: "BlueGreen", "Recreate", "RollingUpdate"'
      ]
    }
  ])("$why", ({ strategy, errors }) => {
    const deployment = edited(stored, ["spec.strategy", strategy])
    expect(errorTexts(validateCreate(deployments, deployment, strategies))).toEqual(errors)
    expect(errorTexts(validateUpdate(deployments, deployment, stored, strategies))).toEqual(errors)
  })
})

describe("the expressions of a selector (TestLabelSelectorMatchExpression)", () => {
  const at = "spec.selector.matchExpressions[0]"
  const forbidden = "Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
  const required = "Required value: must be specified when `operator` is 'In' or 'NotIn'"
  it.each([
    { requirement: { key: "app", operator: "In", values: ["web", "x"] }, errors: [] },
    { requirement: { key: "tier", operator: "NotIn", values: ["x"] }, errors: [] },
    { requirement: { key: "app", operator: "Exists" }, errors: [] },
    { requirement: { key: "tier", operator: "DoesNotExist", values: [] }, errors: [] },
    { requirement: { key: "tier", operator: "NotIn" }, errors: [`${at}.values: ${required}`] },
    {
      requirement: { key: "app", operator: "Exists", values: ["web"] },
      errors: [`${at}.values: ${forbidden}`]
    },
    {
      requirement: { key: "tier", operator: "DoesNotExist", values: ["x"] },
      errors: [`${at}.values: ${forbidden}`]
    },
    {
      requirement: { key: "/a", operator: "DoesNotExist" },
      errors: [`${at}.key: Invalid value: "/a": prefix part must be non-empty`]
    },
    {
      requirement: { key: "tier", operator: "NotIn", values: ["x", "y".repeat(64)] },
      errors: [`${at}.values[1]: Invalid value: "${"y".repeat(64)}": must be no more than 63 bytes`]
    },
    {
      requirement: {},
      errors: [
        `${at}.operator: Invalid value: "": not a valid selector operator`,
        `${at}.key: Invalid value: "": name part must be non-empty`
      ]
    }
  ])("$requirement", ({ requirement, errors }) => {
    const selector = { matchExpressions: [requirement] }
    const fieldErrors = validateCreate(deployments, edited(stored, ["spec.selector", selector]))
    const expressions = fieldErrors.filter(({ field }) => field.startsWith(at))
    expect(errorTexts(expressions).slice(0, errors.length)).toEqual(errors)
    expect(errors.length > 0).toBe(expressions.length > 0)
    const isUseless = fieldErrors.some((error) => errorBody(error).endsWith("invalid label selector"))
    expect(isUseless).toBe(errors.some((text) => /\.values: |\.operator: /.test(text)))
  })

  it.each([
    { labels: { a: "1", b: "2", c: "3" } },
    { labels: { c: "3", b: "2", a: "1" } },
    { labels: { b: "2", c: "3", a: "1" } }
  ])("are reported with sorted labels for $labels", ({ labels }) => {
    expect(errorsOf(["spec.template.metadata.labels", labels])).toEqual([
      'spec.template.metadata.labels: Invalid value: {"a":"1","b":"2","c":"3"}: ' +
        "`selector` does not match template `labels`"
    ])
  })
})

describe("an update that removes the spec", () => {
  it.each([
    { name: "Deployment", kind: deployments, old: stored },
    { name: "ReplicaSet", kind: replicaSets, old: storedReplicaSet }
  ])("of a $name removes its selector", ({ kind, old }) => {
    expect(errorTexts(validateUpdate(kind, edited(old, ["spec", undefined]), old))).toContain(
      "spec.selector: Invalid value: null: field is immutable"
    )
  })
})
