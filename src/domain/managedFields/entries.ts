import { isFields } from "../fields.ts"
import { millisOf } from "../timestamps.ts"
import type { ManagedFieldsEntry } from "kubernetes-types/meta/v1.js"
import { decodeFields, encodeFields } from "./encoding.ts"
import { isEmpty, union, type FieldSet } from "./fieldSet.ts"
import { compareTexts } from "../compareTexts.ts"

/**
 * Who owns which fields of an object: `metadata.managedFields`, read and written.
 *
 * Source: staging/src/k8s.io/apimachinery/pkg/util/managedfields/internal (managedfields.go,
 * capmanagers.go).
 */
export interface Ownership {
  readonly manager: string
  readonly operation: "Apply" | "Update"
  readonly apiVersion: string
  /** By way of which subresource, or empty. */
  readonly subresource: string
  readonly time: string | undefined
  readonly fields: FieldSet
  /** The entry that says just this, where one has been read. */
  readonly entry?: ManagedFieldsEntry
}

/** By what tells owners apart. */
export type Ownerships = ReadonlyMap<string, Ownership>

export const noOwners: Ownerships = new Map()

/** One who applies is the same in all versions; one who updates is another in each. */
export const identityOf = (owner: Omit<Ownership, "fields" | "time" | "entry">): string => {
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
  return Array.isArray(entries) ? entries.filter(isFields) : []
}

/** The owners that a list names; none where an entry of it cannot be read. */
export const readOwnerships = (entries: ReadonlyArray<ManagedFieldsEntry>): Ownerships => {
  const owners = new Map<string, Ownership>()
  for (const entry of entries) {
    const owner = readEntry(entry)
    if (owner === undefined) return noOwners
    owners.set(identityOf(owner), owner)
  }
  return owners
}

/** An entry goes from version to version of an object, so what a frozen one says is read once. */
const readBefore = new WeakMap<ManagedFieldsEntry, Ownership | undefined>()

const readEntry = (entry: ManagedFieldsEntry): Ownership | undefined => {
  const known = readBefore.get(entry)
  if (known !== undefined) return known
  const owner = parseEntry(entry)
  if (Object.isFrozen(entry)) readBefore.set(entry, owner)
  return owner
}

const parseEntry = (entry: ManagedFieldsEntry): Ownership | undefined => {
  const { manager = "", operation, apiVersion = "", subresource = "", time } = entry
  const { fieldsType, fieldsV1 = {} } = entry
  if ((operation !== "Apply" && operation !== "Update") || apiVersion === "" || fieldsType !== "FieldsV1") {
    return undefined
  }
  const fields = decodeFields(fieldsV1)
  if (fields === undefined) return undefined
  return { manager, operation, apiVersion, subresource, time, fields, entry }
}

/** The list in the order of Kubernetes: who applies before who updates, then by time, then by name. */
export const writeOwnerships = (owners: Ownerships): ReadonlyArray<ManagedFieldsEntry> =>
  [...owners.values()].toSorted(compareOwners).map((owner) => owner.entry ?? writeEntry(owner))

const writeEntry = ({ manager, operation, apiVersion, time, fields, subresource }: Ownership) =>
  Object.freeze({
    manager,
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: "FieldsV1",
    fieldsV1: encodeFields(fields),
    ...(subresource === "" ? {} : { subresource })
  })

const secondOf = ({ time }: Ownership): number => (time === undefined ? 0 : Math.floor(millisOf(time) / 1000))

const compareOwners = (a: Ownership, b: Ownership): number =>
  compareTexts(a.operation, b.operation) ||
  secondOf(a) - secondOf(b) ||
  compareTexts(a.manager, b.manager) ||
  compareTexts(a.apiVersion, b.apiVersion) ||
  compareTexts(a.subresource, b.subresource)

const withFields = (owner: Ownership, fields: FieldSet): Ownership => {
  if (fields === owner.fields) return owner
  const { entry: _stale, ...rest } = owner
  return { ...rest, fields }
}

/** Each owner's fields put through a function; who is left with none is left out. */
export const mapFields = (owners: Ownerships, change: (owner: Ownership) => FieldSet): Ownerships => {
  const left = new Map<string, Ownership>()
  for (const [identity, owner] of owners) {
    const fields = change(owner)
    if (!isEmpty(fields)) left.set(identity, withFields(owner, fields))
  }
  return left
}

const updatersMax = 10
const ancient = "ancient-changes"

/** With too many who update, the oldest of each version are taken together until there are few enough. */
export const capUpdaters = (owners: Ownerships): Ownerships => {
  const updaters = [...owners].filter(([, owner]) => owner.operation === "Update")
  let excess = updaters.length - updatersMax
  if (excess <= 0) return owners
  const left = new Map(owners)
  const oldestFirst = updaters.toSorted(
    ([a, left], [b, right]) => secondOf(left) - secondOf(right) || compareTexts(a, b)
  )
  const firstOfVersion = new Map<string, string>()
  for (const [identity, owner] of oldestFirst) {
    if (excess === 0) break
    const { apiVersion, time } = owner
    const first = firstOfVersion.get(apiVersion)
    if (first === undefined) {
      firstOfVersion.set(apiVersion, identity)
      continue
    }
    const bucket = { manager: ancient, operation: "Update", apiVersion, subresource: "" } as const
    const bucketIdentity = identityOf(bucket)
    const existing = left.get(bucketIdentity)
    const { fields = owner.fields } = existing ?? left.get(first) ?? {}
    if (existing === undefined) left.delete(first)
    left.delete(identity)
    left.set(bucketIdentity, { ...bucket, time, fields: union(owner.fields, fields) })
    excess -= 1
  }
  return left
}
