import { fieldsOrEmpty, isFields } from "../kubernetes/meta/fields.ts"
import { groupResourceOf, storedKinds } from "../kubernetes/meta/kinds.ts"
import type { Fields } from "../kubernetes/meta/fields.ts"
import type { GroupResource } from "../kubernetes/meta/kinds.ts"
import type { ManifestDocument, ManifestProblem } from "./manifestDocument.ts"
import type { ServedKinds } from "./definedKinds.ts"

/** `refused`: `kubectl apply` applies all objects but this one. `stuck`: a workload needs a refused object. */
export interface RefusedObject {
  readonly verdict: "refused" | "stuck"
  /** Undefined for a kind that Kubernetes does not have. */
  readonly resource: GroupResource | undefined
  /** Like the name, undefined if the document does not say it. */
  readonly kind: string | undefined
  /** Undefined for a cluster-scoped object. */
  readonly namespace: string | undefined
  readonly name: string | undefined
  readonly fields: Fields
  readonly problem: ManifestProblem
}

/** Whether `kubectl apply` can tell what the document is; otherwise it reads no more of the file. */
export const hasKind = (value: unknown): boolean =>
  isFields(value) && isText(value["apiVersion"]) && isText(value["kind"])

export const refusedObject = (
  value: unknown,
  problem: ManifestProblem,
  { namespace: defaultNamespace, kinds }: { readonly namespace: string; readonly kinds: ServedKinds }
): RefusedObject => {
  const fields = fieldsOrEmpty(value)
  const { apiVersion, kind, metadata } = fields
  const { name, namespace } = fieldsOrEmpty(metadata)
  const servedKind =
    kinds.findServed({ apiVersion: String(apiVersion), kind: String(kind) }) ??
    // The refusal may be of the version.
    storedKinds.find((stored) => stored.kind === kind)
  return {
    verdict: "refused",
    resource: servedKind === undefined ? undefined : groupResourceOf(servedKind),
    kind: isText(kind) ? kind : undefined,
    namespace:
      servedKind?.namespaced === false ? undefined : isText(namespace) ? namespace : defaultNamespace,
    name: isText(name) ? name : undefined,
    fields,
    problem
  }
}

export const refusedDocument = (
  { kind, draft, rawFields }: ManifestDocument,
  problem: ManifestProblem
): RefusedObject => {
  const { name = "", namespace } = draft.metadata
  return {
    verdict: "refused",
    resource: groupResourceOf(kind),
    kind: kind.kind,
    namespace: kind.namespaced ? namespace : undefined,
    name: name === "" ? undefined : name,
    fields: rawFields,
    problem
  }
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== ""
