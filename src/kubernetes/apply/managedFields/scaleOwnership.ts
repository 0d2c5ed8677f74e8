import type { ManagedFieldsEntry } from "kubernetes-types/meta/v1.js"
import { apiVersionOf, type Kind } from "../../meta/kinds.ts"
import { managerIdentity, readOwnerships, writeOwnerships, type Ownership } from "./ownerships.ts"
import { fieldSetDifference, fieldPath, hasPath, isEmptyFieldSet, fieldSetOf } from "./fieldSet.ts"

/**
 * A manager that scales takes over `.spec.replicas` from the field's owner. Source:
 * apimachinery/pkg/util/managedfields/scalehandler.go.
 */
const replicas = fieldPath("spec", "replicas")
const replicasOnly = fieldSetOf(replicas)
const scaleVersion = "autoscaling/v1"

export const scaleEntriesOf = (
  entries: ReadonlyArray<ManagedFieldsEntry>,
  kind: Kind
): ReadonlyArray<ManagedFieldsEntry> => {
  const owners = [...readOwnerships(entries)].flatMap(([identity, owner]) => {
    if (owner.apiVersion !== apiVersionOf(kind) || !hasPath(owner.fields, replicas)) return []
    return [[identity, withReplicasOnly(owner, scaleVersion)] as const]
  })
  return writeOwnerships(new Map(owners))
}

/** `scaleEntries`: the entries of the Scale after its write. */
export const entriesAfterScale = (options: {
  readonly kind: Kind
  readonly entries: ReadonlyArray<ManagedFieldsEntry>
  readonly scaleEntries: ReadonlyArray<ManagedFieldsEntry>
}): ReadonlyArray<ManagedFieldsEntry> => {
  const apiVersion = apiVersionOf(options.kind)
  const scalers = new Map(
    [...readOwnerships(options.scaleEntries).values()]
      .filter((owner) => hasPath(owner.fields, replicas))
      .map((owner) => withReplicasOnly(owner, apiVersion))
      .map((owner) => [managerIdentity(owner), owner] as const)
  )
  const owners = new Map<string, Ownership>()
  for (const [identity, owner] of readOwnerships(options.entries)) {
    // As in Kubernetes, entries of an unknown version are dropped.
    if (owner.apiVersion !== apiVersion) continue
    if (!hasPath(owner.fields, replicas) || scalers.has(identity)) owners.set(identity, owner)
    else {
      // `entry` encodes the fields with `replicas`.
      const { entry: _entry, ...rest } = owner
      const fields = fieldSetDifference(owner.fields, replicasOnly)
      if (!isEmptyFieldSet(fields)) owners.set(identity, { ...rest, fields })
    }
  }
  for (const [identity, scaler] of scalers) {
    const owner = owners.get(identity)
    // A new time means that the manager has scaled again and keeps its fields.
    if (owner === undefined || owner.time !== scaler.time) {
      owners.set(identity, owner === undefined ? scaler : { ...scaler, fields: owner.fields })
    }
  }
  return writeOwnerships(owners)
}

const withReplicasOnly = (owner: Ownership, apiVersion: string): Ownership => {
  const { entry: _entry, ...rest } = owner
  return { ...rest, apiVersion, fields: replicasOnly }
}
