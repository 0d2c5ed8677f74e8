import type { ManagedFieldsEntry } from "kubernetes-types/meta/v1.js"
import { asSent, withEntries, resetByStatus, keptFields } from "./ownedWrites.ts"
import { capUpdaters, managedFieldsOf, nobody, readOwnerships, writeOwnerships } from "./entries.ts"
import { ownersAfter } from "./updates.ts"
import { withParts, writesTo, type TrackedWrite, type Writer } from "./writes.ts"
import type { Fields } from "../fields.ts"
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
  // Upstream does not begin to track what nobody has managed so far (internal/skipnonapplied.go).
  if (owners.size === 0 && steps[0]?.before !== undefined) return entries
  for (const { writer, nowMillis, before, after } of steps) {
    const { kind, manager, subresource } = writer
    const write = { kind, before, after, manager, subresource, nowMillis, resetFields: resetOf(writer) }
    owners = capUpdaters(ownersAfter(write, before === undefined ? nobody : owners))
  }
  return writeOwnerships(owners)
}

const resetOf = ({ kind, subresource }: Writer): ReadonlyArray<ReadonlyArray<string>> =>
  subresource === "status" ? resetByStatus(kind) : keptFields(kind)

interface Step extends Pick<TrackedWrite, "writer" | "nowMillis"> {
  readonly before: object | undefined
  readonly after: object
}

/** What each write found and left, oldest first: told backwards from the object as it is. */
const stepsOf = (object: KubeObject, writes: TrackedWrite): ReadonlyArray<Step> => {
  const steps: Array<Step> = []
  let present: Fields = withParts({ ...object }, unmanaged)
  for (let write: TrackedWrite | undefined = writes; write !== undefined; write = write.earlier) {
    const { writer, nowMillis } = write
    const after = write.after === undefined ? present : withParts(present, write.after)
    if (write.before === undefined) {
      // What stays of a stored object without its status is a draft of it.
      const sent = asSent(writer.kind, after as unknown as Draft)
      return [{ writer, nowMillis, before: undefined, after: sent }, ...steps]
    }
    present = withParts(present, write.before)
    steps.unshift({ writer, nowMillis, before: withParts(after, write.before), after })
  }
  return steps
}

/** No write sets these: the server does when it deletes, and for the entries themselves. */
const unmanaged = {
  "metadata.deletionGracePeriodSeconds": undefined,
  "metadata.deletionTimestamp": undefined,
  "metadata.managedFields": undefined
}
