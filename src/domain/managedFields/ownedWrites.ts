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
  const after = afterWrite(kind, before, draft)
  return withEntries(
    draft,
    recordUpdate({ kind, before, after, manager, nowMillis, resetFields: keptFields(kind) })
  )
}

/** What a write of a whole object is about to leave: its status stays where that is written apart. */
export const afterWrite = (kind: Kind, before: object | undefined, draft: Draft): object => {
  const whole: Draft & { readonly status?: unknown } = withDefaults(kind, draft)
  if (before === undefined || !hasStatusApart(kind)) return whole
  const { status: _status, ...rest } = whole
  return { ...rest, ...("status" in before ? { status: before.status } : {}) }
}

/** What a write of a whole object cannot change. */
export const keptFields = (kind: Kind): ReadonlyArray<ReadonlyArray<string>> =>
  hasStatusApart(kind) ? [["status"]] : []

const hasStatusApart = (kind: Kind): boolean => kind.subresources.some(({ name }) => name === "status")

export const withEntries = (draft: Draft, entries: ReadonlyArray<ManagedFieldsEntry>): Draft => {
  const { managedFields: _old, ...metadata }: Managed = draft.metadata
  return { ...draft, metadata: entries.length === 0 ? metadata : managed(metadata, entries) }
}

type Managed = Draft["metadata"] & { readonly managedFields?: Array<ManagedFieldsEntry> }

const managed = (metadata: Draft["metadata"], entries: ReadonlyArray<ManagedFieldsEntry>): Managed => ({
  ...metadata,
  managedFields: [...entries]
})
