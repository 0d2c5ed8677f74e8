import { describe, expect, it } from "vitest"
import { kindNamed } from "../../../builders.ts"
import { validateCreate, withDefaults } from "../../../../src/kubernetes/admission/admit.ts"
import { validateLimitRange } from "../../../../src/kubernetes/admission/kinds/validateLimitRange.ts"
import { errorTexts } from "../drafts.ts"
import type { LooseDraft } from "../../../builders.ts"

const kind = kindNamed("LimitRange")
const gpu = "example.com/gpu"

const aRange = (...limits: ReadonlyArray<object>): LooseDraft => ({
  apiVersion: "v1",
  kind: kind.kind,
  metadata: { name: "sizes", namespace: "shop" },
  spec: { limits }
})
const errorsOf = (...limits: ReadonlyArray<object>): ReadonlyArray<string> =>
  errorTexts(validateCreate(kind, withDefaults(kind, aRange(...limits)))).map((text) =>
    text.replace("spec.limits[0].", "")
  )

const unknownResource = (field: string) => [
  `${field}[disks]: Invalid value: "disks": must be a standard resource type or fully qualified`,
  `${field}[disks]: Invalid value: "disks": must be a standard resource for containers`
]
const claimProblem =
  "limits: Required value: either minimum or maximum storage value is required, but neither was provided"

interface Row {
  readonly why: string
  readonly item: object
  readonly errors: ReadonlyArray<string>
}

describe("the type of a limit (TestValidateLimitRange)", () => {
  const rows: ReadonlyArray<Row> = [
    { why: "may be any qualified name", item: { type: "example.com/bucket" }, errors: [] },
    {
      why: "must be a qualified name",
      item: { type: "Big-" },
      errors: [
        "type: Invalid value: \"Big-\": name part must consist of alphanumeric characters, '-', '_' or '.', and must " +
          "start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for " +
          "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
      ]
    },
    {
      why: "Container requires known resources",
      item: { type: "Container", min: { disks: "1" } },
      errors: [...unknownResource("min"), ...unknownResource("defaultRequest")]
    },
    {
      why: "PersistentVolumeClaim may have a minimum of storage",
      item: { type: "PersistentVolumeClaim", min: { storage: "1Gi" } },
      errors: []
    },
    {
      why: "PersistentVolumeClaim may have a maximum, and other resources beside it",
      item: { type: "PersistentVolumeClaim", max: { storage: "1Gi", disks: "3" } },
      errors: []
    },
    {
      why: "PersistentVolumeClaim requires a minimum or a maximum",
      item: { type: "PersistentVolumeClaim" },
      errors: [claimProblem]
    },
    {
      why: "PersistentVolumeClaim requires storage among its resources",
      item: { type: "PersistentVolumeClaim", min: { disks: "1" }, max: { disks: "3" } },
      errors: [claimProblem]
    },
    {
      why: "Pod forbids defaultRequest",
      item: { type: "Pod", max: { cpu: "1" }, defaultRequest: { cpu: "3" } },
      errors: ["defaultRequest: Forbidden: may not be specified when `type` is 'Pod'"]
    }
  ]
  it.each(rows)("$why", ({ item, errors }) => {
    expect(errorsOf(item)).toEqual(errors)
  })

  it("is unique in a LimitRange", () => {
    expect(errorsOf({ type: "Pod" }, { type: "Container" }, { type: "Pod" })).toEqual([
      'spec.limits[2].type: Duplicate value: "Pod"'
    ])
  })

  it("is not required without a spec", () => {
    const { spec: _spec, ...empty } = aRange()
    expect(validateLimitRange(empty)).toEqual([])
    expect(withDefaults(kind, empty)).toEqual(aRange())
  })
})

describe("the quantities of a limit (TestValidateLimitRange)", () => {
  const rows: ReadonlyArray<Row> = [
    {
      why: "are reported by the name of the resource",
      item: { type: "Pod", min: { memory: "3Gi", cpu: "3" }, max: { memory: "2Gi", cpu: "2" } },
      errors: [
        'min[cpu]: Invalid value: "3": min value 3 is greater than max value 2',
        'min[memory]: Invalid value: "3Gi": min value 3Gi is greater than max value 2Gi'
      ]
    },
    {
      why: "of a device: the default equals the default request",
      item: { type: "Container", default: { [gpu]: "3" }, defaultRequest: { [gpu]: "2" } },
      errors: [
        `defaultRequest[${gpu}]: Invalid value: "2": default value 3 must equal to defaultRequest value 2 in ${gpu}`
      ]
    },
    {
      why: "of a device: equal quantities are valid",
      item: { type: "Container", default: { [gpu]: "3" }, defaultRequest: { [gpu]: "3" } },
      errors: []
    },
    {
      why: "of a device: a default request without a default is valid",
      item: { type: "Container", defaultRequest: { [gpu]: "3" } },
      errors: []
    },
    {
      why: "of a device: a default without a default request is valid",
      item: { type: "example.com/bucket", default: { [gpu]: "3" } },
      errors: []
    },
    {
      why: "of memory: the default request may be less",
      item: { type: "Container", default: { memory: "3Gi" }, defaultRequest: { memory: "2Gi" } },
      errors: []
    }
  ]
  it.each(rows)("$why", ({ item, errors }) => {
    expect(errorsOf(item)).toEqual(errors)
  })
})

describe("maxLimitRequestRatio (TestValidateLimitRange)", () => {
  const withCpuRatio = (ratio: string, bounds: { readonly min?: string; readonly max?: string } = {}) => ({
    type: "Pod",
    ...(bounds.min === undefined ? {} : { min: { cpu: bounds.min } }),
    ...(bounds.max === undefined ? {} : { max: { cpu: bounds.max } }),
    maxLimitRequestRatio: { cpu: ratio }
  })
  const ratioPath = "maxLimitRequestRatio[cpu]"

  const rows: ReadonlyArray<Row> = [
    { why: "may be 1", item: withCpuRatio("1"), errors: [] },
    { why: "may be max/min", item: withCpuRatio("4", { min: "500m", max: "2" }), errors: [] },
    {
      why: "may not exceed max/min",
      item: withCpuRatio("4001m", { min: "500m", max: "2" }),
      errors: [`${ratioPath}: Invalid value: "4001m": ratio 4001m is greater than max/min = 4.000000`]
    },
    { why: "may be anything without min", item: withCpuRatio("7", { max: "2" }), errors: [] },
    { why: "may be anything without max", item: withCpuRatio("7", { min: "2" }), errors: [] },
    {
      why: "may break two rules",
      item: withCpuRatio("900m", { min: "4", max: "2" }),
      errors: [
        'min[cpu]: Invalid value: "4": min value 4 is greater than max value 2',
        `${ratioPath}: Invalid value: "900m": ratio 900m is less than 1`,
        `${ratioPath}: Invalid value: "900m": ratio 900m is greater than max/min = 0.500000`
      ]
    }
  ]
  it.each(rows)("$why", ({ item, errors }) => {
    expect(errorsOf(item)).toEqual(errors)
  })
})
