import { fieldsOrEmpty } from "../kubernetes/meta/fields.ts"
import { storedKinds } from "../kubernetes/meta/kinds.ts"
import type { ServedKinds } from "./definedKinds.ts"
import type { ManifestDocument, ManifestProblem } from "./manifestDocument.ts"

/** `refused`: `kubectl apply` fails for it, and applies the others. `stuck`: a workload that needs such an object. */
export interface RefusedObject {
  readonly verdict: "refused" | "stuck"
  readonly kind: string
  /** Undefined for a cluster-scoped object. */
  readonly namespace: string | undefined
  readonly name: string
  readonly problem: ManifestProblem
}

/** Other objects may depend on these without naming them. */
const neededByAll: ReadonlySet<string> = new Set([
  "CustomResourceDefinition",
  "Namespace",
  "Node",
  "PersistentVolume",
  "StorageClass"
])

/** Undefined if the rest of the manifests cannot be judged without the object. */
export const refusedObject = (
  value: unknown,
  problem: ManifestProblem,
  { namespace: defaultNamespace, kinds }: { readonly namespace: string; readonly kinds: ServedKinds }
): RefusedObject | undefined => {
  const { apiVersion, kind, metadata } = fieldsOrEmpty(value)
  const { name, namespace = defaultNamespace } = fieldsOrEmpty(metadata)
  if (typeof kind !== "string" || typeof name !== "string" || typeof namespace !== "string") return undefined
  if (neededByAll.has(kind)) return undefined
  // The refusal may be of the version.
  const served =
    kinds.findServed({ apiVersion: String(apiVersion), kind }) ?? storedKinds.find((it) => it.kind === kind)
  return {
    verdict: "refused",
    kind,
    namespace: served?.namespaced === false ? undefined : namespace,
    name,
    problem
  }
}

export const refusedDocument = (
  { kind, draft }: ManifestDocument,
  problem: ManifestProblem
): RefusedObject | undefined => {
  const { name, namespace } = draft.metadata
  return name === undefined || neededByAll.has(kind.kind)
    ? undefined
    : {
        verdict: "refused",
        kind: kind.kind,
        namespace: kind.namespaced ? namespace : undefined,
        name,
        problem
      }
}
