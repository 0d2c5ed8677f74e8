import * as Effect from "effect/Effect"
import type { ManagedFieldsEntry } from "kubernetes-types/meta/v1.js"
import { withDefaults } from "../../kubernetes/admission/admit.ts"
import {
  appliedDraft,
  applyConfiguration,
  validateConfiguration
} from "../../kubernetes/apply/managedFields/serverSideApply.ts"
import { conflictCauses, conflictMessage } from "../../kubernetes/apply/managedFields/fieldConflicts.ts"
import { managedFieldsOf } from "../../kubernetes/apply/managedFields/ownerships.ts"
import { withCompleteManagedFields } from "../../kubernetes/apply/managedFields/completeManagedFields.ts"
import {
  withoutAdmissionDefaults,
  updateResetFields,
  approvalResetFields,
  statusResetFields,
  withManagedFieldEntries
} from "../../kubernetes/apply/managedFields/recordManager.ts"
import { podSubresourceOf, withWrittenSubresource } from "../../kubernetes/admission/pods/podSubresources.ts"
import { recordUpdate } from "../../kubernetes/apply/managedFields/recordUpdate.ts"
import { apiVersionOf, storedKindOf } from "../../kubernetes/meta/kinds.ts"
import { toObjectKey } from "../../kubernetes/meta/objects.ts"
import { Conflict, NotFound } from "../../store/storeErrors.ts"
import { immutableUidError } from "../../store/storeRefusals.ts"
import { decodeParsedBody, parseBody } from "../requests/decodeBody.ts"
import { badRequest, invalidRequestOptions, makeRefusal, noReason } from "../http/statuses.ts"
import { requireRequestName, inRequestNamespace } from "../requests/requestIdentity.ts"
import { storeNewObject, storeReplacement } from "./storeObjects.ts"
import type { ApplyFailure } from "../../kubernetes/apply/managedFields/serverSideApply.ts"
import { toServedKind } from "../conversion/kindConversion.ts"
import { goQuote } from "../../kubernetes/meta/text/goQuote.ts"
import type { VersionedWrite } from "../../kubernetes/apply/managedFields/recordUpdate.ts"
import type { Kind } from "../../kubernetes/meta/kinds.ts"
import type { Draft, KubeObject } from "../../kubernetes/meta/objects.ts"
import type { ApiAnswer, ApiCall } from "../requests/apiCall.ts"
import type { OptionError, RefusalOrStoreError } from "../http/statuses.ts"

/** Records managed fields of a client's write; the store records those of controllers. */
export const withOwnershipOnCreate = (call: ApiCall, sentDraft: Draft): Draft => {
  const draft = withoutEmptyMetadata(sentDraft)
  // Managers are recorded before admission: the creator does not own what admission fills in.
  return withManagedFieldEntries(
    draft,
    entriesAfterWrite(call, {
      before: undefined,
      after: withoutAdmissionDefaults(storedKindOf(call.target.kind), draft)
    })
  )
}

export const withOwnershipOnUpdate = (call: ApiCall, before: KubeObject, sentDraft: Draft): Draft => {
  const draft = withoutEmptyMetadata(sentDraft)
  const { kind, subresource } = call.target
  const after =
    subresource === "status" || subresource === "approval"
      ? { ...before, metadata: draft.metadata, ...("status" in draft ? { status: draft.status } : {}) }
      : withWrittenSubresource(podSubresourceOf(subresource), withDefaults(storedKindOf(kind), draft), before)
  return withManagedFieldEntries(draft, entriesAfterWrite(call, { before, after }))
}

const omittedWhenEmpty = ["labels", "annotations"] as const

/**
 * Kubernetes' encoding omits empty labels and annotations: they have no manager and make no new version.
 *
 * Source: apimachinery/pkg/apis/meta/v1/types.go (ObjectMeta, omitempty).
 */
const withoutEmptyMetadata = (draft: Draft): Draft => {
  const { metadata } = draft
  const empty = omittedWhenEmpty.filter((field) => isEmptyMap(metadata[field]))
  if (empty.length === 0) return draft
  const others = Object.entries(metadata).filter(([field]) => !empty.some((it) => it === field))
  return { ...draft, metadata: Object.fromEntries(others) as Draft["metadata"] }
}

const isEmptyMap = (value: object | undefined): boolean =>
  value !== undefined && Object.keys(value).length === 0

const entriesAfterWrite = (
  call: ApiCall,
  { before, after }: { readonly before: object | undefined; readonly after: object }
): ReadonlyArray<ManagedFieldsEntry> => {
  const { kind, subresource } = call.target
  return recordUpdate({
    ...toVersionWrite(kind, before, after),
    otherVersions: otherVersions(call, before).map((version) => toVersionWrite(version, before, after)),
    manager: fieldManagerOf(call),
    subresource,
    nowMillis: call.services.nowMillis(),
    resetFields: resetFieldsOf(call)
  })
}

const otherVersions = ({ services, target }: ApiCall, before: object | undefined): ReadonlyArray<Kind> => {
  const currentVersion = apiVersionOf(target.kind)
  const entries = managedFieldsOf(before).filter(({ apiVersion }) => apiVersion !== currentVersion)
  if (entries.length === 0) return []
  const versions = new Set(entries.map(({ apiVersion }) => apiVersion))
  const storedKind = storedKindOf(target.kind)
  return services.view.kinds
    .served()
    .filter((kind) => versions.has(apiVersionOf(kind)) && storedKindOf(kind) === storedKind)
}

