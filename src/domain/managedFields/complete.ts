import { dequal } from "dequal/lite"
import { isFields, type Fields } from "../fields.ts"
import type { ManagedFieldsEntry } from "kubernetes-types/meta/v1.js"
import type { Ownerships } from "./entries.ts"
import { asSent, withEntries, resetByStatus, keptFields } from "./ownedWrites.ts"
import { capUpdaters, managedFieldsOf, noOwners, readOwnerships, writeOwnerships } from "./entries.ts"
import { ownersAfter } from "./updates.ts"
import { withParts, writesTo, type TrackedWrite, type Writer } from "./writes.ts"
import type { Draft, KubeObject } from "../objects.ts"

/** By stored object: the same with all its managed fields, so that they are worked out and written once. */
const known = new WeakMap<KubeObject, KubeObject>()

/**
 * A stored object as a client may see it: its managed fields name also who has made the writes that were only tracked
 * (see `writes.ts`). The very same object where there are none.
 *
 * Source: staging/src/k8s.io/apiserver/pkg/endpoints/handlers (create.go, update.go, patch.go), which note the manager
 * of every request, a controller's as well.
 */
export const withManagedFields = <O extends KubeObject>(object: O): O => {
  const writes = writesTo(object)
  if (writes === undefined) return object
  // What is made of an object is that object with other metadata.
  const before = known.get(object) as O | undefined
  if (before !== undefined) return before
  const complete = Object.freeze(withEntries(object, entriesAfter(object, writes))) as O
  known.set(object, complete)
  return complete
}

/** The managed fields of a stored object, with those of the writes that were only tracked. */
export const allEntriesOf = (object: KubeObject): ReadonlyArray<ManagedFieldsEntry> =>
  managedFieldsOf(withManagedFields(object))

const entriesAfter = (object: KubeObject, writes: TrackedWrite): ReadonlyArray<ManagedFieldsEntry> => {
  const steps = stepsOf(object, writes)
  const entries = managedFieldsOf(object)
  let owners = readOwnerships(entries)
  // Upstream does not begin to track an object without managers (internal/skipnonapplied.go).
  if (owners.size === 0 && steps[0]?.write.before !== undefined) return entries
  for (const step of steps) {
    owners =
      step.before === undefined ? ownersFromStart(step) : capUpdaters(ownersAfter(writeOf(step), owners))
  }
  return writeOwnerships(owners)
}

const writeOf = ({ write, before, after }: Step) => {
  const { nowMillis, writer } = write
  const { kind, manager, subresource } = writer
  return { kind, before, after, manager, subresource, nowMillis, resetFields: resetOf(writer) }
}

/** Of many objects that were created alike, such as the Pods of a ReplicaSet, the first is worked out. */
const workedOut = new WeakMap<TrackedWrite, { readonly after: Fields; readonly owners: Ownerships }>()

const ownersFromStart = (step: Step): Ownerships => {
  const { write, after } = step
  const known = workedOut.get(write)
  if (known !== undefined && isAlike(known.after, after)) return known.owners
  const sent = asSent(write.writer.kind, after as unknown as Draft)
  // Read back, they have their entries with them.
  const owners = readOwnerships(
    writeOwnerships(ownersAfter(writeOf({ ...step, after: { ...sent } }), noOwners))
  )
  workedOut.set(write, { after, owners })
  return owners
}

/** Whether what a creator owns is the same in two objects, at a glance. */
const isAlike = (a: Fields, b: Fields): boolean =>
  dequal(tracked(a["metadata"]), tracked(b["metadata"])) &&
  [...Object.keys(a), ...Object.keys(b)].every((part) => beside.has(part) || a[part] === b[part])

const beside: ReadonlySet<string> = new Set(["metadata", "status"])

const tracked = (metadata: unknown): unknown => {
  const { labels, annotations, ownerReferences, finalizers, generateName } = isFields(metadata)
    ? metadata
    : {}
  return [labels, annotations, ownerReferences, finalizers, generateName]
}

const resetOf = ({ kind, subresource }: Writer): ReadonlyArray<ReadonlyArray<string>> =>
  subresource === "status" ? resetByStatus(kind) : keptFields(kind)

interface Step {
  readonly write: TrackedWrite
  readonly before: Fields | undefined
  readonly after: Fields
}

/** What each write found and left, oldest first: told backwards from the object as it is. */
const stepsOf = (object: KubeObject, writes: TrackedWrite): ReadonlyArray<Step> => {
  const steps: Array<Step> = []
  const isPlain = unmanagedFields.every((field) => !Object.hasOwn(object.metadata, field))
  const stored = object as unknown as Fields
  let present: Fields = isPlain ? stored : withParts(stored, unmanaged)
  for (let write: TrackedWrite | undefined = writes; write !== undefined; write = write.earlier) {
    const after = write.after === undefined ? present : withParts(present, write.after)
    const before = write.before === undefined ? undefined : withParts(after, write.before)
    steps.unshift({ write, before, after })
    if (write.before !== undefined) present = withParts(present, write.before)
  }
  return steps
}

/** No write sets these: the server does when it deletes, and for the entries themselves. */
const unmanagedFields = ["deletionGracePeriodSeconds", "deletionTimestamp", "managedFields"]
const unmanaged = Object.fromEntries(unmanagedFields.map((field) => [`metadata.${field}`, undefined]))
