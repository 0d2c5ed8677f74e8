import { groupResourceOf, resources } from "../../domain/kinds.ts"
import { readDrafts } from "../../manifests/readManifests.ts"
import { firstNamespaces } from "../../bootstrap.ts"
import type { ManifestDocument } from "../../manifests/manifest.ts"

/**
 * Makes the namespaces that manifests are in and that none of them makes: where something is rolled out, its namespace
 * is there already. What runs before begins with them; undefined where neither is anything of it.
 */
export const inStandingNamespaces = (
  from: ReadonlyArray<ManifestDocument> | undefined,
  next: ReadonlyArray<ManifestDocument>
): ReadonlyArray<ManifestDocument> | undefined => {
  const documents = [...(from ?? []), ...next]
  const made = documents.filter(({ kind }) => groupResourceOf(kind) === resources.namespaces)
  const known = new Set([...firstNamespaces, ...made.map(({ draft }) => draft.metadata.name)])
  const named = new Set(documents.flatMap(({ draft: { metadata } }) => metadata.namespace ?? []))
  const missing = [...named].filter((name) => !known.has(name))
  if (missing.length === 0) return from
  const drafts = missing.map((name) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } }))
  return [...readDrafts(drafts).documents, ...(from ?? [])]
}
