import type { ManagedFieldsEntry } from "kubernetes-types/meta/v1.js"
import { isFields, type Fields } from "../fields.ts"
import { withDefaults } from "../admission/admit.ts"
import { recordUpdate } from "./updates.ts"
import { groupResourceOf, resources, type Kind } from "../kinds.ts"
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
  const after = before === undefined ? asSent(kind, draft) : withDefaults(kind, draft)
  return withEntries(
    draft,
    recordUpdate({ kind, before, after, manager, nowMillis, resetFields: keptFields(kind) })
  )
}

/**
 * A new object as its creator comes to own it: with its defaults, but without what admission fills into a Pod.
 *
 * Source: plugin/pkg/admission (defaulttolerationseconds, priority, serviceaccount): admission comes after the managers
 * have been noted.
 */
export const asSent = (kind: Kind, draft: Draft): Draft => {
  const object = withDefaults(kind, draft)
  if (groupResourceOf(kind) !== resources.pods) return object
  const [sent, spec] = [specOf(draft), { ...specOf(object) }]
  for (const field of filledByAdmission) if (!Object.hasOwn(sent, field)) delete spec[field]
  const owned: Draft & { readonly spec: Fields } = { ...object, spec }
  return owned
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

/**
 * What a write of a whole object cannot change: its status, where that is written apart. The spec of a
 * CertificateSigningRequest is never changed, and no manager owns it.
 */
export const keptFields = (kind: Kind): ReadonlyArray<ReadonlyArray<string>> => {
  if (groupResourceOf(kind) === resources.certificateRequests) return specAndStatus
  return kind.subresources.some(({ name }) => name === "status") ? onlyStatus : nothing
}

const specAndStatus = [["spec"], ["status"]]
const onlyStatus = [["status"]]
const nothing: ReadonlyArray<ReadonlyArray<string>> = []

/** What a write of a status cannot change. */
export const resetByStatus = (kind: Kind): ReadonlyArray<ReadonlyArray<string>> =>
  keptByStatus[groupResourceOf(kind)] ?? onlySpec

const onlySpec = [["spec"]]

const keptByStatus: Readonly<Record<string, ReadonlyArray<ReadonlyArray<string>>>> = {
  [resources.certificateRequests]: [["spec"], ["status", "conditions"]],
  [resources.deployments]: [["spec"], ["metadata", "labels"]],
  [resources.pods]: [["spec"], ["metadata", "deletionTimestamp"], ["metadata", "ownerReferences"]]
}

/** What an approval cannot change. Source: pkg/registry/certificates/certificates/strategy.go (GetResetFields). */
export const resetByApproval: ReadonlyArray<ReadonlyArray<string>> = [["spec"], ["status", "certificate"]]

export const withEntries = (draft: Draft, entries: ReadonlyArray<ManagedFieldsEntry>): Draft => {
  const { managedFields: _old, ...metadata }: Managed = draft.metadata
  return { ...draft, metadata: entries.length === 0 ? metadata : managed(metadata, entries) }
}

type Managed = Draft["metadata"] & { readonly managedFields?: Array<ManagedFieldsEntry> }

const managed = (metadata: Draft["metadata"], entries: ReadonlyArray<ManagedFieldsEntry>): Managed => ({
  ...metadata,
  managedFields: [...entries]
})