/** The write in one version's schema. Fields that only this version shows as null do not count as written. */
const toVersionWrite = (kind: Kind, before: object | undefined, after: object): VersionedWrite => {
  const toThisVersion = (object: object): object =>
    kind === storedKindOf(kind)
      ? object
      : Object.fromEntries(
          Object.entries(toServedKind(kind, object as KubeObject)).filter(([, value]) => value !== null)
        )
  return {
    kind,
    before: before === undefined ? undefined : toThisVersion(before),
    after: toThisVersion(after)
  }
}

/** The endpoint resets these fields, so no manager can own them. */
const resetFieldsOf = ({ target }: ApiCall): ReadonlyArray<ReadonlyArray<string>> => {
  const kind = storedKindOf(target.kind)
  if (target.subresource === "approval") return approvalResetFields
  return target.subresource === "status" ? statusResetFields(kind) : updateResetFields(kind)
}

const managerBytesMax = 128

/** The `fieldManager` parameter, or the user agent up to its first slash. */
export const fieldManagerOf = ({ query, userAgent, method }: ApiCall): string => {
  const manager = query.text("fieldManager")
  if (manager === undefined) return (userAgent.split("/")[0] ?? "").slice(0, managerBytesMax)
  const errors = managerErrors(manager)
  if (errors.length > 0) throw invalidRequestOptions(optionsKindByMethod[method] ?? "PatchOptions", errors)
  return manager
}

const optionsKindByMethod: Readonly<Record<string, string>> = { POST: "CreateOptions", PUT: "UpdateOptions" }

const managerErrors = (manager: string): ReadonlyArray<OptionError> => {
  const isTooLong = Buffer.byteLength(manager) > managerBytesMax
  const hasUnprintable = /[^\P{C}]/u.test(manager)
  return [
    ...(isTooLong
      ? [
          {
            field: "fieldManager",
            reason: "FieldValueTooLong",
            body: `Too long: may not be more than ${managerBytesMax} bytes`
          }
        ]
      : []),
    ...(hasUnprintable
      ? [
          {
            field: "fieldManager",
            reason: "FieldValueInvalid",
            body: `Invalid value: ${goQuote(manager)}: should only contain printable characters`
          }
        ]
      : [])
  ]
}

export const withOwnershipOnScale = (call: ApiCall, before: KubeObject, after: KubeObject): Draft =>
  withManagedFieldEntries(after, entriesAfterWrite(call, { before, after }))

const requireManager = ({ query }: ApiCall): void => {
  if (query.text("fieldManager") !== undefined) return
  const body = "Required value: is required for apply patch"
  throw invalidRequestOptions("PatchOptions", [{ field: "fieldManager", reason: "FieldValueRequired", body }])
}

export const readAppliedConfiguration = (call: ApiCall, kind: Kind): Draft => {
  requireManager(call)
  const parsed = parseBody({ ...call, contentType: "application/yaml" })
  // Decoding drops unknown fields: the applied configuration would differ from the sent one. A configuration in
  // another version than the stored one is validated after its conversion.
  const isObject = typeof parsed.value === "object" && parsed.value !== null
  const problem =
    isObject && storedKindOf(kind) === kind ? validateConfiguration(kind, parsed.value) : undefined
  if (problem !== undefined) throw toApplyRefusal(call, problem)
  return requireRequestName(
    inRequestNamespace(
      decodeParsedBody(parsed, { kind, call, optionsKind: "PatchOptions", keepsEmptyValues: true }),
      call.target
    ),
    call.target
  )
}

/** Creates the object when it does not exist. */
export const serverSideApply = (
  call: ApiCall,
  dryRun: boolean
): Effect.Effect<ApiAnswer, RefusalOrStoreError> => {
  const { target, services, query } = call
  const kind = storedKindOf(target.kind)
  const draft = readAppliedConfiguration(call, target.kind)
  if (managedFieldsOf(draft).length > 0) throw badRequest("metadata.managedFields must be nil")
  const storedObject = services.view.get(target.resource, toObjectKey(target.namespace, target.name ?? ""))
  const live = storedObject === undefined ? undefined : withCompleteManagedFields(storedObject)
  if (live === undefined && target.subresource !== undefined) {
    return Effect.fail(new NotFound({ resource: target.resource, resourceName: target.name ?? "" }))
  }
  const { uid } = draft.metadata
  if (live === undefined && uid !== undefined) {
    const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`
    return Effect.fail(new Conflict({ resource: target.resource, resourceName: target.name ?? "", why }))
  }
  if (live !== undefined && uid !== undefined && uid !== live.metadata.uid) {
    return Effect.fail(immutableUidError(kind, live, uid))
  }
  const outcome = applyConfiguration({
    kind,
    live,
    configuration: draft,
    manager: fieldManagerOf(call),
    force: query.flag("force"),
    subresource: target.subresource,
    nowMillis: services.nowMillis(),
    resetFields: resetFieldsOf(call)
  })
  if (!outcome.ok) throw toApplyRefusal(call, outcome)
  const merged = appliedDraft(kind, outcome, live)
  return live === undefined
    ? storeNewObject(call, merged, { dryRun })
    : storeReplacement(call, live, merged, { dryRun, isPatch: true })
}

export const toApplyRefusal = ({ target }: ApiCall, outcome: ApplyFailure) => {
  switch (outcome.reason) {
    case "BadRequest":
      return badRequest(outcome.message)
    case "InternalError":
      return makeRefusal(500, noReason, outcome.message)
    case "Conflict": {
      const { name = "", kind } = target
      return makeRefusal(409, "Conflict", conflictMessage(outcome.conflicts), {
        ...(kind.group === "" ? {} : { group: kind.group }),
        name,
        kind: kind.plural,
        causes: [...conflictCauses(outcome.conflicts)]
      })
    }
  }
}
