import { describe, expect, it } from "vitest"
import { decodeObject } from "../../../../src/kubernetes/admission/decoding/decodeObject.ts"
import { quantityProblem } from "../../../../src/kubernetes/meta/amounts/quantity.ts"
import { aDeployment, aPod, at, edited } from "../../admission/drafts.ts"

/** The object that is read, or what is wrong without the words all such sentences begin with. */
const read = (document: object, before?: object): object | string => {
  const result = decodeObject(document, { strict: true, before })
  return result.ok ? result.object : result.message.replace(/^.*? cannot be handled as a \w+: /, "")
}

/** What is read at a path, or what is wrong. */
const readAt = (document: object, path: string): unknown => {
  const result = read(document)
  return typeof result === "string" ? result : at(result, path)
}

const schemaPath = "spec.versions.0.schema.openAPIV3Schema"
const aDefinition = (openAPIV3Schema: object): object => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  spec: { versions: [{ name: "v1", schema: { openAPIV3Schema } }] }
})
const aSecret = (password: unknown): object => ({ apiVersion: "v1", kind: "Secret", data: { password } })
const wrong = (what: string, where: string): string =>
  `json: cannot unmarshal ${what} into Go struct field ${where}`

describe("a null where nothing can be absent is Go's nothing", () => {
  const app = "spec.containers.0"
  it.each([
    { why: "no bytes", document: aSecret(null), path: "data", becomes: { password: "" } },
    {
      why: "no time",
      document: {
        apiVersion: "policy/v1",
        kind: "PodDisruptionBudget",
        status: { disruptedPods: { a: null } }
      },
      path: "status.disruptedPods",
      becomes: { a: "" }
    },
    {
      why: "an amount of nothing",
      document: edited(aPod(), ["spec.overhead", { cpu: null, memory: "3Mi" }]),
      path: "spec.overhead",
      becomes: { cpu: "0", memory: "3Mi" }
    },
    {
      why: "the number 0 of 64 bits",
      document: edited(aPod(), ["spec.securityContext", { supplementalGroups: [3001, null] }]),
      path: "spec.securityContext.supplementalGroups",
      becomes: [3001, 0]
    },
    {
      why: "the number 0 of 32 bits",
      document: edited(aPod(), [`${app}.restartPolicyRules`, [{ exitCodes: { values: [null, 42] } }]]),
      path: `${app}.restartPolicyRules.0.exitCodes.values`,
      becomes: [0, 42]
    },
    {
      why: "a struct in which nothing is set",
      document: edited(aPod(), [`${app}.env`, [null, { name: "A" }]]),
      path: `${app}.env`,
      becomes: [{}, { name: "A" }]
    },
    {
      why: "a struct under a key",
      document: aDefinition({ properties: { size: null } }),
      path: `${schemaPath}.properties`,
      becomes: { size: {} }
    },
    {
      why: "a list under a key",
      document: {
        apiVersion: "authorization.k8s.io/v1",
        kind: "SubjectAccessReview",
        spec: { extra: { scopes: null, teams: ["a", null] } }
      },
      path: "spec.extra",
      becomes: { scopes: [], teams: ["a", ""] }
    },
    {
      why: "a null where any value may be, in a list",
      document: aDefinition({ enum: ["a", null, 7] }),
      path: `${schemaPath}.enum`,
      becomes: ["a", null, 7]
    },
    {
      why: "and under a key",
      document: aDefinition({ dependencies: { a: null, b: ["c"] } }),
      path: `${schemaPath}.dependencies`,
      becomes: { a: null, b: ["c"] }
    }
  ])("$why", ({ document, path, becomes }) => {
    expect(readAt(document, path)).toEqual(becomes)
  })

  it("leaves no trace of a field that is null", () => {
    const pod = edited(aPod(), ["spec.nodeName", null], ["spec.hostPID", true])
    expect(readAt(pod, "spec")).toStrictEqual({ ...aPod().spec, hostPID: true })
  })
})

