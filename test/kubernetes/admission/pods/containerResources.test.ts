import { describe, expect, it } from "vitest"
import { validateUpdate, withDefaults } from "../../../../src/kubernetes/admission/admit.ts"
import { quantityProblem } from "../../../../src/kubernetes/meta/amounts/quantity.ts"
import { aDeployment, deployments, edited, podErrors, errorTexts, type ErrorRow } from "../drafts.ts"

const path = "spec.containers[0].resources"
const gpu = "example.com/gpu"

const withResources = (resources: object): ErrorRow["edits"] => [["spec.containers.0.resources", resources]]
/** Sets limits, which also become requests by default. */
const withLimits = (limits: object): ErrorRow["edits"] => withResources({ limits: { cpu: "1", ...limits } })
const inBoth = (name: string, problem: string): ReadonlyArray<string> =>
  ["limits", "requests"].map((list) => `${path}.${list}[${name}]: Invalid value: ${problem}`)
const notMultiples = (name: string, amount = 3): ReadonlyArray<string> =>
  inBoth(name, `"${amount}": ${amount} is not positive integer multiple of ${name}`)

describe("resources (TestValidateResourceRequirements)", () => {
  const rows: ReadonlyArray<ErrorRow> = [
    {
      why: "accept standard resources, whole devices and 0",
      edits: withLimits({ memory: "0", "ephemeral-storage": "1Gi", [gpu]: "2", "hugepages-2Mi": "0" }),
      errors: []
    },
    {
      why: "report two errors for an invalid name",
      edits: withLimits({ "-x": "1" }),
      errors: ["limits", "requests"].flatMap((list) => [
        `${path}.${list}[-x]: Invalid value: "-x": name part must consist of alphanumeric characters, '-', '_' ` +
          "or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or " +
          "'123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
        `${path}.${list}[-x]: Invalid value: "-x": must be a standard resource for containers`
      ])
    },
    {
      why: "report an invalid quantity without comparing it",
      edits: withResources({ limits: { cpu: "1" }, requests: { cpu: "two" } }),
      errors: [`${path}.requests[cpu]: Invalid value: "two": ${quantityProblem}`]
    },
    {
      why: "require equal request and limit of a device",
      edits: withResources({ limits: { [gpu]: "3" }, requests: { [gpu]: "2" } }),
      errors: [`${path}.requests: Invalid value: "2": must be equal to ${gpu} limit of 3`]
    },
    {
      why: "accept a lower or equal request of memory",
      edits: withResources({
        limits: { memory: "1Gi", cpu: "1" },
        requests: { memory: "1024Mi", cpu: "300m" }
      }),
      errors: []
    },
    {
      why: "reject huge pages without a size",
      edits: withLimits({ "hugepages-big": "3" }),
      errors: notMultiples("hugepages-big")
    },
    {
      why: "reject huge pages of size 0",
      edits: withLimits({ "hugepages-0": "3" }),
      errors: notMultiples("hugepages-0")
    },
    {
      why: "reject huge pages of a negative size",
      edits: withLimits({ "hugepages--1": "3" }),
      errors: notMultiples("hugepages--1")
    },
    {
      why: "reject huge pages of a fractional size",
      edits: withLimits({ "hugepages-1500m": "4" }),
      errors: notMultiples("hugepages-1500m", 4)
    }
  ]
  it.each(rows)("$why", ({ edits, errors }) => {
    expect(podErrors(edits)).toEqual(errors)
  })
})

describe("fractional huge pages that are already stored (TestValidatePodTemplateSpec)", () => {
  const container = "spec.template.spec.containers.0"
  const pages = (amount: string) =>
    withDefaults(
      deployments,
      edited(aDeployment(), [`${container}.resources`, { limits: { cpu: "1", "hugepages-2Mi": amount } }])
    )
  const withoutName = (amount: string) => edited(pages(amount), [`${container}.name`, ""])

  it.each([
    { why: "may stay", before: "3Mi", after: pages("3Mi"), errors: 0 },
    { why: "may change to other fractions", before: "3Mi", after: pages("5Mi"), errors: 0 },
    { why: "may not be added by an update", before: "4Mi", after: pages("5Mi"), errors: 1 },
    { why: "do not excuse other errors", before: "3Mi", after: withoutName("3Mi"), errors: 1 }
  ])("$why", ({ before, after, errors }) => {
    const problemsFound = errorTexts(validateUpdate(deployments, after, pages(before)))
    expect(problemsFound).toHaveLength(errors)
  })
})
