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
 * Server-side apply: someone says all that he wants of an object, and owns that from then on.
 *
 * Source: sigs.k8s.io/structured-merge-diff/merge (update.go, Apply), staging/src/k8s.io/apimachinery/pkg/
 * util/managedfields/internal (structuredmerge.go, managedfieldsupdater.go, skipnonapplied.go,
 * lastappliedmanager.go).
 */
export interface Application {
  readonly kind: Kind
  /** The object as it is, unless it is being created. */
  readonly live: object | undefined
  readonly applied: object
  readonly manager: string
  /** Whether fields with another owner are taken over. */
  readonly force: boolean
  readonly subresource?: string | undefined
  readonly nowMillis: number
  /** What an apply by this way cannot change, and therefore not own: `[["status"]]`. */
  readonly resetFields?: ReadonlyArray<ReadonlyArray<string>>
}

export type Applied =
  | {
      readonly ok: true
      /** The object without defaults, its managed fields still the old ones: the very same if nothing changes. */
      readonly object: Fields
      readonly managedFields: ReadonlyArray<ManagedFieldsEntry>
    }
  | NotApplied

export type NotApplied =
  | { readonly ok: false; readonly reason: "Conflict"; readonly conflicts: ReadonlyArray<FieldConflict> }
  | { readonly ok: false; readonly reason: "BadRequest" | "InternalError"; readonly message: string }

/**
 * Merges a configuration into an object. What the same one has applied before and says no more goes, unless
 * someone else owns it. It fails where a field would change that someone else owns.
 */
export const applyConfiguration = (application: Application): Applied => {
  const { kind, applied, nowMillis } = application
  const live = isFields(application.live) ? application.live : undefined
  const refusal = refuseConfiguration(kind, applied)
  if (refusal !== undefined) return refusal
  const recorded = readOwnerships(managedFieldsOf(live))
  const owners = recorded.size > 0 ? recorded : ownersBeforeApply(kind, live ?? {}, nowMillis)
  const shape = shapeOf(kind)
  const reset = resetSet(application.resetFields)
  const self = applier(application)
  const identity = identityOf(self)
  const last = owners.get(identity)
  const wanted = without(fieldsIn(shape, applied), reset)

  const others = new Map(owners)
  others.delete(identity)
  const merged = mergeConfiguration(shape, live, applied)
  const owned = [...others.values()].reduce((all, { fields }) => union(all, fields), wanted)
  const object = pruneUnowned({ shape, value: merged, last: last?.fields ?? emptySet, owned })

  const changes = changesBetween(shape, live, object)
  const [changed, removed] = [without(changes.changed, reset), without(changes.removed, reset)]
  const conflicts = application.force ? [] : conflictsAmong(others, changed, application)
  if (conflicts.length > 0) return { ok: false, reason: "Conflict", conflicts }
  const left = mapFields(others, ({ fields }) => difference(difference(fields, changed), removed))
  const fields = without(wanted, untracked)
  const all = new Map(left)
  if (!isEmpty(fields)) {
    const isSame = last !== undefined && object === live && isSameSet(last.fields, fields)
    all.set(identity, isSame ? withVersion(last, self) : { ...self, fields })
  }
  return { ok: true, object: finished(object, application), managedFields: writeOwnerships(all) }
}

const finished = (object: unknown, { applied, manager }: Application): Fields => {
  if (!isFields(object)) return {}
  return isKubectl(manager) && isFields(applied) ? withLastApplied(object, applied) : object
}

const applier = ({ kind, manager, subresource = "", nowMillis }: Application): Ownership => ({
  manager,
  operation: "Apply",
  apiVersion: apiVersionOf(kind),
  subresource,
  time: timestampOf(nowMillis),
  fields: emptySet
})

const withVersion = (last: Ownership, { apiVersion }: Ownership): Ownership => {
  if (last.apiVersion === apiVersion) return last
  const { entry: _stale, ...rest } = last
  return { ...rest, apiVersion }
}

const conflictsAmong = (
  others: Ownerships,
  changed: FieldSet,
  { kind, live, manager }: Application
): ReadonlyArray<FieldConflict> => {
  const conflicts = conflictsAbout(others, changed)
  if (conflicts.length === 0 || !isKubectl(manager)) return conflicts
  const inherited = fieldsLastApplied(kind, isFields(live) ? live : {})
  return conflictsAbout(others, difference(changed, inherited))
}

const conflictsAbout = (others: Ownerships, fields: FieldSet): ReadonlyArray<FieldConflict> =>
  [...others]
    .toSorted(([a], [b]) => compareTexts(a, b))
    .flatMap(([, owner]) => conflictsWith(owner, intersection(owner.fields, fields)))

/** Why a configuration cannot be applied to any object of its kind, as it was sent. */
export const refuseConfiguration = (kind: Kind, applied: object): NotApplied | undefined => {
  const apiVersion: unknown = Reflect.get(applied, "apiVersion")
  const given = typeof apiVersion === "string" ? apiVersion : ""
  const expected = apiVersionOf(kind)
  if (given !== expected) {
    const versions = `Specified patch version: ${given}, expected: ${expected}`
    return refused("BadRequest", `Incorrect version specified in apply patch. ${versions}`)
  }
  const metadata: unknown = Reflect.get(applied, "metadata")
  if (isFields(metadata) && (metadata["managedFields"] ?? undefined) !== undefined) {
    return refused("BadRequest", "metadata.managedFields must be nil")
  }
  const errors = shapeErrors(shapeOf(kind), applied)
  if (errors.length === 0) return undefined
  const { name = "", namespace = "" } = isFields(metadata) ? metadata : {}
  const subject = `${String(namespace)}/${String(name)}; ${expected}, Kind=${kind.kind}`
  const list = errors.length === 1 ? errors[0] : `errors:\n${errors.map((error) => `  ${error}`).join("\n")}`
  return refused("InternalError", `failed to create typed patch object (${subject}): ${list}`)
}

const refused = (reason: "BadRequest" | "InternalError", message: string): NotApplied => ({
  ok: false,
  reason,
  message
})
