import type { OpenApiSchemas } from "../../src/server/openapi/openApiDocument.ts"

/**
 * Types with a JSON form of their own: text, a number or any value.
 *
 * Source: staging/src/k8s.io/apimachinery/pkg (OpenAPISchemaType, OpenAPISchemaFormat and OpenAPIV3OneOfTypes of each).
 */
export const primitiveNames = {
  quantity: "io.k8s.apimachinery.pkg.api.resource.Quantity",
  time: "io.k8s.apimachinery.pkg.apis.meta.v1.Time",
  microTime: "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime",
  intOrString: "io.k8s.apimachinery.pkg.util.intstr.IntOrString"
} as const

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1"
const definitions = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1"
const anything = { description: "Any JSON." }

export const primitives: OpenApiSchemas = {
  [primitiveNames.quantity]: {
    description: 'An amount: a decimal number with a suffix of size, such as "500m", "2Gi" or "1e3".',
    oneOf: [{ type: "string" }, { type: "number" }]
  },
  [primitiveNames.time]: {
    description: "An instant, to the second, as RFC 3339 writes it.",
    type: "string",
    format: "date-time"
  },
  [primitiveNames.microTime]: {
    description: "An instant, to the microsecond, as RFC 3339 writes it.",
    type: "string",
    format: "date-time"
  },
  [primitiveNames.intOrString]: {
    description: "A whole number, or a text: the name of a port, or a percentage.",
    oneOf: [{ type: "integer" }, { type: "string" }],
    format: "int-or-string"
  },
  "io.k8s.apimachinery.pkg.runtime.RawExtension": {
    description: "An object as it came, not looked into.",
    type: "object"
  },
  [`${meta}.FieldsV1`]: {
    description:
      "A set of fields: a map in which each key is `f:` and a name, or `k:`, `v:` or `i:` of a list.",
    type: "object"
  },
  [`${meta}.Patch`]: { description: "A change, in the form that its content type says.", type: "object" },
  [`${definitions}.CustomResourceSubresourceStatus`]: {
    description: "Says that there is a status subresource.",
    type: "object"
  },
  [`${definitions}.JSON`]: anything,
  [`${definitions}.JSONSchemaPropsOrArray`]: { description: "A schema, or several schemas." },
  [`${definitions}.JSONSchemaPropsOrBool`]: { description: "A schema, or whether anything is allowed." },
  [`${definitions}.JSONSchemaPropsOrStringArray`]: { description: "A schema, or the names of properties." }
}
