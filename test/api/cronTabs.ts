import type { World } from "./world.ts"

/** The definition that upstream's own documents begin with, and objects of its kind. */

export const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
export const cronTabs = "/apis/stable.example.com/v1/namespaces/default/crontabs"

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

/** The same kind in two versions, of which the second is stored and knows one field more. */
export const inTwoVersions = () => {
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

/** Runs a story in a world that knows CronTabs. */
export const define = async ({ request }: World, body: object = definition()): Promise<void> => {
  const { code, text } = await request("POST", definitions, { body })
  if (code !== 201) throw new Error(text)
}
