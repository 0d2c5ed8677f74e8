import { describe, expect, it } from "vitest"
import { decodeObject } from "../../../../src/kubernetes/admission/decoding/decodeObject.ts"
import { quantityProblem } from "../../../../src/kubernetes/meta/amounts/quantity.ts"
import { aDeployment, aPod, valueAt, edited } from "../drafts.ts"

/** The decoded object, or the error without the prefix that all such errors share. */
const read = (document: object, before?: object): object | string => {
  const result = decodeObject(document, { strict: true, before })
  return result.ok ? result.object : result.message.replace(/^.*? cannot be handled as a \w+: /, "")
}

const readAt = (document: object, path: string): unknown => {
  const result = read(document)
  return typeof result === "string" ? result : valueAt(result, path)
}

const schemaPath = "spec.versions.0.schema.openAPIV3Schema"
const aDefinition = (openAPIV3Schema: object): object => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  spec: { versions: [{ name: "v1", schema: { openAPIV3Schema } }] }
})
const aSecret = (password: unknown): object => ({ apiVersion: "v1", kind: "Secret", data: { password } })
const wrongTypeText = (actual: string, where: string): string =>
  `json: cannot unmarshal ${actual} into Go struct field ${where}`

describe("a null in a list or map becomes Go's zero value", () => {
  const app = "spec.containers.0"
  it.each([
    { why: "empty bytes", document: aSecret(null), path: "data", becomes: { password: "" } },
    {
      why: "an empty time",
      document: {
        apiVersion: "policy/v1",
        kind: "PodDisruptionBudget",
        status: { disruptedPods: { a: null } }
      },
      path: "status.disruptedPods",
      becomes: { a: "" }
    },
    {
      why: "a quantity of 0",
      document: edited(aPod(), ["spec.overhead", { cpu: null, memory: "3Mi" }]),
      path: "spec.overhead",
      becomes: { cpu: "0", memory: "3Mi" }
    },
    {
      why: "the number 0 in 64 bits",
      document: edited(aPod(), ["spec.securityContext", { supplementalGroups: [3001, null] }]),
      path: "spec.securityContext.supplementalGroups",
      becomes: [3001, 0]
    },
    {
      why: "the number 0 in 32 bits",
      document: edited(aPod(), [`${app}.restartPolicyRules`, [{ exitCodes: { values: [null, 42] } }]]),
      path: `${app}.restartPolicyRules.0.exitCodes.values`,
      becomes: [0, 42]
    },
    {
      why: "an empty struct",
      document: edited(aPod(), [`${app}.env`, [null, { name: "A" }]]),
      path: `${app}.env`,
      becomes: [{}, { name: "A" }]
    },
    {
      why: "an empty struct under a key",
      document: aDefinition({ properties: { size: null } }),
      path: `${schemaPath}.properties`,
      becomes: { size: {} }
    },
    {
      why: "an empty list under a key",
      document: {
        apiVersion: "authorization.k8s.io/v1",
        kind: "SubjectAccessReview",
        spec: { extra: { scopes: null, teams: ["a", null] } }
      },
      path: "spec.extra",
      becomes: { scopes: [], teams: ["a", ""] }
    },
    {
      why: "null in a list of any values",
      document: aDefinition({ enum: ["a", null, 7] }),
      path: `${schemaPath}.enum`,
      becomes: ["a", null, 7]
    },
    {
      why: "null in a map of any values",
      document: aDefinition({ dependencies: { a: null, b: ["c"] } }),
      path: `${schemaPath}.dependencies`,
      becomes: { a: null, b: ["c"] }
    }
  ])("$why", ({ document, path, becomes }) => {
    expect(readAt(document, path)).toEqual(becomes)
  })

  it("removes a field that is null", () => {
    const pod = edited(aPod(), ["spec.nodeName", null], ["spec.hostPID", true])
    expect(readAt(pod, "spec")).toStrictEqual({ ...aPod().spec, hostPID: true })
  })
})

