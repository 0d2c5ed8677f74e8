import type { ManagedFieldsEntry } from "kubernetes-types/meta/v1.js"
import { withDefaults } from "../admission/admit.ts"
import { recordUpdate } from "./updates.ts"
import type { Kind } from "../kinds.ts"
import type { Draft } from "../objects.ts"

/**
 * An object that is about to be stored, with the word of who has written it.
 *
 * Source: staging/src/k8s.io/apiserver/pkg/endpoints/handlers/create.go and update.go.
 */
export const ownedOnWrite = (write: {
  readonly kind: Kind
  readonly before: object | undefined
  readonly draft: Draft
  readonly manager: string
  readonly nowMillis: number
}): Draft => {
  const { kind, before, draft, manager, nowMillis } = write
  const after = withDefaults(kind, draft)
  return withEntries(
    draft,
    recordUpdate({ kind, before, after, manager, nowMillis, resetFields: keptFields(kind) })
  )
}

/** What a write of a whole object cannot change: its status, where that is written apart. */
export const keptFields = (kind: Kind): ReadonlyArray<ReadonlyArray<string>> =>
  kind.subresources.some(({ name }) => name === "status") ? [["status"]] : []

export const withEntries = (draft: Draft, entries: ReadonlyArray<ManagedFieldsEntry>): Draft => {
  const { managedFields: _old, ...metadata }: Managed = draft.metadata
  return { ...draft, metadata: entries.length === 0 ? metadata : managed(metadata, entries) }
}

type Managed = Draft["metadata"] & { readonly managedFields?: Array<ManagedFieldsEntry> }

const managed = (metadata: Draft["metadata"], entries: ReadonlyArray<ManagedFieldsEntry>): Managed => ({
  ...metadata,
  managedFields: [...entries]
})
