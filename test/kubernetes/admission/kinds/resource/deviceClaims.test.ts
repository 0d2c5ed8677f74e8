import { describe, expect, it } from "vitest"
import { labelRule, podErrors, subdomainRule } from "../../drafts.ts"
import { aDraft, createErrors, refusesChange, refusesNew } from "../kindErrors.ts"

const gpu = { name: "gpu", exactly: { deviceClassName: "gpu.example.com" } }
const claimSpec = { devices: { requests: [gpu] } }
const aClaim = aDraft("ResourceClaim", "gpu", { spec: claimSpec })
const request = "spec.devices.requests[0]"
const identifierRule =
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric " +
  "characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is " +
  "'[A-Za-z_][A-Za-z0-9_]*')"

describe("a ResourceClaim", () => {
  refusesNew(aClaim, [
    { why: "is valid", edits: [], errors: [] },
    {
      why: "names each of its requests once, by a label",
      edits: [["spec.devices.requests", [{ ...gpu, name: "GPU" }, gpu, gpu]]],
      errors: [
        `${request}.name: Invalid value: "GPU": ${labelRule}`,
        'spec.devices.requests[2]: Duplicate value: "gpu"'
      ]
    },
    {
      why: "asks in one way",
      edits: [["spec.devices.requests", [{ name: "a" }, { ...gpu, firstAvailable: [{ name: "b" }] }]]],
      errors: [
        `${request}: Required value: exactly one of \`exactly\` or \`firstAvailable\` is required`,
        "spec.devices.requests[1]: Invalid value: null: exactly one of `exactly` or `firstAvailable` is required, " +
          "but multiple fields are set"
      ]
    },
    {
      why: "needs a class, expressions in its selectors, and a count",
      edits: [["spec.devices.requests.0.exactly", { selectors: [{}], count: -1 }]],
      errors: [
        `${request}.exactly.deviceClassName: Required value`,
        `${request}.exactly.selectors[0].cel: Required value`,
        `${request}.exactly.count: Invalid value: -1: must be greater than zero`
      ]
    },
    {
      why: "constrains requests that it has",
      edits: [["spec.devices.constraints", [{ requests: ["disk"], matchAttribute: "model" }]]],
      errors: [
        'spec.devices.constraints[0].requests[0]: Invalid value: "disk": must be the name of a request in the claim ' +
          "or the name of a request and a subrequest separated by '/'",
        'spec.devices.constraints[0].matchAttribute: Invalid value: "model": a fully qualified name must be a domain ' +
          "and a name separated by a slash"
      ]
    },
    ...[
      { name: "gpu.example.com/model", problems: [] },
      { name: "/model", problems: ['Invalid value: "": the domain must not be empty'] },
      { name: "gpu.example.com/", problems: ['Invalid value: "": the name must not be empty'] },
      { name: "gpu.example.com/my-model", problems: [`Invalid value: "my-model": ${identifierRule}`] },
      { name: `gpu.example.com/${"m".repeat(33)}`, problems: ["Too long: may not be more than 32 bytes"] },
      { name: "a_b/model", problems: [`Invalid value: "a_b": ${subdomainRule}`] }
    ].map(({ name, problems }) => ({
      why: `names an attribute by its domain and a C identifier: ${name}`,
      edits: [["spec.devices.constraints", [{ matchAttribute: name }]]] as const,
      errors: problems.map((problem) => `spec.devices.constraints[0].matchAttribute: ${problem}`)
    })),
    {
      why: "configures drivers of valid names",
      edits: [["spec.devices.config", [{}, { opaque: {} }, { opaque: { driver: "gpu.example.com" } }]]],
      errors: [
        "spec.devices.config[0].opaque: Required value",
        "spec.devices.config[1].opaque.driver: Required value",
        `spec.devices.config[1].opaque.driver: Invalid value: "": ${subdomainRule}`
      ]
    }
  ])
  refusesChange(aClaim, [
    { why: "may be labelled", edits: [["metadata.labels", { team: "ml" }]], errors: [] },
    {
      why: "keeps its spec",
      edits: [["spec.devices.requests.0.exactly.count", 2]],
      errors: [
        'spec: Invalid value: {"devices":{"requests":[{"name":"gpu","exactly":{"deviceClassName":"gpu.example.com",' +
          '"count":2,"allocationMode":"ExactCount"}}]}}: field is immutable'
      ]
    }
  ])
})

it("a ResourceClaimTemplate and a DeviceClass have the rules of a claim, at their own places", () => {
  const template = aDraft("ResourceClaimTemplate", "gpu", { spec: { spec: { devices: { requests: [{}] } } } })
  expect(createErrors(template).at(-1)).toBe(
    "spec.spec.devices.requests[0]: Required value: exactly one of `exactly` or `firstAvailable` is required"
  )
  expect(createErrors(aDraft("DeviceClass", "gpu", { spec: { selectors: [{}] } }))).toEqual([
    "spec.selectors[0].cel: Required value"
  ])
})

describe("a Pod's claims of devices", () => {
  const used = "spec.containers.0.resources"
  it.each([
    {
      why: "are used by the containers that name them",
      claims: [{ name: "gpu", resourceClaimTemplateName: "gpu" }],
      uses: [{ name: "gpu", request: "a" }, { name: "gpu" }],
      errors: []
    },
    {
      why: "have a name each, and come from one place",
      claims: [
        { resourceClaimName: "a" },
        { name: "gpu" },
        { name: "gpu", resourceClaimName: "a", resourceClaimTemplateName: "b" }
      ],
      uses: [],
      errors: [
        "spec.resourceClaims[0].name: Required value",
        'spec.resourceClaims[1]: Invalid value: {"name":"gpu"}: must specify one of: `resourceClaimName`, ' +
          "`resourceClaimTemplateName`",
        'spec.resourceClaims[2].name: Duplicate value: "gpu"',
        'spec.resourceClaims[2]: Invalid value: {"name":"gpu","resourceClaimName":"a",' +
          '"resourceClaimTemplateName":"b"}: at most one of `resourceClaimName` or `resourceClaimTemplateName` may ' +
          "be specified"
      ]
    },
    {
      why: "are the only ones that containers use, each once",
      claims: [
        { name: "gpu", resourceClaimName: "a" },
        { name: "disk", resourceClaimName: "b" }
      ],
      uses: [{ name: "gpu" }, { name: "gpu" }, { name: "net" }],
      errors: [
        'spec.containers[0].resources.claims[1]: Duplicate value: "gpu"',
        'spec.containers[0].resources.claims[2]: Not found: "net": must be one of the names in ' +
          "pod.spec.resourceClaims: disk, gpu"
      ]
    },
    {
      why: "are missing",
      claims: [],
      uses: [{ name: "gpu" }],
      errors: [
        'spec.containers[0].resources.claims[0]: Not found: "gpu": must be one of the names in ' +
          "pod.spec.resourceClaims which is empty"
      ]
    }
  ])("$why", ({ claims, uses, errors }) => {
    expect(
      podErrors([
        ["spec.resourceClaims", claims],
        [used, { claims: uses }]
      ])
    ).toEqual(errors)
  })
})
