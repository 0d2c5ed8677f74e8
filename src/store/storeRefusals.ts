import { immutableField, invalidMessage } from "../kubernetes/validation/fieldErrors.ts"
import { groupKindOf, groupResourceOf, resources } from "../kubernetes/meta/kinds.ts"
import { nameInKey } from "../kubernetes/meta/objects.ts"
import { BadRequest, Conflict, Forbidden, Invalid, modifiedMeanwhile, NotFound } from "./storeErrors.ts"
import { goQuote } from "../kubernetes/meta/text/goQuote.ts"
import type { FieldError } from "../kubernetes/validation/fieldErrors.ts"
import type { Kind } from "../kubernetes/meta/kinds.ts"
import type { Draft, KubeObject } from "../kubernetes/meta/objects.ts"
import type { StoreError } from "./storeErrors.ts"
import type { Ref } from "./objectStore.ts"

export const refuseStale = (kind: Kind, old: KubeObject, next: Draft): StoreError | undefined => {
  const { name, uid, resourceVersion } = old.metadata
  const nextMetadata = next.metadata
  if (nextMetadata.uid !== undefined && nextMetadata.uid !== uid)
    return immutableUidError(kind, old, nextMetadata.uid)
  const isCurrent = !nextMetadata.resourceVersion || nextMetadata.resourceVersion === resourceVersion
  return isCurrent ? undefined : staleVersionError(kind, name, nextMetadata.resourceVersion ?? "")
}

/** Source: apiserver/pkg/storage/api_object_versioner.go (ObjectResourceVersion). */
export const staleVersionError = (kind: Kind, name: string, sentVersion: string): BadRequest | Conflict =>
  /^\d+$/u.test(sentVersion)
    ? new Conflict({ resource: groupResourceOf(kind), resourceName: name, why: modifiedMeanwhile })
    : new BadRequest({ why: unreadableVersionText(sentVersion) })

export const unreadableVersionBeginning = "strconv.ParseUint: parsing "

const unreadableVersionText = (version: string): string =>
  `${unreadableVersionBeginning}${goQuote(version)}: invalid syntax`

/** Of a version in a query, with at most as many digits as a 64-bit number; undefined if it is one. */
export const requestedVersionProblem = (version: string): string | undefined =>
  /^\d{1,19}$/u.test(version)
    ? undefined
    : `Invalid value: ${goQuote(version)}: ${unreadableVersionText(version)}`

/** A patch checks the version before the uid. Source: registry/generic/registry/store.go (Update). */
export const refuseStalePatch = (
  kind: Kind,
  old: KubeObject,
  { metadata }: Draft
): StoreError | undefined => {
  const { name, uid, resourceVersion } = old.metadata
  const sentVersion = metadata.resourceVersion || "0"
  if (sentVersion !== "0" && sentVersion !== resourceVersion)
    return staleVersionError(kind, name, sentVersion)
  return metadata.uid === undefined || metadata.uid === uid
    ? undefined
    : immutableUidError(kind, old, metadata.uid)
}

export const immutableUidError = (kind: Kind, { metadata }: KubeObject, uid: string): Invalid =>
  new Invalid({
    ...invalidFields(kind, metadata.name, [immutableField("metadata.uid", uid)]),
    isUidMismatch: true
  })

export const uidPreconditionText = (kind: KindPlural, object: KubeObject, uid: string): string =>
  failedPrecondition(kind, object, `UID in precondition: ${uid}, UID in object meta: ${object.metadata.uid}`)

export const versionPreconditionText = (
  kind: KindPlural,
  object: KubeObject,
  sentVersion: string
): string => {
  const { resourceVersion } = object.metadata
  const versions = `ResourceVersion in precondition: ${sentVersion}, ResourceVersion in object meta: ${resourceVersion}`
  return failedPrecondition(kind, object, versions)
}

type KindPlural = Pick<Kind, "plural">

const failedPrecondition = (kind: KindPlural, { metadata }: KubeObject, why: string): string => {
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
  preconditions: { readonly uid?: string; readonly resourceVersion?: string }
): StoreError | undefined => {
  const { name, uid, resourceVersion } = object.metadata
  if (resource === resources.namespaces && protectedNamespaces.has(key)) {
    return new Forbidden({ resource, resourceName: name, why: "this namespace may not be deleted" })
  }
  if (preconditions.uid !== undefined && preconditions.uid !== uid) {
    const why =
      `the UID in the precondition (${preconditions.uid}) does not match the UID in record (${uid}). ` +
      "The object might have been deleted and then recreated"
    return new Conflict({ resource, resourceName: name, why, isUidMismatch: true })
  }
  if (preconditions.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion) {
    const why =
      `the ResourceVersion in the precondition (${preconditions.resourceVersion}) does not match the ResourceVersion in ` +
      `record (${resourceVersion}). The object might have been modified`
    return new Conflict({ resource, resourceName: name, why })
  }
  return undefined
}

export const objectNotFound = ({ resource, key }: Ref): NotFound =>
  new NotFound({ resource, resourceName: nameInKey(key) })

export const unknownKindError = ({ kind, apiVersion }: Draft): BadRequest =>
  new BadRequest({
    why: `no matches for kind ${goQuote(kind)} in version ${goQuote(apiVersion)}`
  })

export const invalidObject = (kind: Kind, name: string, errors: ReadonlyArray<FieldError>): Invalid =>
  new Invalid(invalidFields(kind, name, errors))

const invalidFields = (kind: Kind, name: string, errors: ReadonlyArray<FieldError>) => ({
  resource: groupResourceOf(kind),
  resourceName: name,
  errors,
  kind: { group: kind.group, kind: kind.kind },
  sentence: invalidMessage({ groupKind: groupKindOf(kind), name, errors })
})
