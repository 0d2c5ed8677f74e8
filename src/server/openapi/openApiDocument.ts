import { openApiParameters } from "./openApiParameters.ts"
import { openApiPaths } from "./openApiPaths.ts"
import type { Kind } from "../../kubernetes/meta/kinds.ts"
import type { JsonObject } from "./openApiParameters.ts"
import type { OpenApiPathOptions } from "./openApiPaths.ts"

export type OpenApiSchemas = Readonly<Record<string, JsonObject>>

export interface OpenApiDocument {
  readonly openapi: "3.0.0"
  readonly info: { readonly title: "Kubernetes"; readonly version: string }
  readonly paths: Readonly<Record<string, JsonObject>>
  readonly components: {
    readonly schemas: OpenApiSchemas
    readonly parameters: Readonly<Record<string, JsonObject>>
  }
}

interface DocumentOptions extends OpenApiPathOptions {
  readonly schemas: OpenApiSchemas
  readonly version: string
  /** Schemas that no path of these kinds refers to: subresources of other groups use them. */
  readonly extraSchemaNames?: ReadonlyArray<string>
}

export const openApiDocument = (
  kinds: ReadonlyArray<Kind>,
  { schemas, version, extraSchemaNames = [], ...options }: DocumentOptions
): OpenApiDocument => {
  const paths = Object.fromEntries(kinds.flatMap((kind) => Object.entries(openApiPaths(kind, options))))
  const parameters = Object.fromEntries(
    [...new Set(refsIn(paths, parameterPrefix))]
      .toSorted()
      .map((name) => [name, openApiParameters[name] ?? {}])
  )
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes", version },
    paths,
    components: {
      schemas: schemasFor([...refsIn(paths, schemaPrefix), ...extraSchemaNames], schemas),
      parameters
    }
  }
}

const schemaPrefix = "#/components/schemas/"
const parameterPrefix = "#/components/parameters/"

const schemasFor = (names: ReadonlyArray<string>, schemas: OpenApiSchemas): OpenApiSchemas => {
  const foundSchemas = new Map<string, JsonObject>()
  const pending = [...names]
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (foundSchemas.has(name)) continue
    const schema = schemas[name]
    if (schema === undefined) continue
    foundSchemas.set(name, schema)
    pending.push(...refsIn(schema, schemaPrefix))
  }
  return Object.fromEntries([...foundSchemas].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

const refsIn = (value: unknown, prefix: string): Array<string> => {
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key !== "$ref" || typeof inner !== "string") return refsIn(inner, prefix)
    return inner.startsWith(prefix) ? [inner.slice(prefix.length)] : []
  })
}
