import { servedKinds } from "../../kubernetes/meta/kinds.ts"

export interface SchemaType {
  readonly group: string
  readonly version: string
  readonly kind: string
}

const builtInGroups: ReadonlySet<string> = new Set(servedKinds.map(({ group }) => group))

/**
 * Names such as `io.k8s.api.apps.v1.Deployment`; custom groups have the reversed domain,
 * `com.example.stable.v1.CronTab`.
 *
 * Source: apiserver/pkg/endpoints/openapi/openapi.go (friendlyName) and
 * apiextensions-apiserver/pkg/controller/openapi/builder/builder.go.
 */
export const schemaNameOf = ({ group, version, kind }: SchemaType): string => {
  if (!builtInGroups.has(group)) return `${group.split(".").toReversed().join(".")}.${version}.${kind}`
  return schemaNameInPackage(group === "" ? "core" : (group.split(".")[0] ?? ""), `${version}.${kind}`)
}

export const schemaNameInPackage = (name: string, versionedType: string): string => {
  if (name === "meta") return `io.k8s.apimachinery.pkg.apis.meta.${versionedType}`
  if (name === "apiextensions")
    return `io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.${versionedType}`
  if (name === "apiregistration") return `io.k8s.kube-aggregator.pkg.apis.apiregistration.${versionedType}`
  return `io.k8s.api.${name}.${versionedType}`
}

/** The group's part of an operationId, such as `AppsV1` or `CoreV1`. */
export const operationGroupOf = ({ group, version }: Omit<SchemaType, "kind">): string => {
  const words = group === "" ? ["core"] : group.replace(/\.k8s\.io$/, "").split(".")
  return [...words, version].map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`).join("")
}

/** Keys such as `api/v1` and `apis/apps/v1`. */
export const documentKeyOf = ({ group, version }: Omit<SchemaType, "kind">): string =>
  group === "" ? `api/${version}` : `apis/${group}/${version}`
