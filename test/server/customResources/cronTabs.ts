import type { TestServer } from "../testServer.ts"

export const definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
export const cronTabsPath = "/apis/stable.example.com/v1/namespaces/default/crontabs"

const spec = {
  type: "object",
  required: ["cronSpec"],
  properties: {
    cronSpec: { type: "string", pattern: String.raw`^(\d+|\*)(/\d+)?(\s+(\d+|\*)(/\d+)?){4}$` },
    image: { type: "string", minLength: 3, maxLength: 9, default: "cron" },
    replicas: { type: "integer", minimum: 1, maximum: 10, default: 3 },
    policy: { type: "string", enum: ["Allow", "Forbid"] },
    share: { type: "number", exclusiveMinimum: true, minimum: 0, multipleOf: 0.5 },
    port: { "x-kubernetes-int-or-string": true },
    at: { type: "string", format: "date-time" },
    note: { type: "string", nullable: true },
    tags: { type: "array", maxItems: 3, items: { type: "string" }, "x-kubernetes-list-type": "set" },
    steps: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: {
        type: "object",
        required: ["name"],
        properties: { name: { type: "string" }, retries: { type: "integer", default: 1 } }
      }
    },
    free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    limits: { type: "object", additionalProperties: { type: "integer" } },
    choice: {
      type: "object",
      properties: { a: { type: "string" }, b: { type: "string" } },
      oneOf: [{ required: ["a"] }, { required: ["b"] }]
    }
  }
}

const status = {
  type: "object",
  properties: { replicas: { type: "integer" }, labelSelector: { type: "string" } }
}

const version = {
  name: "v1",
  served: true,
  storage: true,
  schema: { openAPIV3Schema: { type: "object", properties: { spec, status } } },
  subresources: {
    status: {},
    scale: {
      specReplicasPath: ".spec.replicas",
      statusReplicasPath: ".status.replicas",
      labelSelectorPath: ".status.labelSelector"
    }
  },
  additionalPrinterColumns: [
    { name: "Spec", type: "string", jsonPath: ".spec.cronSpec", description: "When it runs" },
    { name: "Replicas", type: "integer", jsonPath: ".spec.replicas", priority: 1 },
    { name: "First", type: "integer", jsonPath: '.spec.steps[?(@.name=="first")].retries' },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" }
  ]
}

export const definition = (more: { readonly spec?: object; readonly version?: object } = {}) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "crontabs.stable.example.com" },
  spec: {
    group: "stable.example.com",
    scope: "Namespaced",
    names: { plural: "crontabs", kind: "CronTab", shortNames: ["ct"], categories: ["all"] },
    versions: [{ ...version, ...more.version }],
    ...more.spec
  }
})

/** The CRD with two versions: v1 is stored and has one field more than v1beta1. */
export const definitionWithTwoVersions = () => {
  const properties = { spec: { type: "object", properties: { cronSpec: { type: "string" } } } }
  const old = {
    name: "v1beta1",
    served: true,
    storage: false,
    deprecated: true,
    schema: { openAPIV3Schema: { type: "object", properties } }
  }
  return definition({ spec: { versions: [version, old] } })
}

export const cronTab = (fields: object = {}, name = "nightly") => ({
  apiVersion: "stable.example.com/v1",
  kind: "CronTab",
  metadata: { name },
  spec: { cronSpec: "0 3 * * *", ...fields }
})

export const createDefinition = async (
  { request }: TestServer,
  body: object = definition()
): Promise<void> => {
  const { code, text } = await request("POST", definitionsPath, { body })
  if (code !== 201) throw new Error(text)
}
