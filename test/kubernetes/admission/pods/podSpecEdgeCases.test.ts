import { describe, expect, it } from "vitest"
import { validateCreate, withDefaults } from "../../../../src/kubernetes/admission/admit.ts"
import { aDeployment, deployments, edited, podErrors, errorTexts, type ErrorRow } from "../drafts.ts"

const field = "spec.tolerations[0]"
const tolerating = (toleration: object): ErrorRow["edits"] => [["spec.tolerations", [toleration]]]
const deadline = "must be between 1 and 2147483647, inclusive"

const check = (rows: ReadonlyArray<ErrorRow>): void => {
  it.each(rows)("$why", ({ edits, errors }) => {
    expect(podErrors(edits)).toEqual(errors)
  })
}

describe("a toleration (TestValidateTolerations)", () => {
  check([
    {
      why: "may have a value without an operator",
      edits: tolerating({ key: "a", value: "b", effect: "NoSchedule" }),
      errors: []
    },
    {
      why: "may have a value with Equal",
      edits: tolerating({ key: "a", operator: "Equal", value: "b", effect: "PreferNoSchedule" }),
      errors: []
    },
    { why: "may have a key only", edits: tolerating({ key: "a", operator: "Exists" }), errors: [] },
    {
      why: "may match all taints, with tolerationSeconds",
      edits: tolerating({ operator: "Exists", effect: "NoExecute", tolerationSeconds: 7 }),
      errors: []
    },
    {
      why: "requires a qualified name as key",
      edits: tolerating({ key: "a/b/c", operator: "Exists" }),
      errors: [
        `${field}.key: Invalid value: "a/b/c": a qualified name must consist of alphanumeric characters, '-', ` +
          "'_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or " +
          "'123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional " +
          "DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
      ]
    },
    {
      why: "requires a label value, and reports the operator",
      edits: tolerating({ key: "a", value: `-${"b".repeat(63)}` }),
      errors: [
        `${field}.operator: Invalid value: "-${"b".repeat(63)}": must be no more than 63 bytes;` +
          "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must " +
          "start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used " +
          "for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
      ]
    },
    {
      why: "rejects a value with Exists",
      edits: tolerating({ key: "a", operator: "Exists", value: "b" }),
      errors: [
        `${field}.operator: Invalid value: {"key":"a","operator":"Exists","value":"b"}: ` +
          "value must be empty when `operator` is 'Exists'"
      ]
    },
    {
      why: "rejects an unknown operator",
      edits: tolerating({ key: "a", operator: "Like", value: "-" }),
      errors: [`${field}.operator: Unsupported value: "Like": supported values: "Equal", "Exists"`]
    },
    {
      why: "rejects an unknown effect",
      edits: tolerating({ key: "a", operator: "Exists", effect: "NoLunch" }),
      errors: [
        `${field}.effect: Unsupported value: "NoLunch": supported values: "NoSchedule", "PreferNoSchedule", ` +
          '"NoExecute"'
      ]
    }
  ])
})

describe("other fields of a Pod (TestValidatePodSpec)", () => {
  check([
    { why: "accept a deadline of 1", edits: [["spec.activeDeadlineSeconds", 1]], errors: [] },
    {
      why: "accept a deadline of 32 bits",
      edits: [["spec.activeDeadlineSeconds", 2_147_483_647]],
      errors: []
    },
    {
      why: "reject a deadline above 32 bits",
      edits: [["spec.activeDeadlineSeconds", 2_147_483_648]],
      errors: [`spec.activeDeadlineSeconds: Invalid value: 2147483648: ${deadline}`]
    },
    {
      why: "reject an unknown preemption policy",
      edits: [["spec.preemptionPolicy", "Sometimes"]],
      errors: [
        'spec.preemptionPolicy: Unsupported value: "Sometimes": supported values: "Never", ' +
          '"PreemptLowerPriority"'
      ]
    },
    { why: "accept an empty host name", edits: [["spec.hostname", ""]], errors: [] }
  ])
})

describe("ports on the host's network (TestValidatePodSpec)", () => {
  const problem = "must match `containerPort` when `hostNetwork` is true"

  check([
    {
      why: "default to the container port",
      edits: [
        ["spec.hostNetwork", true],
        ["spec.containers.0.ports", [{ containerPort: 80 }]]
      ],
      errors: []
    },
    {
      why: "have no default without a container port",
      edits: [
        ["spec.hostNetwork", true],
        ["spec.containers.0.ports", [{}]]
      ],
      errors: ["spec.containers[0].ports[0].containerPort: Required value"]
    }
  ])

  it.each([
    { why: "the same host port", port: { containerPort: 80, hostPort: 80 }, errors: [] },
    { why: "no host port", port: { containerPort: 80 }, errors: [] },
    {
      why: "another host port, which is rejected",
      port: { containerPort: 80, hostPort: 1 },
      errors: [`spec.template.spec.containers[0].ports[0].hostPort: Invalid value: 1: ${problem}`]
    }
  ])("of a template: $why", ({ port, errors }) => {
    const deployment = edited(
      aDeployment(),
      ["spec.template.spec.hostNetwork", true],
      ["spec.template.spec.containers.0.ports", [port]]
    )
    expect(errorTexts(validateCreate(deployments, withDefaults(deployments, deployment)))).toEqual(errors)
  })
})
