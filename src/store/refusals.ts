import { immutable, invalidMessage } from "../domain/admission/fieldErrors.ts"
import { groupKindOf, groupResourceOf, resources } from "../domain/kinds.ts"
import { BadRequest, Conflict, Forbidden, Invalid, modifiedMeanwhile, NotFound } from "./errors.ts"
import type { FieldError } from "../domain/admission/fieldErrors.ts"
import type { Kind } from "../domain/kinds.ts"
import type { Draft, KubeObject } from "../domain/objects.ts"
import type { StoreError } from "./errors.ts"
import type { Ref } from "./objectStore.ts"

/** Refuses a write with an outdated uid or resource version. */
export const refuseStale = (kind: Kind, old: KubeObject, next: Draft): StoreError | undefined => {
  const { name, uid, resourceVersion } = old.metadata
  const stated = next.metadata
  if (stated.uid !== undefined && stated.uid !== uid) return anotherUid(kind, old, stated.uid)
  const isCurrent = !stated.resourceVersion || stated.resourceVersion === resourceVersion
  return isCurrent
    ? undefined
    : new Conflict({ resource: groupResourceOf(kind), name, why: modifiedMeanwhile })
}

/**
 * The same for the result of a patch, where the version is checked first.
 *
 * Source: staging/src/k8s.io/apiserver/pkg/registry/generic/registry/store.go (Update).
 */
export const refusePatched = (kind: Kind, old: KubeObject, { metadata }: Draft): StoreError | undefined => {
  const { name, uid, resourceVersion } = old.metadata
  const stated = metadata.resourceVersion || "0"
  if (stated !== "0" && stated !== resourceVersion) {
    return new Conflict({ resource: groupResourceOf(kind), name, why: modifiedMeanwhile })
  }
  return metadata.uid === undefined || metadata.uid === uid ? undefined : anotherUid(kind, old, metadata.uid)
}

export const anotherUid = (kind: Kind, { metadata }: KubeObject, uid: string): Invalid =>
  new Invalid({ ...saying(kind, metadata.name, [immutable("metadata.uid", uid)]), meantAnother: true })

/** The text of the storage for a failed uid precondition. */
export const identityMismatch = (kind: Stored, object: KubeObject, uid: string): string =>
  failedPrecondition(kind, object, `UID in precondition: ${uid}, UID in object meta: ${object.metadata.uid}`)

/** The text of the storage for a failed version precondition. */
export const versionMismatch = (kind: Stored, object: KubeObject, stated: string): string => {
  const { resourceVersion } = object.metadata
  const both = `ResourceVersion in precondition: ${stated}, ResourceVersion in object meta: ${resourceVersion}`
  return failedPrecondition(kind, object, both)
}

type Stored = Pick<Kind, "plural">

const failedPrecondition = (kind: Stored, { metadata }: KubeObject, why: string): string => {
  const { namespace, name } = metadata
  const path = ["/registry", kind.plural, ...(namespace === undefined ? [] : [namespace]), name].join("/")
  return (
    `StorageError: invalid object, Code: 4, Key: ${path}, ResourceVersion: 0, AdditionalErrorMsg: ` +
    `Precondition failed: ${why}`
  )
}

const protectedNamespaces: ReadonlySet<string> = new Set(["default", "kube-system", "kube-public"])

export const refuseDeletion = (
  { resource, key }: Ref,
  object: KubeObject,
  required: { readonly uid?: string; readonly resourceVersion?: string }
): StoreError | undefined => {
  const { name, uid, resourceVersion } = object.metadata
  if (resource === resources.namespaces && protectedNamespaces.has(key)) {
    return new Forbidden({ resource, name, why: "this namespace may not be deleted" })
  }
  if (required.uid !== undefined && required.uid !== uid) {
    const why =
      `the UID in the precondition (${required.uid}) does not match the UID in record (${uid}). ` +
      "The object might have been deleted and then recreated"
    return new Conflict({ resource, name, why, meantAnother: true })
  }
  if (required.resourceVersion !== undefined && required.resourceVersion !== resourceVersion) {
    const why =
      `the ResourceVersion in the precondition (${required.resourceVersion}) does not match the ResourceVersion in ` +
      `record (${resourceVersion}). The object might have been modified`
    return new Conflict({ resource, name, why })
  }
  return undefined
}

export const notFound = ({ resource, key }: Ref): NotFound =>
  new NotFound({ resource, name: key.slice(key.indexOf("/") + 1) })

export const unknownKind = ({ kind, apiVersion }: Draft): BadRequest =>
  new BadRequest({
    why: `no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`
  })

export const invalid = (kind: Kind, name: string, errors: ReadonlyArray<FieldError>): Invalid =>
  new Invalid(saying(kind, name, errors))

const saying = (kind: Kind, name: string, errors: ReadonlyArray<FieldError>) => ({
  resource: groupResourceOf(kind),
  name,
  errors,
  kind: { group: kind.group, kind: kind.kind },
  sentence: invalidMessage({ groupKind: groupKindOf(kind), name, errors })
})
