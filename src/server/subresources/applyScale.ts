import type { ManagedFieldsEntry } from "kubernetes-types/meta/v1.js"
import { applyConfiguration } from "../../kubernetes/apply/managedFields/serverSideApply.ts"
import { entriesAfterScale, scaleEntriesOf } from "../../kubernetes/apply/managedFields/scaleOwnership.ts"
import { storedKindOf } from "../../kubernetes/meta/kinds.ts"
import { scaleKind } from "../requests/subresourceKinds.ts"
import { managedFieldsOf } from "../../kubernetes/apply/managedFields/ownerships.ts"
import { fieldManagerOf, readAppliedConfiguration, toApplyRefusal } from "../verbs/fieldOwnership.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { ApiCall } from "../requests/apiCall.ts"

interface AppliedScale {
  readonly replicas: number
  readonly entries: ReadonlyArray<ManagedFieldsEntry>
}

/**
 * Fails with a conflict if another manager owns `spec.replicas`, unless forced.
 *
 * Source: apimachinery/pkg/util/managedfields/scalehandler.go,
 * pkg/registry/apps/deployment/storage/storage.go (scaleUpdatedObjectInfo).
 */
export const applyScale = (call: ApiCall, object: KubeObject, presentScale: KubeObject): AppliedScale => {
  const configuration = readAppliedConfiguration(call, scaleKind)
  const kind = storedKindOf(call.target.kind)
  const entries = managedFieldsOf(object)
  const outcome = applyConfiguration({
    kind: scaleKind,
    live: {
      ...presentScale,
      metadata: { ...presentScale.metadata, managedFields: scaleEntriesOf(entries, kind) }
    },
    configuration,
    manager: fieldManagerOf(call),
    force: call.query.flag("force"),
    subresource: call.target.subresource,
    nowMillis: call.services.nowMillis(),
    // The request cannot change these fields, and so cannot own them.
    resetFields: [["status"]]
  })
  if (!outcome.ok) throw toApplyRefusal(call, outcome)
  const { spec }: { readonly spec?: { readonly replicas?: unknown } } = outcome.object
  return {
    replicas: Number(spec?.replicas ?? 0),
    entries: entriesAfterScale({ kind, entries, scaleEntries: outcome.managedFields })
  }
}
