import { isFields, type Fields } from "../fields.ts"
import type { ManagedFieldsEntry } from "kubernetes-types/meta/v1.js"
import { apiVersionOf, type Kind } from "../kinds.ts"
import { timestampOf } from "../timestamps.ts"
import { changesBetween, fieldsIn } from "./compare.ts"
import { conflictsWith, type FieldConflict } from "./conflicts.ts"
import {
  identityOf,
  managedFieldsOf,
  mapFields,
  readOwnerships,
  writeOwnerships,
  type Ownership,
  type Ownerships
} from "./entries.ts"
import {
  difference,
  emptySet,
  intersection,
  isEmpty,
  isSameSet,
  union,
  without,
  type FieldSet
} from "./fieldSet.ts"
import { fieldsLastApplied, isKubectl, withLastApplied } from "./lastApplied.ts"
import { mergeConfiguration, pruneUnowned } from "./merge.ts"
import { compareTexts } from "../compareTexts.ts"
import { shapeOf } from "./topology.ts"
import { ownersBeforeApply, resetSet, untracked } from "./updates.ts"
import { shapeErrors } from "./wellFormed.ts"

/**
 * Server-side apply.
 * Source: sigs.k8s.io/structured-merge-diff/merge (update.go, Apply),
 * staging/src/k8s.io/apimachinery/pkg/util/managedfields/internal (structuredmerge.go, managedfieldsupdater.go,
 * skipnonapplied.go, lastappliedmanager.go).
 */
export interface Application {
  readonly kind: Kind
  readonly live: object | undefined
  readonly applied: object
  readonly manager: string
  readonly force: boolean
  readonly subresource?: string | undefined
  readonly nowMillis: number
  /** Fields that the request cannot change and therefore not own: `[["status"]]`. */
  readonly resetFields?: ReadonlyArray<ReadonlyArray<string>>
}

export type Applied =
  | {
      readonly ok: true
      /**
       * The object without defaults and with its old managed fields; the same reference as `live` if nothing changes.
       */
      readonly object: Fields
      readonly managedFields: ReadonlyArray<ManagedFieldsEntry>
    }
  | NotApplied

export type NotApplied =
  | { readonly ok: false; readonly reason: "Conflict"; readonly conflicts: ReadonlyArray<FieldConflict> }
  | { readonly ok: false; readonly reason: "BadRequest" | "InternalError"; readonly message: string }

/**
 * Merges a configuration into an object. Fields that the manager applied before and omits now are removed, unless
 * another manager owns them. Fails if a field owned by another manager would change.
 */
export const applyConfiguration = (application: Application): Applied => {
  const { kind, applied, nowMillis } = application
  const live = isFields(application.live) ? application.live : undefined
  const refusal = refuseConfiguration(kind, applied)
  if (refusal !== undefined) return refusal
  const storedOwners = readOwnerships(managedFieldsOf(live))
  const owners = storedOwners.size > 0 ? storedOwners : ownersBeforeApply(kind, live ?? {}, nowMillis)
  const shape = shapeOf(kind)
  const unownable = resetSet(application.resetFields)
  const applierOwnership = applyOwnership(application)
  const identity = identityOf(applierOwnership)
  const lastApplied = owners.get(identity)
  const configured = without(fieldsIn(shape, applied), unownable)

  const others = new Map(owners)
  others.delete(identity)
  const mergedObject = mergeConfiguration(shape, live, applied)
  const allOwned = [...others.values()].reduce(
    (newOwners, { fields }) => union(newOwners, fields),
    configured
  )
  const object = pruneUnowned({
    shape,
    value: mergedObject,
    last: lastApplied?.fields ?? emptySet,
    owned: allOwned
  })

  const changes = changesBetween(shape, live, object)
  const [changed, removed] = [without(changes.changed, unownable), without(changes.removed, unownable)]
  const conflicts = application.force ? [] : conflictsAmong(others, changed, application)
  if (conflicts.length > 0) return { ok: false, reason: "Conflict", conflicts }
  const remaining = mapFields(others, ({ fields }) => difference(difference(fields, changed), removed))
  const fields = without(configured, untracked)
  const newOwners = new Map(remaining)
  if (!isEmpty(fields)) {
    const isSame = lastApplied !== undefined && object === live && isSameSet(lastApplied.fields, fields)
    newOwners.set(
      identity,
      isSame ? withVersion(lastApplied, applierOwnership) : { ...applierOwnership, fields }
    )
  }
  return { ok: true, object: toResult(object, application), managedFields: writeOwnerships(newOwners) }
}

const toResult = (object: unknown, { applied, manager }: Application): Fields => {
  if (!isFields(object)) return {}
  return isKubectl(manager) && isFields(applied) ? withLastApplied(object, applied) : object
}

const applyOwnership = ({ kind, manager, subresource = "", nowMillis }: Application): Ownership => ({
  manager,
  operation: "Apply",
  apiVersion: apiVersionOf(kind),
  subresource,
  time: timestampOf(nowMillis),
  fields: emptySet
})

const withVersion = (lastApplied: Ownership, { apiVersion }: Ownership): Ownership => {
  if (lastApplied.apiVersion === apiVersion) return lastApplied
  const { entry: _stale, ...rest } = lastApplied
  return { ...rest, apiVersion }
}

const conflictsAmong = (
  others: Ownerships,
  changed: FieldSet,
  { kind, live, manager }: Application
): ReadonlyArray<FieldConflict> => {
  const conflicts = conflictsOn(others, changed)
  if (conflicts.length === 0 || !isKubectl(manager)) return conflicts
  const inherited = fieldsLastApplied(kind, isFields(live) ? live : {})
  return conflictsOn(others, difference(changed, inherited))
}

const conflictsOn = (others: Ownerships, fields: FieldSet): ReadonlyArray<FieldConflict> =>
  [...others]
    .toSorted(([a], [b]) => compareTexts(a, b))
    .flatMap(([, owner]) => conflictsWith(owner, intersection(owner.fields, fields)))

export const refuseConfiguration = (kind: Kind, applied: object): NotApplied | undefined => {
  const apiVersion: unknown = Reflect.get(applied, "apiVersion")
  const version = typeof apiVersion === "string" ? apiVersion : ""
  const expected = apiVersionOf(kind)
  if (version !== expected) {
    const versions = `Specified patch version: ${version}, expected: ${expected}`
    return failure("BadRequest", `Incorrect version specified in apply patch. ${versions}`)
  }
  const metadata: unknown = Reflect.get(applied, "metadata")
  if (isFields(metadata) && (metadata["managedFields"] ?? undefined) !== undefined) {
    return failure("BadRequest", "metadata.managedFields must be nil")
  }
  const errors = shapeErrors(shapeOf(kind), applied)
  if (errors.length === 0) return undefined
  const { name = "", namespace = "" } = isFields(metadata) ? metadata : {}
  const subject = `${String(namespace)}/${String(name)}; ${expected}, Kind=${kind.kind}`
  const list = errors.length === 1 ? errors[0] : `errors:\n${errors.map((error) => `  ${error}`).join("\n")}`
  return failure("InternalError", `failed to create typed patch object (${subject}): ${list}`)
}

const failure = (reason: "BadRequest" | "InternalError", message: string): NotApplied => ({
  ok: false,
  reason,
  message
})
