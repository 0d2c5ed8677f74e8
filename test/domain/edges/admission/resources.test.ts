import { describe, expect, it } from "vitest"
import { validateUpdate, withDefaults } from "../../../../src/kubernetes/admission/admit.ts"
import { quantityProblem } from "../../../../src/kubernetes/meta/amounts/quantity.ts"
import { aDeployment, deployments, edited, podErrors, texts, type ErrorRow } from "../../admission/drafts.ts"

const path = "spec.containers[0].resources"
const gpu = "example.com/gpu"

const asking = (resources: object): ErrorRow["edits"] => [["spec.containers.0.resources", resources]]
/** Both fields at once, since limits are requests where nothing else is said. */
const limited = (limits: object): ErrorRow["edits"] => asking({ limits: { cpu: "1", ...limits } })
const inBoth = (name: string, problem: string): ReadonlyArray<string> =>
  ["limits", "requests"].map((list) => `${path}.${list}[${name}]: Invalid value: ${problem}`)
const parts = (name: string, amount = 3): ReadonlyArray<string> =>
  inBoth(name, `"${amount}": ${amount} is not positive integer multiple of ${name}`)

describe("resources (TestValidateResourceRequirements)", () => {
  const rows: ReadonlyArray<ErrorRow> = [
    {
      why: "those of Kubernetes, whole devices, and nothing at all",
      edits: limited({ memory: "0", "ephemeral-storage": "1Gi", [gpu]: "2", "hugepages-2Mi": "0" }),
      errors: []
    },
    {
      why: "a name of a wrong shape is none of Kubernetes' either",
      edits: limited({ "-x": "1" }),
      errors: ["limits", "requests"].flatMap((list) => [
        `${path}.${list}[-x]: Invalid value: "-x": name part must consist of alphanumeric characters, '-', '_' ` +
          "or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or " +
          "'123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
        `${path}.${list}[-x]: Invalid value: "-x": must be a standard resource for containers`
      ])
    },
    {
      why: "what is no amount is told, and not compared",
      edits: asking({ limits: { cpu: "1" }, requests: { cpu: "two" } }),
      errors: [`${path}.requests[cpu]: Invalid value: "two": ${quantityProblem}`]
    },
    {
      why: "a device that is asked for is the limit as well",
      edits: asking({ limits: { [gpu]: "3" }, requests: { [gpu]: "2" } }),
      errors: [`${path}.requests: Invalid value: "2": must be equal to ${gpu} limit of 3`]
    },
    {
      why: "memory that is asked for may be less, or as much in other words",
      edits: asking({ limits: { memory: "1Gi", cpu: "1" }, requests: { memory: "1024Mi", cpu: "300m" } }),
      errors: []
    },
    { why: "pages have a size", edits: limited({ "hugepages-big": "3" }), errors: parts("hugepages-big") },
    { why: "that is not nothing", edits: limited({ "hugepages-0": "3" }), errors: parts("hugepages-0") },
    { why: "nor less than nothing", edits: limited({ "hugepages--1": "3" }), errors: parts("hugepages--1") },
    {
      why: "nor a fraction, even where it fits",
      edits: limited({ "hugepages-1500m": "4" }),
      errors: parts("hugepages-1500m", 4)
    }
  ]
  it.each(rows)("$why", ({ edits, errors }) => {
    expect(podErrors(edits)).toEqual(errors)
  })
})

describe("parts of pages that got in before the rule was made (TestValidatePodTemplateSpec)", () => {
  const container = "spec.template.spec.containers.0"
  const pages = (amount: string) =>
    withDefaults(
      deployments,
      edited(aDeployment(), [`${container}.resources`, { limits: { cpu: "1", "hugepages-2Mi": amount } }])
    )
  const renamed = (amount: string) => edited(pages(amount), [`${container}.name`, ""])

  it.each([
    { why: "may stay", before: "3Mi", after: pages("3Mi"), errors: 0 },
    { why: "may become others", before: "3Mi", after: pages("5Mi"), errors: 0 },
    { why: "are not let in by an update", before: "4Mi", after: pages("5Mi"), errors: 1 },
    { why: "excuse nothing else", before: "3Mi", after: renamed("3Mi"), errors: 1 }
  ])("$why", ({ before, after, errors }) => {
    const found = texts(validateUpdate(deployments, after, pages(before)))
    expect(found).toHaveLength(errors)
  })
})
