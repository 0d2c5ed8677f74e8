import type { ManagedFieldsEntry } from "kubernetes-types/meta/v1.js"
import { isFields, type Fields } from "../../meta/fields.ts"
import { withDefaults } from "../../admission/admit.ts"
import { recordUpdate } from "./recordUpdate.ts"
import { groupResourceOf, resources, type Kind } from "../../meta/kinds.ts"
import type { Draft } from "../../meta/objects.ts"

/** Source: apiserver/pkg/endpoints/handlers (create.go, update.go). */
export const withRecordedManager = (write: {
  readonly kind: Kind
  readonly before: object | undefined
  readonly draft: Draft
  readonly manager: string
  readonly nowMillis: number
}): Draft => {
  const { kind, before, draft, manager, nowMillis } = write
  const after = before === undefined ? withoutAdmissionDefaults(kind, draft) : withDefaults(kind, draft)
  return withManagedFieldEntries(
    draft,
    recordUpdate({ kind, before, after, manager, nowMillis, resetFields: updateResetFields(kind) })
  )
}

/** Removes what admission fills into a Pod, because managers are recorded before admission. */
export const withoutAdmissionDefaults = (kind: Kind, draft: Draft): Draft => {
  const object = withDefaults(kind, draft)
  if (groupResourceOf(kind) !== resources.pods) return object
  const [draftSpec, spec] = [specOf(draft), { ...specOf(object) }]
  for (const field of filledByAdmission) if (!Object.hasOwn(draftSpec, field)) delete spec[field]
  const sentObject: Draft & { readonly spec: Fields } = { ...object, spec }
  return sentObject
}

const filledByAdmission = [
  "preemptionPolicy",
  "priority",
  "serviceAccount",
  "serviceAccountName",
  "tolerations"
]

const specOf = (draft: Draft & { readonly spec?: unknown }): Record<string, unknown> =>
  isFields(draft.spec) ? draft.spec : {}

/** Fields that an update of the object cannot change. */
export const updateResetFields = (kind: Kind): ReadonlyArray<ReadonlyArray<string>> => {
  if (groupResourceOf(kind) === resources.certificateRequests) return specAndStatus
  return kind.subresources.some(({ name }) => name === "status") ? onlyStatus : noResetFields
}

const specAndStatus = [["spec"], ["status"]]
const onlyStatus = [["status"]]
const noResetFields: ReadonlyArray<ReadonlyArray<string>> = []

export const statusResetFields = (kind: Kind): ReadonlyArray<ReadonlyArray<string>> =>
  statusResetFieldsByKind[groupResourceOf(kind)] ?? onlySpec

const onlySpec = [["spec"]]

const statusResetFieldsByKind: Readonly<Record<string, ReadonlyArray<ReadonlyArray<string>>>> = {
  [resources.certificateRequests]: [["spec"], ["status", "conditions"]],
  [resources.deployments]: [["spec"], ["metadata", "labels"]],
  [resources.pods]: [["spec"], ["metadata", "deletionTimestamp"], ["metadata", "ownerReferences"]]
}

/** Source: pkg/registry/certificates/certificates/strategy.go (GetResetFields). */
export const approvalResetFields: ReadonlyArray<ReadonlyArray<string>> = [["spec"], ["status", "certificate"]]

export const withManagedFieldEntries = (draft: Draft, entries: ReadonlyArray<ManagedFieldsEntry>): Draft => {
  const { managedFields: _old, ...metadata }: ManagedMetadata = draft.metadata
  return { ...draft, metadata: entries.length === 0 ? metadata : withEntriesIn(metadata, entries) }
}

type ManagedMetadata = Draft["metadata"] & { readonly managedFields?: Array<ManagedFieldsEntry> }

const withEntriesIn = (
  metadata: Draft["metadata"],
  entries: ReadonlyArray<ManagedFieldsEntry>
): ManagedMetadata => ({
  ...metadata,
  managedFields: [...entries]
})
