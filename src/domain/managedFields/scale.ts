import type { ManagedFieldsEntry } from "kubernetes-types/meta/v1.js"
import { apiVersionOf, type Kind } from "../kinds.ts"
import { identityOf, readOwnerships, writeOwnerships, type Ownership } from "./entries.ts"
import { difference, fieldPath, has, isEmpty, setOf } from "./fieldSet.ts"

/**
 * How the ownership of `.spec.replicas` goes from an object to its scale and back: who scales takes it from who
 * has written the object, and is recorded as having come by way of the scale.
 *
 * Source: staging/src/k8s.io/apimachinery/pkg/util/managedfields/scalehandler.go.
 */
const replicas = fieldPath("spec", "replicas")
const replicasOnly = setOf(replicas)
const scaleVersion = "autoscaling/v1"

/** What the owners of an object own of its scale. */
export const scaleEntriesOf = (
  entries: ReadonlyArray<ManagedFieldsEntry>,
  kind: Kind
): ReadonlyArray<ManagedFieldsEntry> => {
  const owners = [...readOwnerships(entries)].flatMap(([identity, owner]) => {
    if (owner.apiVersion !== apiVersionOf(kind) || !has(owner.fields, replicas)) return []
    return [[identity, moved(owner, scaleVersion)] as const]
  })
  return writeOwnerships(new Map(owners))
}

/** The owners of an object after its scale was written and is now owned as the scale's entries say. */
export const entriesAfterScale = (options: {
  readonly kind: Kind
  readonly entries: ReadonlyArray<ManagedFieldsEntry>
  readonly scaleEntries: ReadonlyArray<ManagedFieldsEntry>
}): ReadonlyArray<ManagedFieldsEntry> => {
  const apiVersion = apiVersionOf(options.kind)
  const scalers = new Map(
    [...readOwnerships(options.scaleEntries).values()]
      .filter((owner) => has(owner.fields, replicas))
      .map((owner) => moved(owner, apiVersion))
      .map((owner) => [identityOf(owner), owner] as const)
  )
  const owners = new Map<string, Ownership>()
  for (const [identity, owner] of readOwnerships(options.entries)) {
    // An entry of a version that nobody serves any more cannot be compared with anything.
    if (owner.apiVersion !== apiVersion) continue
    if (!has(owner.fields, replicas) || scalers.has(identity)) owners.set(identity, owner)
    else {
      const { entry: _stale, ...rest } = owner
      const fields = difference(owner.fields, replicasOnly)
      if (!isEmpty(fields)) owners.set(identity, { ...rest, fields })
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

const moved = (owner: Ownership, apiVersion: string): Ownership => {
  const { entry: _stale, ...rest } = owner
  return { ...rest, apiVersion, fields: replicasOnly }
}
