import { deploymentManifest, kindNamed, podManifest, replicaSetManifest } from "../../builders.ts"
import { validateCreate, withDefaults } from "../../../src/kubernetes/admission/admit.ts"
import { errorBody, type FieldErrors } from "../../../src/kubernetes/validation/fieldErrors.ts"
import type { LooseDraft } from "../../builders.ts"

export const [deployments, replicaSets, pods, namespaces, nodes] = [
  kindNamed("Deployment"),
  kindNamed("ReplicaSet"),
  kindNamed("Pod"),
  kindNamed("Namespace"),
  kindNamed("Node")
]

const shop = { namespace: "shop", version: "v3" }

export const aDeployment = (spec: object = {}): LooseDraft => deploymentManifest({ ...shop, spec })
export const aReplicaSet = (spec: object = {}): LooseDraft =>
  replicaSetManifest({ ...shop, metadata: { name: "web-7d4b9" }, spec })
export const aPod = (spec: object = {}): LooseDraft =>
  podManifest("web-7d4b9-x2k5l", spec, { namespace: "shop" })

export type Edit = readonly [path: string, value: unknown]

/** A copy with the value at a dotted path replaced, or removed where the new value is undefined. */
export const edited = <T extends object>(object: T, ...edits: ReadonlyArray<Edit>): T => {
  const copy = structuredClone(object)
  for (const [path, value] of edits) setAt(copy, path.split("."), value)
  return copy
}

const setAt = (target: object, [field = "", ...rest]: ReadonlyArray<string>, value: unknown): void => {
  if (rest.length === 0) {
    if (value === undefined) Reflect.deleteProperty(target, field)
    else Reflect.set(target, field, value)
    return
  }
  const next: unknown = Reflect.get(target, field)
  if (typeof next === "object" && next !== null) return setAt(next, rest, value)
  const created = {}
  Reflect.set(target, field, created)
  setAt(created, rest, value)
}

export const valueAt = (object: object, path: string): unknown => {
  let value: unknown = object
  for (const field of path.split(".")) {
    value = typeof value === "object" && value !== null ? Reflect.get(value, field) : undefined
  }
  return value
}

export const errorTexts = (errors: FieldErrors): ReadonlyArray<string> =>
  errors.map((error) => `${error.field}: ${errorBody(error)}`)

export const deepFrozen = <T>(value: T): T => {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const part of Object.values(value)) deepFrozen(part)
  }
  return value
}

/** A row of a table of errors: the edits, and all errors they cause. */
export interface ErrorRow {
  readonly why: string
  readonly edits: ReadonlyArray<Edit>
  readonly errors: ReadonlyArray<string>
}

export const podErrors = (edits: ReadonlyArray<Edit>): ReadonlyArray<string> =>
  errorTexts(validateCreate(pods, withDefaults(pods, edited(aPod(), ...edits))))

export const subdomainRule =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', " +
  "and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"

export const labelRule =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', " +
  "and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', " +
  "regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