describe("a number is taken as far as its bits go", () => {
  const replicas = "DeploymentSpec.spec.replicas of type int32"
  const generation = "DeploymentStatus.status.observedGeneration of type int64"
  it.each([
    { why: "the most of 32 bits", path: "spec.replicas", value: 2 ** 31 - 1, gives: 2 ** 31 - 1 },
    {
      why: "one more",
      path: "spec.replicas",
      value: 2 ** 31,
      gives: wrong("number 2147483648", replicas)
    },
    { why: "the least of 32 bits", path: "spec.replicas", value: -(2 ** 31), gives: -(2 ** 31) },
    { why: "more in 64 bits", path: "status.observedGeneration", value: 2 ** 31, gives: 2 ** 31 },
    {
      why: "one more than 64 bits",
      path: "status.observedGeneration",
      value: 2 ** 63,
      gives: wrong("number 9223372036854775808", generation)
    },
    { why: "the least of 64 bits", path: "status.observedGeneration", value: -(2 ** 63), gives: -(2 ** 63) },
    { why: "a whole number however large its type", path: "spec.replicas", value: 5n, gives: 5 },
    {
      why: "one of those that is too large",
      path: "status.observedGeneration",
      value: 2n ** 64n,
      gives: wrong("number 18446744073709551616", generation)
    },
    {
      why: "one of those where there is to be none",
      path: "spec.paused",
      value: 1n,
      gives: wrong("number", "DeploymentSpec.spec.paused of type bool")
    },
    { why: "a truth where there is to be one", path: "spec.paused", value: true, gives: true },
    {
      why: "a share instead of a number",
      path: "spec.strategy.rollingUpdate.maxSurge",
      value: "30%",
      gives: "30%"
    },
    {
      why: "a number instead of a share, which is whole",
      path: "spec.strategy.rollingUpdate.maxSurge",
      value: 1.5,
      gives: wrong("number 1.5", "RollingUpdateDeployment.spec.strategy.rollingUpdate.maxSurge of type int32")
    },
    {
      why: "a list is no amount, whatever is in it",
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
    { why: "nothing", value: "", gives: "" },
    { why: "full groups", value: "c2VjcmV0", gives: "c2VjcmV0" },
    { why: "one byte left over", value: "c2VjcmV0YQ==", gives: "c2VjcmV0YQ==" },
    { why: "two bytes left over", value: "c2VjcmV0YWI=", gives: "c2VjcmV0YWI=" },
    {
      why: "lines, as they come out of a block of YAML",
      value: "\nc2Vj\r\ncmV0Y\nQ=\n=\n",
      gives: "c2VjcmV0YQ=="
    },
    {
      why: "what was never encoded stops where its last group begins",
      value: "hunter2",
      gives: illegal(4)
    },
    { why: "a group of one", value: "YWJjZ", gives: illegal(4) },
    { why: "ends of lines count on the way", value: "YWJj\nYW", gives: illegal(5) },
    { why: "a character of no digit", value: "not*base64", gives: illegal(3) },
    { why: "one in the second half of a group", value: "abc-", gives: illegal(3) },
    { why: "padding of nothing", value: "YWJj=", gives: illegal(4) },
    { why: "padding of less than a byte", value: "YWJjZ===", gives: illegal(5) },
    { why: "half of the padding", value: "YQ=\n", gives: illegal(4) },
    { why: "half of the padding, and more", value: "YQ=\nYQ==", gives: illegal(3) },
    { why: "more after the padding", value: "YQ==\nYQ==", gives: illegal(5) },
    { why: "more after the shorter padding", value: "YWI=\n=", gives: illegal(5) },
    { why: "no text", value: 7, gives: wrong("number", "Secret.data of type []uint8") }
  ])("$why: $value", ({ value, gives }) => {
    expect(readAt(aSecret(value), "data.password")).toBe(gives)
  })
})

describe("a schema of a custom resource", () => {
  const inSchema = "JSONSchemaProps.spec.versions.schema.openAPIV3Schema"
  const unknown = (field: string): string =>
    `strict decoding error: unknown field "spec.versions[0].schema.openAPIV3Schema.${field}"`
  const aList = { type: "array", minItems: 3 }
  it.each([
    { why: "says of what a list is", schema: { items: { ...aList, minLength: 3 } } },
    { why: "or of what its first items are", schema: { items: [aList, { type: "string" }] } },
    { why: "says what all other values are", schema: { additionalProperties: aList } },
    { why: "or that there may be any", schema: { additionalProperties: true } },
    { why: "or none", schema: { additionalProperties: false } },
    { why: "has any value as a default", schema: { default: { items: 7, mode: [null] } } },
    { why: "bounds numbers that need not be whole", schema: { minimum: -1.5, maximum: 3 } }
  ])("$why", ({ schema }) => {
    expect(readAt(aDefinition(schema), schemaPath)).toBe(schema)
  })

  it.each([
    {
      why: "the items have fields of their own",
      schema: { items: { kind: "string" } },
      problem: unknown("items.kind")
    },
    {
      why: "each of a list of them",
      schema: { items: [aList, { kind: "string" }] },
      problem: unknown("items[1].kind")
    },
    {
      why: "the items are no truth",
      schema: { items: true },
      problem: wrong("bool", `${inSchema}.items of type v1.JSONSchemaProps`)
    },
    {
      why: "and all other values have them too",
      schema: { additionalProperties: { kind: "string" } },
      problem: unknown("additionalProperties.kind")
    },
    {
      why: "which are no list",
      schema: { additionalProperties: [aList] },
      problem: "boolean or JSON schema expected"
    },
    {
      why: "and no text that looks like a truth",
      schema: { additionalProperties: "true" },
      problem: "boolean or JSON schema expected"
    },
    {
      why: "what bounds numbers is one",
      schema: { minimum: "3" },
      problem: wrong("string", `${inSchema}.minimum of type float64`)
    }
  ])("is refused: $why", ({ schema, problem }) => {
    expect(read(aDefinition(schema))).toBe(problem)
  })

  it("is nothing special in a volume, which has items of another kind", () => {
    const volumes = [{ name: "a", configMap: { name: "b", items: [{ key: "c", path: "d" }] } }]
    expect(readAt(aPod({ volumes }), "spec.volumes")).toBe(volumes)
  })
})

describe("what is shared with an object that was read before", () => {
  const labels = { tier: 5 }
  const args = [7, "x"]
  const before = {
    ...aPod({ hostname: 9, containers: [{ name: "app", args }], tolerations: [] }),
    metadata: { name: "web", labels }
  }
  it.each([
    { why: "a struct", spec: before.spec },
    { why: "a field", spec: { hostname: 9, nodeName: "n1" } },
    { why: "an item of a list", spec: { containers: [{ name: "db", args: [7, "y"] }] } }
  ])("is taken as it is: $why", ({ spec }) => {
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
  ])("is what stands in the same place: not $why", ({ spec, problem }) => {
    const result = read({ ...before, spec }, before)
    if (typeof problem === "string") expect(result).toBe(wrong("number", problem))
    else expect(result).toMatch(problem)
  })

  it.each<{ why: string; labels: object }>([
    { why: "another key", labels: { a: 5 } },
    { why: "another value", labels: { tier: 6 } },
    { why: "what every object has", labels: { constructor: Object } }
  ])("is under the same key of a map: not $why", ({ labels: others }) => {
    expect(read({ ...before, metadata: { labels: others } }, before)).toMatch(
      /ObjectMeta\.metadata\.labels of type string$/
    )
  })

  it("is no field that every object has", () => {
    expect(read({ ...before, spec: { constructor: Object } }, before)).toBe(
      'strict decoding error: unknown field "spec.constructor"'
    )
  })

  it("is never null", () => {
    const aPodOfNulls = (): object => ({
      ...aPod({ nodeName: null, containers: [{ name: "app", args: [null] }] }),
      metadata: { name: "web", labels: { a: null } }
    })
    expect(read(aPodOfNulls(), aPodOfNulls())).toStrictEqual({
      ...aPod({ containers: [{ name: "app", args: [""] }] }),
      metadata: { name: "web", labels: { a: "" } }
    })
  })

  it("is still the same where all else changes nothing", () => {
    const { spec } = before
    const document = { ...before, metadata: { name: "web", labels: { ...labels, a: "b" } } }
    const result = read(document, before)
    expect(result).toBe(document)
    expect(at(document, "spec")).toBe(spec)
  })
})
