import { isFields } from "../../domain/fields.ts"
import type { ManagedFieldsEntry } from "kubernetes-types/meta/v1.js"
import { decodeStruct, startDecoding } from "../../domain/admission/decodeFields.ts"
import { applyConfiguration } from "../../domain/managedFields/apply.ts"
import { entriesAfterScale, scaleEntriesOf } from "../../domain/managedFields/scale.ts"
import { storedKindOf } from "../../domain/kinds.ts"
import { parseBody } from "../bodies.ts"
import { entriesOf, managerOf, refusalFor, requireManager } from "../ownership.ts"
import { named, placed } from "../places.ts"
import { badRequest } from "../statuses.ts"
import type { Kind } from "../../domain/kinds.ts"
import type { Draft, KubeObject } from "../../domain/objects.ts"
import type { Call } from "../call.ts"

/** A size that was applied, and who owns the fields of its object from then on. */
interface AppliedScale {
  readonly replicas: number
  readonly entries: ReadonlyArray<ManagedFieldsEntry>
}

/** Refuses a size of which a field is of another type than it is of everywhere. */
const requireTypes = (value: Draft): void => {
  const decoding = startDecoding()
  decodeStruct({ ...value }, "Scale", decoding)
  const { problem } = decoding
  if (problem === undefined) return
  throw badRequest(`Scale in version "v1" cannot be handled as a Scale: ${problem.message}`)
}

/**
 * Server-side apply to a size: it conflicts with whoever owns the replicas of the object, and takes them over.
 *
 * Source: staging/src/k8s.io/apimachinery/pkg/util/managedfields/scalehandler.go,
 * pkg/registry/apps/deployment/storage/storage.go (scaleUpdatedObjectInfo).
 */
export const appliedScale = (call: Call, object: KubeObject, present: KubeObject): AppliedScale => {
  requireManager(call)
  const { value } = parseBody({ ...call, contentType: "application/yaml" })
  if (!isDraft(value)) throw badRequest("an apply patch must be an object of kind Scale")
  requireTypes(value)
  const kind = storedKindOf(call.target.kind)
  const entries = entriesOf(object)
  const outcome = applyConfiguration({
    kind: scale,
    live: { ...present, metadata: { ...present.metadata, managedFields: scaleEntriesOf(entries, kind) } },
    applied: named(placed({ ...value, metadata: value.metadata ?? {} }, call.target), call.target),
    manager: managerOf(call),
    force: call.query.flag("force"),
    subresource: call.target.subresource,
    nowMillis: call.services.nowMillis(),
    resetFields: [["status"]]
  })
  if (!outcome.ok) throw refusalFor(call, outcome)
  const { spec }: { readonly spec?: { readonly replicas?: unknown } } = outcome.object
  return {
    replicas: Number(spec?.replicas ?? 0),
    entries: entriesAfterScale({ kind, entries, scaleEntries: outcome.managedFields })
  }
}

const scale: Kind = {
  group: "autoscaling",
  version: "v1",
  kind: "Scale",
  plural: "scales",
  singular: "scale",
  namespaced: true,
  shortNames: [],
  categories: [],
  verbs: [],
  subresources: []
}

/** A document that may be an object; whether it is a Scale is seen when it is applied. */
const isDraft = (value: unknown): value is Draft => isFields(value)
