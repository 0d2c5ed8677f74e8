import { isFields, type Fields } from "../../meta/fields.ts"
import type { ManagedFieldsEntry } from "kubernetes-types/meta/v1.js"
import { apiVersionOf, type Kind } from "../../meta/kinds.ts"
import { withManagedFieldEntries } from "./recordManager.ts"
import { withoutOmittedValues } from "../../admission/decoding/decodeObject.ts"
import type { Draft } from "../../meta/objects.ts"
import { timestampOf } from "../../meta/amounts/timestamps.ts"
import { compareFields, configuredFields } from "./compareFields.ts"
import { findConflicts, type FieldConflict } from "./fieldConflicts.ts"
import {
  managerIdentity,
  managedFieldsOf,
  mapOwnedFields,
  readOwnerships,
  writeOwnerships,
  type Ownership
} from "./ownerships.ts"
import {
  fieldSetDifference,
  emptyFieldSet,
  isEmptyFieldSet,
  isSameFieldSet,
  fieldSetUnion,
  withoutSubtrees
} from "./fieldSet.ts"
import { isKubectlManager, withUpdatedLastApplied } from "./lastApplied.ts"
import { mergeConfiguration, pruneUnowned } from "./mergeConfiguration.ts"
import { ownershipTopologyOf } from "./ownershipTopology.ts"
import { ownersBeforeFirstApply, resetFieldSet, unownedFields } from "./recordUpdate.ts"
import { topologyErrors } from "./topologyErrors.ts"

/**
 * Source: sigs.k8s.io/structured-merge-diff/merge/update.go (Apply),
 * apimachinery/pkg/util/managedfields/internal.
 */
export interface ApplyRequest {
  readonly kind: Kind
  readonly live: object | undefined
  readonly configuration: object
  readonly manager: string
  readonly force: boolean
  readonly subresource?: string | undefined
  readonly nowMillis: number
  /** Fields that the request cannot own, such as `[["status"]]`. */
  readonly resetFields?: ReadonlyArray<ReadonlyArray<string>>
}

export type ApplyResult = AppliedConfiguration | ApplyFailure

interface AppliedConfiguration {
  readonly ok: true
  /** The object without defaults; the same reference as `live` if nothing changes. */
  readonly object: Fields
  readonly managedFields: ReadonlyArray<ManagedFieldsEntry>
}

export type ApplyFailure =
  | { readonly ok: false; readonly reason: "Conflict"; readonly conflicts: ReadonlyArray<FieldConflict> }
  | { readonly ok: false; readonly reason: "BadRequest" | "InternalError"; readonly message: string }

/**
 * Removes fields that the manager no longer applies and no other manager owns; fails on conflicts.
 */
export const applyConfiguration = (request: ApplyRequest): ApplyResult => {
  const { kind, configuration, nowMillis } = request
  const live = isFields(request.live) ? request.live : undefined
  const refusal = validateConfiguration(kind, configuration)
  if (refusal !== undefined) return refusal
  const storedOwners = readOwnerships(managedFieldsOf(live))
  const owners = storedOwners.size > 0 ? storedOwners : ownersBeforeFirstApply(kind, live ?? {}, nowMillis)
  const topology = ownershipTopologyOf(kind)
  const unownable = resetFieldSet(request.resetFields)
  const applierOwnership = applyOwnership(request)
  const identity = managerIdentity(applierOwnership)
  const previousOwnership = owners.get(identity)
  const configured = withoutSubtrees(configuredFields(topology, configuration), unownable)

  const otherOwners = new Map(owners)
  otherOwners.delete(identity)
  const mergedObject = mergeConfiguration(topology, live, configuration)
  const allOwned = [...otherOwners.values()].reduce(
    (union, { fields }) => fieldSetUnion(union, fields),
    configured
  )
  const object = pruneUnowned({
    topology,
    value: mergedObject,
    lastApplied: previousOwnership?.fields ?? emptyFieldSet,
    ownedFields: allOwned
  })

  const changes = compareFields(topology, live, object)
  const [changed, removed] = [
    withoutSubtrees(changes.changed, unownable),
    withoutSubtrees(changes.removed, unownable)
  ]
  const conflicts = request.force ? [] : findConflicts(otherOwners, changed, request)
  if (conflicts.length > 0) return { ok: false, reason: "Conflict", conflicts }
  const remaining = mapOwnedFields(otherOwners, ({ fields }) =>
    fieldSetDifference(fieldSetDifference(fields, changed), removed)
  )
  const fields = withoutSubtrees(configured, unownedFields)
  const newOwners = new Map(remaining)
  if (!isEmptyFieldSet(fields)) {
    // An apply without effect keeps the earlier time.
    const isSame =
      previousOwnership !== undefined && object === live && isSameFieldSet(previousOwnership.fields, fields)
    newOwners.set(
      identity,
      isSame ? withVersion(previousOwnership, applierOwnership) : { ...applierOwnership, fields }
    )
  }
  return {
    ok: true,
    object: updateLastAppliedOfKubectl(object, request),
    managedFields: writeOwnerships(newOwners)
  }
}

/** Without the empty values that Kubernetes does not store. */
export const appliedDraft = (
  kind: Kind,
  { object, managedFields }: AppliedConfiguration,
  live: object | undefined
): Draft =>
  withManagedFieldEntries(withoutOmittedValues(kind, object, live) as unknown as Draft, managedFields)

const updateLastAppliedOfKubectl = (object: unknown, { configuration, manager }: ApplyRequest): Fields => {
  if (!isFields(object)) return {}
  return isKubectlManager(manager) && isFields(configuration)
    ? withUpdatedLastApplied(object, configuration)
    : object
}

const applyOwnership = ({ kind, manager, subresource = "", nowMillis }: ApplyRequest): Ownership => ({
  manager,
  operation: "Apply",
  apiVersion: apiVersionOf(kind),
  subresource,
  time: timestampOf(nowMillis),
  fields: emptyFieldSet
})

const withVersion = (previousOwnership: Ownership, { apiVersion }: Ownership): Ownership => {
  if (previousOwnership.apiVersion === apiVersion) return previousOwnership
  // The encoded `entry` has the old version.
  const { entry: _entry, ...rest } = previousOwnership
  return { ...rest, apiVersion }
}

export const validateConfiguration = (kind: Kind, configuration: object): ApplyFailure | undefined => {
  const apiVersion: unknown = Reflect.get(configuration, "apiVersion")
  const version = typeof apiVersion === "string" ? apiVersion : ""
  const expected = apiVersionOf(kind)
  if (version !== expected) {
    const versions = `Specified patch version: ${version}, expected: ${expected}`
    return failure("BadRequest", `Incorrect version specified in apply patch. ${versions}`)
  }
  const metadata: unknown = Reflect.get(configuration, "metadata")
  if (isFields(metadata) && (metadata["managedFields"] ?? undefined) !== undefined) {
    return failure("BadRequest", "metadata.managedFields must be nil")
  }
  const errors = topologyErrors(ownershipTopologyOf(kind), configuration)
  if (errors.length === 0) return undefined
  const { name = "", namespace = "" } = isFields(metadata) ? metadata : {}
  const objectText = `${String(namespace)}/${String(name)}; ${expected}, Kind=${kind.kind}`
  const list = errors.length === 1 ? errors[0] : `errors:\n${errors.map((error) => `  ${error}`).join("\n")}`
  return failure("InternalError", `failed to create typed patch object (${objectText}): ${list}`)
}

const failure = (reason: "BadRequest" | "InternalError", message: string): ApplyFailure => ({
  ok: false,
  reason,
  message
})
