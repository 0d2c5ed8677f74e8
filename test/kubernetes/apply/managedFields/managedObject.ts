import type { Fields } from "../../../../src/kubernetes/meta/fields.ts"
import type { ManagedFieldsEntry } from "kubernetes-types/meta/v1.js"
import {
  applyConfiguration,
  type ApplyRequest
} from "../../../../src/kubernetes/apply/managedFields/serverSideApply.ts"
import { conflictMessage } from "../../../../src/kubernetes/apply/managedFields/fieldConflicts.ts"
import { decodeFieldSet } from "../../../../src/kubernetes/apply/managedFields/fieldsV1.ts"
import { managedFieldsOf } from "../../../../src/kubernetes/apply/managedFields/ownerships.ts"
import {
  fieldPathsOf,
  pathElementsText
} from "../../../../src/kubernetes/apply/managedFields/pathElements.ts"
import {
  recordUpdate,
  type UpdateRequest
} from "../../../../src/kubernetes/apply/managedFields/recordUpdate.ts"
import type { Kind } from "../../../../src/kubernetes/meta/kinds.ts"
import { deepFrozen } from "../../admission/drafts.ts"

/** `kubectl Apply: .spec.replicas .spec.paused`, one line for each entry. */
export const ownersText = (entries: ReadonlyArray<ManagedFieldsEntry>): ReadonlyArray<string> =>
  entries.map(({ manager, operation, subresource, fieldsV1 }) => {
    const set = decodeFieldSet(fieldsV1)
    const paths = set === undefined ? ["unreadable"] : fieldPathsOf(set).map(pathElementsText)
    const via = subresource === undefined ? "" : `/${subresource}`
    return `${manager} ${operation}${via}: ${paths.join(" ")}`
  })

const withOwners = (object: Fields, managedFields: ReadonlyArray<ManagedFieldsEntry>): Fields => {
  const { managedFields: _old, ...metadata }: Fields = { ...(object["metadata"] as object | undefined) }
  return { ...object, metadata: { ...metadata, ...(managedFields.length === 0 ? {} : { managedFields }) } }
}

export const atSecond = (second: number): number => Date.UTC(2026, 2, 4, 5, 6, second)

export const deployment = (spec: Fields, metadata: Fields = {}): Fields => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "shop", ...metadata },
  spec
})

type Write = Partial<Omit<UpdateRequest, "kind" | "before" | "after">>
type Apply = Partial<Omit<ApplyRequest, "kind" | "live" | "configuration">>

export interface ManagedObject {
  readonly object: () => Fields
  readonly owners: () => ReadonlyArray<string>
  readonly entries: () => ReadonlyArray<ManagedFieldsEntry>
  readonly update: (manager: string, after: Fields, more?: Write) => void
  readonly apply: (manager: string, applied: Fields, more?: Apply) => string | undefined
}

/** An object that several managers write, one write a second. */
export const startManagedObject = (kind: Kind): ManagedObject => {
  let live: Fields | undefined
  let second = 0
  const entries = () => managedFieldsOf(live)
  return {
    object: () => live ?? {},
    entries,
    owners: () => ownersText(entries()),
    update: (manager, after, more = {}) => {
      second += 1
      const write = {
        kind,
        before: live,
        after: deepFrozen(after),
        manager,
        nowMillis: atSecond(second),
        ...more
      }
      live = deepFrozen(withOwners(after, recordUpdate(write)))
    },
    apply: (manager, applied, more = {}) => {
      second += 1
      const nowMillis = atSecond(second)
      const application = { kind, live, configuration: deepFrozen(applied), manager, force: false, nowMillis }
      const result = applyConfiguration({ ...application, ...more })
      if (!result.ok) return result.reason === "Conflict" ? conflictMessage(result.conflicts) : result.message
      live = deepFrozen(withOwners(result.object, result.managedFields))
      return undefined
    }
  }
}
