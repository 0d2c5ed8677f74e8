import { isFields } from "../../meta/fields.ts"
import { timestampMillis } from "../../meta/amounts/timestamps.ts"
import type { ManagedFieldsEntry } from "kubernetes-types/meta/v1.js"
import { decodeFieldSet, encodeFieldSet } from "./fieldsV1.ts"
import { isEmptyFieldSet, fieldSetUnion, type FieldSet } from "./fieldSet.ts"
import { compareTexts } from "../../meta/text/compareTexts.ts"

/**
 * A decoded entry of `metadata.managedFields`. Source:
 * apimachinery/pkg/util/managedfields/internal/managedfields.go.
 */
export interface Ownership {
  readonly manager: string
  readonly operation: "Apply" | "Update"
  readonly apiVersion: string
  readonly subresource: string
  readonly time: string | undefined
  readonly fields: FieldSet
  /** The encoded entry, used again unless the ownership changes. */
  readonly entry?: ManagedFieldsEntry
}

/** Owners by `managerIdentity`. */
export type Ownerships = ReadonlyMap<string, Ownership>

export const noOwners: Ownerships = new Map()

/** The identity of an Apply ignores the version. */
export const managerIdentity = (owner: Omit<Ownership, "fields" | "time" | "entry">): string => {
  const { manager, operation, apiVersion, subresource } = owner
  return JSON.stringify({
    manager,
    operation,
    ...(operation === "Update" ? { apiVersion } : {}),
    ...(subresource === "" ? {} : { subresource })
  })
}

export const managedFieldsOf = (object: object | undefined): ReadonlyArray<ManagedFieldsEntry> => {
  const metadata: unknown = object === undefined ? undefined : Reflect.get(object, "metadata")
  const entries: unknown = isFields(metadata) ? metadata["managedFields"] : undefined
  if (!Array.isArray(entries)) return noEntries
  return entries.every(isFields) ? entries : entries.filter(isFields)
}

const noEntries: ReadonlyArray<ManagedFieldsEntry> = []

/** Empty if an entry is invalid. */
export const readOwnerships = (entries: ReadonlyArray<ManagedFieldsEntry>): Ownerships => {
  const cached = ownershipsByEntries.get(entries)
  if (cached !== undefined) return cached
  const owners = parseEntries(entries)
  if (Object.isFrozen(entries)) ownershipsByEntries.set(entries, owners)
  return owners
}

/** By the frozen `managedFields` of a stored object, which a request reads more than once. */
const ownershipsByEntries = new WeakMap<ReadonlyArray<ManagedFieldsEntry>, Ownerships>()

const parseEntries = (entries: ReadonlyArray<ManagedFieldsEntry>): Ownerships => {
  const owners = new Map<string, Ownership>()
  for (const entry of entries) {
    const owner = readEntry(entry)
    if (owner === undefined) return noOwners
    owners.set(managerIdentity(owner), owner)
  }
  return owners
}

/** Versions of an object share frozen entries. */
const ownershipByEntry = new WeakMap<ManagedFieldsEntry, Ownership | undefined>()

const readEntry = (entry: ManagedFieldsEntry): Ownership | undefined => {
  const cached = ownershipByEntry.get(entry)
  if (cached !== undefined) return cached
  const owner = parseEntry(entry)
  if (Object.isFrozen(entry)) ownershipByEntry.set(entry, owner)
  return owner
}

const parseEntry = (entry: ManagedFieldsEntry): Ownership | undefined => {
  const { manager = "", operation, apiVersion = "", subresource = "", time } = entry
  const { fieldsType, fieldsV1 = {} } = entry
  if ((operation !== "Apply" && operation !== "Update") || apiVersion === "" || fieldsType !== "FieldsV1") {
    return undefined
  }
  const fields = decodeFieldSet(fieldsV1)
  if (fields === undefined) return undefined
  return { manager, operation, apiVersion, subresource, time, fields, entry }
}

/** The order is that of Kubernetes: Apply before Update, then by time, then by name. */
export const writeOwnerships = (owners: Ownerships): ReadonlyArray<ManagedFieldsEntry> =>
  [...owners.values()].toSorted(compareOwners).map((owner) => owner.entry ?? writeEntry(owner))

/** Memoizes what the entry decodes to, because the next write reads the entry. */
const writeEntry = (owner: Ownership): ManagedFieldsEntry => {
  const { manager, operation, apiVersion, time, fields, subresource } = owner
  const entry = Object.freeze({
    manager,
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: "FieldsV1",
    fieldsV1: encodeFieldSet(fields),
    ...(subresource === "" ? {} : { subresource })
  })
  // An object as a whole has no owner.
  const decodedFields = fields.owned ? { owned: false, children: fields.children } : fields
  ownershipByEntry.set(entry, { ...owner, fields: decodedFields, entry })
  return entry
}

const writeSecondOf = ({ time }: Ownership): number =>
  time === undefined ? 0 : Math.floor(timestampMillis(time) / 1000)

const compareOwners = (a: Ownership, b: Ownership): number =>
  compareTexts(a.operation, b.operation) ||
  writeSecondOf(a) - writeSecondOf(b) ||
  compareTexts(a.manager, b.manager) ||
  compareTexts(a.apiVersion, b.apiVersion) ||
  compareTexts(a.subresource, b.subresource)

const withFields = (owner: Ownership, fields: FieldSet): Ownership => {
  if (fields === owner.fields) return owner
  const { entry: _entry, ...rest } = owner
  return { ...rest, fields }
}

/** Drops owners without fields. */
export const mapOwnedFields = (
  owners: Ownerships,
  change: (owner: Ownership, identity: string) => FieldSet
): Ownerships => {
  const remaining = new Map<string, Ownership>()
  for (const [identity, owner] of owners) {
    const fields = change(owner, identity)
    if (!isEmptyFieldSet(fields)) remaining.set(identity, withFields(owner, fields))
  }
  return remaining
}

/** Source: apimachinery/pkg/util/managedfields/internal/fieldmanager.go. */
const updateManagersMax = 10
const mergedEntriesManager = "ancient-changes"

/** Merges the oldest Update entries of an API version. */
export const capUpdateManagers = (owners: Ownerships): Ownerships => {
  const updaters = [...owners].filter(([, owner]) => owner.operation === "Update")
  let excess = updaters.length - updateManagersMax
  if (excess <= 0) return owners
  const remaining = new Map(owners)
  const oldestFirst = updaters.toSorted(
    ([a, left], [b, right]) => writeSecondOf(left) - writeSecondOf(right) || compareTexts(a, b)
  )
  // The oldest entry of an API version waits for a second entry to merge with.
  const firstByApiVersion = new Map<string, string>()
  for (const [identity, owner] of oldestFirst) {
    if (excess === 0) break
    const { apiVersion, time } = owner
    const firstIdentity = firstByApiVersion.get(apiVersion)
    if (firstIdentity === undefined) {
      firstByApiVersion.set(apiVersion, identity)
      continue
    }
    const mergedOwner = {
      manager: mergedEntriesManager,
      operation: "Update",
      apiVersion,
      subresource: ""
    } as const
    const mergedIdentity = managerIdentity(mergedOwner)
    const mergedBefore = remaining.get(mergedIdentity)
    const { fields = owner.fields } = mergedBefore ?? remaining.get(firstIdentity) ?? {}
    if (mergedBefore === undefined) remaining.delete(firstIdentity)
    remaining.delete(identity)
    remaining.set(mergedIdentity, { ...mergedOwner, time, fields: fieldSetUnion(owner.fields, fields) })
    excess -= 1
  }
  return remaining
}
