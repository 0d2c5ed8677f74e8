import type { ManagedFieldsEntry } from "kubernetes-types/meta/v1.js"
import { apiVersionOf, type Kind } from "../../meta/kinds.ts"
import { managerIdentity, readOwnerships, writeOwnerships, type Ownership } from "./ownerships.ts"
import { fieldSetDifference, fieldPath, hasPath, isEmptyFieldSet, fieldSetOf } from "./fieldSet.ts"

/**
 * The ownership of `.spec.replicas` across the scale subresource: a manager that scales takes the field from its
 * owner, with subresource `scale`.
 * Source: staging/src/k8s.io/apimachinery/pkg/util/managedfields/scalehandler.go.
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
    // Entries of versions that are no longer served cannot be compared.
    if (owner.apiVersion !== apiVersion) continue
    if (!hasPath(owner.fields, replicas) || scalers.has(identity)) owners.set(identity, owner)
    else {
      const { entry: _stale, ...rest } = owner
      const fields = fieldSetDifference(owner.fields, replicasOnly)
      if (!isEmptyFieldSet(fields)) owners.set(identity, { ...rest, fields })
    }
  }
  for (const [identity, scaler] of scalers) {
    const before = owners.get(identity)
    if (before === undefined || before.time !== scaler.time) {
      owners.set(identity, before === undefined ? scaler : { ...scaler, fields: before.fields })
    }
  }
  return writeOwnerships(owners)
}

const withReplicasOnly = (owner: Ownership, apiVersion: string): Ownership => {
  const { entry: _stale, ...rest } = owner
  return { ...rest, apiVersion, fields: replicasOnly }
}