describe("the range of numbers", () => {
  const replicas = "DeploymentSpec.spec.replicas of type int32"
  const generation = "DeploymentStatus.status.observedGeneration of type int64"
  it.each([
    { why: "the largest of 32 bits", path: "spec.replicas", value: 2 ** 31 - 1, gives: 2 ** 31 - 1 },
    {
      why: "one above 32 bits",
      path: "spec.replicas",
      value: 2 ** 31,
      gives: wrongTypeText("number 2147483648", replicas)
    },
    { why: "the smallest of 32 bits", path: "spec.replicas", value: -(2 ** 31), gives: -(2 ** 31) },
    { why: "above 32 bits in 64 bits", path: "status.observedGeneration", value: 2 ** 31, gives: 2 ** 31 },
    {
      why: "one above 64 bits",
      path: "status.observedGeneration",
      value: 2 ** 63,
      gives: wrongTypeText("number 9223372036854775808", generation)
    },
    {
      why: "the smallest of 64 bits",
      path: "status.observedGeneration",
      value: -(2 ** 63),
      gives: -(2 ** 63)
    },
    { why: "a bigint in range", path: "spec.replicas", value: 5n, gives: 5 },
    {
      why: "a bigint out of range",
      path: "status.observedGeneration",
      value: 2n ** 64n,
      gives: wrongTypeText("number 18446744073709551616", generation)
    },
    {
      why: "a bigint for a boolean",
      path: "spec.paused",
      value: 1n,
      gives: wrongTypeText("number", "DeploymentSpec.spec.paused of type bool")
    },
    { why: "a boolean", path: "spec.paused", value: true, gives: true },
    {
      why: "a percentage for an int-or-string",
      path: "spec.strategy.rollingUpdate.maxSurge",
      value: "30%",
      gives: "30%"
    },
    {
      why: "a fraction for an int-or-string",
      path: "spec.strategy.rollingUpdate.maxSurge",
      value: 1.5,
      gives: wrongTypeText(
        "number 1.5",
        "RollingUpdateDeployment.spec.strategy.rollingUpdate.maxSurge of type int32"
      )
    },
    {
      why: "a list for a quantity",
      path: "spec.template.spec.overhead.cpu",
      value: [5],
      gives: quantityProblem
    }
  ])("$why: $value", ({ path, value, gives }) => {
    expect(readAt(edited(aDeployment(), [path, value]), path)).toBe(gives)
  })
})

describe("base64 (TestDecodeCorrupt)", () => {
  const illegal = (position: number): string => `illegal base64 data at input byte ${position}`
  it.each([
    { why: "empty", value: "", gives: "" },
    { why: "full groups", value: "c2VjcmV0", gives: "c2VjcmV0" },
    { why: "one byte left over", value: "c2VjcmV0YQ==", gives: "c2VjcmV0YQ==" },
    { why: "two bytes left over", value: "c2VjcmV0YWI=", gives: "c2VjcmV0YWI=" },
    {
      why: "line breaks, as in a block of YAML",
      value: "\nc2Vj\r\ncmV0Y\nQ=\n=\n",
      gives: "c2VjcmV0YQ=="
    },
    {
      why: "plain text fails at the start of its last group",
      value: "hunter2",
      gives: illegal(4)
    },
    { why: "a group of one character", value: "YWJjZ", gives: illegal(4) },
    { why: "line breaks count in the position", value: "YWJj\nYW", gives: illegal(5) },
    { why: "a character outside the alphabet", value: "not*base64", gives: illegal(3) },
    { why: "an illegal character in the second half of a group", value: "abc-", gives: illegal(3) },
    { why: "padding after a full group", value: "YWJj=", gives: illegal(4) },
    { why: "too much padding", value: "YWJjZ===", gives: illegal(5) },
    { why: "incomplete padding", value: "YQ=\n", gives: illegal(4) },
    { why: "incomplete padding and more data", value: "YQ=\nYQ==", gives: illegal(3) },
    { why: "data after the padding", value: "YQ==\nYQ==", gives: illegal(5) },
    { why: "padding after the padding", value: "YWI=\n=", gives: illegal(5) },
    { why: "a number", value: 7, gives: wrongTypeText("number", "Secret.data of type []uint8") }
  ])("$why: $value", ({ value, gives }) => {
    expect(readAt(aSecret(value), "data.password")).toBe(gives)
  })
})

