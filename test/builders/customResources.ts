interface WebsiteOptions {
  readonly name?: string
  readonly namespace?: string
  readonly version?: string
  readonly spec?: object
}

/** A CustomResourceDefinition of Websites: v1 is stored, v2 is served too, and v3 is not served. */
export const websiteDefinition = (spec: object = {}, metadata: object = {}) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "websites.example.com", ...metadata },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "websites", kind: "Website" },
    versions: [
      aVersion("v1", { storage: true }),
      aVersion("v2", { storage: false }),
      aVersion("v3", { storage: false, served: false })
    ],
    ...spec
  }
})

const aVersion = (name: string, more: object) => ({
  name,
  served: true,
  subresources: { status: {} },
  schema: {
    openAPIV3Schema: {
      type: "object",
      properties: {
        spec: {
          type: "object",
          properties: {
            size: { type: "integer", default: 3, maximum: 9 },
            colors: { type: "array", items: { type: "string" } }
          }
        },
        status: { type: "object", properties: { ready: { type: "boolean" } } }
      }
    }
  },
  ...more
})

export const aWebsite = ({ name = "blog", namespace, version = "v1", spec = {} }: WebsiteOptions = {}) => ({
  apiVersion: `example.com/${version}`,
  kind: "Website",
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  spec
})
