import { describe, expect, it } from "vitest"
import {
  decodeObject,
  type DecodeResult
} from "../../../../src/kubernetes/admission/decoding/decodeObject.ts"
import { structFieldsOf, wireTypeOf } from "../../../../src/kubernetes/admission/decoding/wireTypes.ts"
import { storedKinds } from "../../../../src/kubernetes/meta/kinds.ts"
import { aDeployment, valueAt, edited, type Edit } from "../drafts.ts"

const decoded = (value: unknown, strict = true): DecodeResult => decodeObject(value, { strict })
const app = "spec.template.spec.containers.0"
const goApp = "spec.template.spec.containers"

/** The error without the prefix that all wrong types of a Deployment share. */
const problemOf = (...edits: ReadonlyArray<Edit>): string => {
  const result = decoded(edited(aDeployment(), ...edits))
  if (result.ok) return "none"
  return result.message.replace('Deployment in version "v1" cannot be handled as a Deployment: ', "")
}

describe("a field of a wrong type gets Go's error", () => {
  const wrong = (actual: string, where: string): string =>
    `json: cannot unmarshal ${actual} into Go struct field ${where}`
  it.each([
    {
      edit: ["spec.replicas", "3"],
      error: wrong("string", "DeploymentSpec.spec.replicas of type int32"),
      why: "a string for a number"
    },
    {
      edit: ["spec.replicas", 1.5],
      error: wrong("number 1.5", "DeploymentSpec.spec.replicas of type int32"),
      why: "a fraction"
    },
    {
      edit: ["spec.replicas", 10_000_000_000],
      error: wrong("number 10000000000", "DeploymentSpec.spec.replicas of type int32"),
      why: "more than 32 bits"
    },
    {
      edit: ["spec.replicas", -2_147_483_649],
      error: wrong("number -2147483649", "DeploymentSpec.spec.replicas of type int32"),
      why: "less than 32 bits"
    },
    {
      edit: ["spec.replicas", [3]],
      error: wrong("array", "DeploymentSpec.spec.replicas of type int32"),
      why: "a list for a number"
    },
    {
      edit: ["spec.paused", "yes"],
      error: wrong("string", "DeploymentSpec.spec.paused of type bool"),
      why: "a string for a boolean"
    },
    {
      edit: ["spec.paused", 1],
      error: wrong("number", "DeploymentSpec.spec.paused of type bool"),
      why: "a number for a boolean"
    },
    {
      edit: ["metadata.labels", { version: 5 }],
      error: wrong("number", "ObjectMeta.metadata.labels of type string"),
      why: "YAML reads 5 as a number; the key is not reported"
    },
    {
      edit: ["metadata.annotations", { on: true }],
      error: wrong("bool", "ObjectMeta.metadata.annotations of type string"),
      why: "YAML reads on as a boolean"
    },
    {
      edit: ["metadata.labels", ["a"]],
      error: wrong("array", "ObjectMeta.metadata.labels of type map[string]string"),
      why: "a list for a map"
    },
    {
      edit: ["metadata.name", 7],
      error: wrong("number", "ObjectMeta.metadata.name of type string"),
      why: "a number for a string"
    },
    {
      edit: ["metadata", "web"],
      error: wrong("string", "Deployment.metadata of type v1.ObjectMeta"),
      why: "a string for a struct"
    },
    {
      edit: ["spec", []],
      error: wrong("array", "Deployment.spec of type v1.DeploymentSpec"),
      why: "a list for a struct"
    },
    {
      edit: ["spec.template.spec.containers", { name: "app" }],
      error: wrong("object", `PodSpec.${goApp} of type []v1.Container`),
      why: "an object for a list"
    },
    {
      edit: [app, "app"],
      error: wrong("string", `PodSpec.${goApp} of type v1.Container`),
      why: "a string in a list of structs"
    },
    {
      edit: [
        `${app}.env`,
        [
          { name: "A", value: "x" },
          { name: "PORT", value: 8080 }
        ]
      ],
      error: wrong("number", `EnvVar.${goApp}.env.value of type string`),
      why: "the index in a list is not reported"
    },
    {
      edit: [`${app}.args`, [1]],
      error: wrong("number", `Container.${goApp}.args of type string`),
      why: "a number in a list of strings"
    },
    {
      edit: [`${app}.imagePullPolicy`, false],
      error: wrong("bool", `Container.${goApp}.imagePullPolicy of type v1.PullPolicy`),
      why: "some strings have a type of their own"
    },
    {
      edit: ["spec.strategy", { rollingUpdate: { maxSurge: true } }],
      error: wrong("bool", "RollingUpdateDeployment.spec.strategy.rollingUpdate.maxSurge of type int32"),
      why: "neither a number nor a string"
    },
    {
      edit: [`${app}.resources`, { limits: "lots" }],
      error: wrong("string", `ResourceRequirements.${goApp}.resources.limits of type v1.ResourceList`),
      why: "a string for a map of quantities"
    },
    {
      edit: [`${app}.resources`, { limits: { cpu: "lots" } }],
      error: "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
      why: "an invalid quantity"
    },
    {
      edit: ["metadata.creationTimestamp", "yesterday"],
      error: 'parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"',
      why: "an invalid time"
    },
    {
      edit: ["metadata.creationTimestamp", "2026-13-01T00:00:00Z"],
      error: 'parsing time "2026-13-01T00:00:00Z": month out of range',
      why: "a month out of range"
    },
    {
      edit: ["metadata.creationTimestamp", 7],
      error: wrong("number", "ObjectMeta.metadata.creationTimestamp of type string"),
      why: "a number for a time"
    }
  ] satisfies ReadonlyArray<{ edit: Edit; error: string; why: string }>)(
    "$why: $error",
    ({ edit, error }) => {
      expect(problemOf(edit)).toBe(error)
    }
  )

  it("reports the first of several problems with its path", () => {
    const result = decoded(
      edited(aDeployment(), [`${app}.env`, [{}, { name: 1 }]], ["spec.template.spec.hostPID", 7])
    )
    expect(result).toEqual({
      ok: false,
      reason: "BadRequest",
      message:
        'Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal number into ' +
        "Go struct field EnvVar.spec.template.spec.containers.env.name of type string",
      path: ["spec", "template", "spec", "containers", 0, "env", 1, "name"]
    })
  })

  it("names kinds of other groups and versions in the error", () => {
    const scaler = { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", spec: { metrics: {} } }
    expect(decoded(scaler)).toMatchObject({
      message:
        'HorizontalPodAutoscaler in version "v2" cannot be handled as a HorizontalPodAutoscaler: ' +
        "json: cannot " +
        "unmarshal object into Go struct field HorizontalPodAutoscalerSpec.spec.metrics of type " +
        "[]v2.MetricSpec"
    })
  })

  it("requires base64 for bytes", () => {
    const secret = { apiVersion: "v1", kind: "Secret", data: { password: "not*base64" } }
    expect(decoded(secret)).toMatchObject({
      message: 'Secret in version "v1" cannot be handled as a Secret: illegal base64 data at input byte 3'
    })
    expect(decoded({ ...secret, data: { password: "c2VjcmV0" } })).toMatchObject({ ok: true })
  })
})

describe("a value that is no object of a served kind", () => {
  const anonymous =
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
  const unreadable = "couldn't get version/kind; json parse error: json: cannot unmarshal"
  it.each([
    {
      value: { apiVersion: "v1", metadata: {} },
      message: `Object 'Kind' is missing in '{"apiVersion":"v1","metadata":{}}'`
    },
    { value: null, message: "Object 'Kind' is missing in 'null'" },
    { value: undefined, message: "Object 'Kind' is missing in 'null'" },
    {
      value: { apiVersion: "v1", kind: "" },
      message: `Object 'Kind' is missing in '{"apiVersion":"v1","kind":""}'`
    },
    {
      value: { apiVersion: "v1", kind: null },
      message: `Object 'Kind' is missing in '{"apiVersion":"v1","kind":null}'`
    },
    {
      value: { apiVersion: false, kind: "Pod" },
      message: `${unreadable} bool into Go struct field .apiVersion of type string`
    },
    { value: { kind: "Pod" }, message: "apiVersion not set" },
    { value: { kind: "Pod", apiVersion: "" }, message: "apiVersion not set" },
    { value: { kind: "Foo", apiVersion: "v1" }, message: 'no matches for kind "Foo" in version "v1"' },
    {
      value: { kind: "Deployment", apiVersion: "apps/v1beta1" },
      message: 'no matches for kind "Deployment" in version "apps/v1beta1"'
    },
    {
      value: { kind: 7, apiVersion: "v1" },
      message: `${unreadable} number into Go struct field .kind of type string`
    },
    { value: [], message: `${unreadable} array into Go value of type ${anonymous}` },
    { value: "kind: Pod", message: `${unreadable} string into Go value of type ${anonymous}` }
  ])("is rejected: $message", ({ value, message }) => {
    expect(decoded(value)).toMatchObject({ ok: false, reason: "BadRequest", message })
  })
})

describe("unknown and repeated fields (TestFieldValidation*)", () => {
  const stray = edited(aDeployment(), ["spec.foo", 1], [`${app}.imagePullPolicyy`, "Always"])

  it("are errors with positions when strict", () => {
    expect(decoded(stray)).toEqual({
      ok: false,
      reason: "BadRequest",
      message:
        'Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: ' +
        'unknown field "spec.template.spec.containers[0].imagePullPolicyy", unknown field "spec.foo"',
      path: ["spec", "template", "spec", "containers", 0, "imagePullPolicyy"]
    })
    expect(decodeObject(aDeployment(), { strict: true, duplicates: ["spec.replicas"] })).toMatchObject({
      message:
        'Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: ' +
        'duplicate field "spec.replicas"'
    })
  })

  it("are dropped with warnings when not strict", () => {
    const result = decoded(stray, false)
    expect(result).toMatchObject({
      ok: true,
      warnings: [
        'unknown field "spec.template.spec.containers[0].imagePullPolicyy"',
        'unknown field "spec.foo"'
      ]
    })
    expect(result.ok && result.object).toEqual(aDeployment())
  })

  it("include names that every JavaScript object has", () => {
    const odd: unknown = JSON.parse(
      '{"apiVersion":"v1","kind":"Pod","spec":{"constructor":1,"__proto__":{}}}'
    )
    expect(decoded(odd, false)).toMatchObject({
      warnings: ['unknown field "spec.constructor"', 'unknown field "spec.__proto__"']
    })
  })
})

describe("the decoded object", () => {
  it("is the given document when nothing has to change", () => {
    const deployment = aDeployment()
    const result = decoded(deployment)
    expect(result.ok && result.object).toBe(deployment)
    expect(result.ok && result.kind.plural).toBe("deployments")
  })

  it("has no nulls, and shares the parts without them", () => {
    const deployment = edited(
      aDeployment(),
      ["metadata.creationTimestamp", null],
      ["spec.replicas", null],
      ["status", null]
    )
    const result = decoded(deployment)
    const object = result.ok ? result.object : {}
    expect(object).toEqual(edited(aDeployment(), ["spec.replicas", undefined]))
    expect(valueAt(object, "spec.template")).toBe(valueAt(deployment, "spec.template"))
  })

  it("has Go's zero value for a null in a map or list", () => {
    const result = decoded(
      edited(aDeployment(), ["metadata.labels", { a: null }], [`${app}.args`, ["x", null]])
    )
    expect(result.ok && valueAt(result.object, "metadata.labels")).toEqual({ a: "" })
    expect(result.ok && valueAt(result.object, `${app}.args`)).toEqual(["x", ""])
  })

  it("has quantities in their canonical form", () => {
    const limits = { cpu: 0.5, memory: "2048Mi", "example.com/gpu": 3 }
    const result = decoded(edited(aDeployment(), [`${app}.resources`, { limits }]))
    expect(result.ok && valueAt(result.object, `${app}.resources.limits`)).toEqual({
      cpu: "500m",
      memory: "2Gi",
      "example.com/gpu": "3"
    })
  })

  it("always has metadata", () => {
    expect(decoded({ apiVersion: "v1", kind: "Pod" })).toMatchObject({ object: { metadata: {} } })
  })

  it("has known fields for every served kind", () => {
    for (const kind of storedKinds) {
      expect(structFieldsOf(wireTypeOf(kind))).toMatchObject({
        apiVersion: "string",
        kind: "string",
        metadata: "ObjectMeta"
      })
    }
  })
})