describe("the schema of a CustomResourceDefinition", () => {
  const inSchema = "JSONSchemaProps.spec.versions.schema.openAPIV3Schema"
  const unknown = (field: string): string =>
    `strict decoding error: unknown field "spec.versions[0].schema.openAPIV3Schema.${field}"`
  const aList = { type: "array", minItems: 3 }
  it.each([
    { why: "has items with one schema", schema: { items: { ...aList, minLength: 3 } } },
    { why: "has items with a list of schemas", schema: { items: [aList, { type: "string" }] } },
    { why: "has additionalProperties with a schema", schema: { additionalProperties: aList } },
    { why: "has additionalProperties: true", schema: { additionalProperties: true } },
    { why: "has additionalProperties: false", schema: { additionalProperties: false } },
    { why: "has any value as a default", schema: { default: { items: 7, mode: [null] } } },
    { why: "has fractional bounds", schema: { minimum: -1.5, maximum: 3 } }
  ])("$why", ({ schema }) => {
    expect(readAt(aDefinition(schema), schemaPath)).toBe(schema)
  })

  it.each([
    {
      why: "unknown fields of items",
      schema: { items: { kind: "string" } },
      problem: unknown("items.kind")
    },
    {
      why: "unknown fields in a list of items",
      schema: { items: [aList, { kind: "string" }] },
      problem: unknown("items[1].kind")
    },
    {
      why: "a boolean for items",
      schema: { items: true },
      problem: wrongTypeText("bool", `${inSchema}.items of type v1.JSONSchemaProps`)
    },
    {
      why: "unknown fields of additionalProperties",
      schema: { additionalProperties: { kind: "string" } },
      problem: unknown("additionalProperties.kind")
    },
    {
      why: "a list for additionalProperties",
      schema: { additionalProperties: [aList] },
      problem: "boolean or JSON schema expected"
    },
    {
      why: "a string for additionalProperties",
      schema: { additionalProperties: "true" },
      problem: "boolean or JSON schema expected"
    },
    {
      why: "a string for minimum",
      schema: { minimum: "3" },
      problem: wrongTypeText("string", `${inSchema}.minimum of type float64`)
    }
  ])("is refused: $why", ({ schema, problem }) => {
    expect(read(aDefinition(schema))).toBe(problem)
  })

  it("does not apply to the items of a volume", () => {
    const volumes = [{ name: "a", configMap: { name: "b", items: [{ key: "c", path: "d" }] } }]
    expect(readAt(aPod({ volumes }), "spec.volumes")).toBe(volumes)
  })
})

describe("values shared with an earlier decoded object", () => {
  const labels = { tier: 5 }
  const args = [7, "x"]
  const before = {
    ...aPod({ hostname: 9, containers: [{ name: "app", args }], tolerations: [] }),
    metadata: { name: "web", labels }
  }
  it.each([
    { why: "the same struct", spec: before.spec },
    { why: "the same field", spec: { hostname: 9, nodeName: "n1" } },
    { why: "the same list element", spec: { containers: [{ name: "db", args: [7, "y"] }] } }
  ])("are taken unchecked: $why", ({ spec }) => {
    expect(readAt({ ...before, spec }, "spec")).toMatch(/cannot unmarshal number/)
    expect(read({ ...before, spec, metadata: { labels: { ...labels, a: "b" } } }, before)).toEqual({
      ...before,
      spec,
      metadata: { labels: { tier: 5, a: "b" } }
    })
  })

  it.each([
    { why: "another field", spec: { nodeName: 9 }, problem: "PodSpec.spec.nodeName of type string" },
    { why: "another value", spec: { hostname: 8 }, problem: "PodSpec.spec.hostname of type string" },
    {
      why: "another place in a list",
      spec: { containers: [{ name: "app", args: ["x", 7] }] },
      problem: "Container.spec.containers.args of type string"
    },
    { why: "a list for a map", spec: { nodeSelector: [] }, problem: /of type map\[string\]string$/ },
    { why: "a map for a list", spec: { tolerations: {} }, problem: /of type \[\]v1.Toleration$/ }
  ])("must be at the same place: not $why", ({ spec, problem }) => {
    const result = read({ ...before, spec }, before)
    if (typeof problem === "string") expect(result).toBe(wrongTypeText("number", problem))
    else expect(result).toMatch(problem)
  })

  it.each<{ why: string; labels: object }>([
    { why: "another key", labels: { a: 5 } },
    { why: "another value", labels: { tier: 6 } },
    { why: "a property of every object", labels: { constructor: Object } }
  ])("must be under the same key of a map: not $why", ({ labels: otherLabels }) => {
    expect(read({ ...before, metadata: { labels: otherLabels } }, before)).toMatch(
      /ObjectMeta\.metadata\.labels of type string$/
    )
  })

  it("do not include properties of every object", () => {
    expect(read({ ...before, spec: { constructor: Object } }, before)).toBe(
      'strict decoding error: unknown field "spec.constructor"'
    )
  })

  it("are never null", () => {
    const aPodOfNulls = (): object => ({
      ...aPod({ nodeName: null, containers: [{ name: "app", args: [null] }] }),
      metadata: { name: "web", labels: { a: null } }
    })
    expect(read(aPodOfNulls(), aPodOfNulls())).toStrictEqual({
      ...aPod({ containers: [{ name: "app", args: [""] }] }),
      metadata: { name: "web", labels: { a: "" } }
    })
  })

  it("are returned as the same object", () => {
    const { spec } = before
    const document = { ...before, metadata: { name: "web", labels: { ...labels, a: "b" } } }
    const result = read(document, before)
    expect(result).toBe(document)
    expect(valueAt(document, "spec")).toBe(spec)
  })
})
