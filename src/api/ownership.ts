import * as Effect from "effect/Effect"
import type { ManagedFieldsEntry } from "kubernetes-types/meta/v1.js"
import { withDefaults } from "../domain/admission/admit.ts"
import { applyConfiguration, refuseConfiguration } from "../domain/managedFields/apply.ts"
import { conflictCauses, conflictMessage } from "../domain/managedFields/conflicts.ts"
import { managedFieldsOf } from "../domain/managedFields/entries.ts"
import { withManagedFields } from "../domain/managedFields/complete.ts"
import {
  asSent,
  keptFields,
  resetByApproval,
  resetByStatus,
  withEntries
} from "../domain/managedFields/ownedWrites.ts"
import { recordUpdate } from "../domain/managedFields/updates.ts"
import { apiVersionOf, storedKindOf } from "../domain/kinds.ts"
import { keyIn } from "../domain/objects.ts"
import { NotFound } from "../store/errors.ts"
import { anotherUid } from "../store/refusals.ts"
import { decodeAs, parseBody } from "./bodies.ts"
import { badRequest, invalidOptions, refusal } from "./statuses.ts"
import { named, placed } from "./places.ts"
import { created, replaced } from "./verbs/storing.ts"
import type { NotApplied } from "../domain/managedFields/apply.ts"
import { asServed } from "./views.ts"
import type { WrittenAs } from "../domain/managedFields/updates.ts"
import type { Kind } from "../domain/kinds.ts"
import type { Draft, KubeObject } from "../domain/objects.ts"
import type { Answer, Call } from "./call.ts"
import type { OptionError, Refused } from "./statuses.ts"

/**
 * Managed fields of clients' writes. What controllers write is tracked by the store and computed when a client reads
 * it.
 */

export const ownedOnCreate = (call: Call, draft: Draft): Draft =>
  withEntries(draft, entriesAfterWrite(call, undefined, asSent(storedKindOf(call.target.kind), draft)))

export const ownedOnUpdate = (call: Call, before: KubeObject, draft: Draft): Draft => {
  const { kind, subresource } = call.target
  const after =
    subresource === "status" || subresource === "approval"
      ? { ...before, metadata: draft.metadata, ...("status" in draft ? { status: draft.status } : {}) }
      : withDefaults(storedKindOf(kind), draft)
  return withEntries(draft, entriesAfterWrite(call, before, after))
}

const entriesAfterWrite = (
  call: Call,
  before: object | undefined,
  after: object
): ReadonlyArray<ManagedFieldsEntry> => {
  const { kind, subresource } = call.target
  const [servedWrite, ...elsewhere] = [kind, ...otherVersions(call, before)].map((as) =>
    toVersionWrite(as, before, after)
  )
  return recordUpdate({
    kind,
    before,
    after,
    ...servedWrite,
    elsewhere,
    manager: managerOf(call),
    subresource,
    nowMillis: call.services.nowMillis(),
    resetFields: resetFieldsOf(call)
  })
}

const otherVersions = ({ services, target }: Call, before: object | undefined): ReadonlyArray<Kind> => {
  const currentVersion = apiVersionOf(target.kind)
  const entries = before === undefined ? [] : managedFieldsOf(before)
  const versions = new Set(entries.map(({ apiVersion }) => apiVersion))
  versions.delete(currentVersion)
  if (versions.size === 0) return []
  const stored = storedKindOf(target.kind)
  return services.view.kinds
    .served()
    .filter((kind) => versions.has(apiVersionOf(kind)) && storedKindOf(kind) === stored)
}

/** The write in one version's schema. Fields that only this version shows as null do not count as written. */
const toVersionWrite = (kind: Kind, before: object | undefined, after: object): WrittenAs => {
  const inThisVersion = (object: object): object =>
    kind === storedKindOf(kind)
      ? object
      : Object.fromEntries(
          Object.entries(asServed(kind, object as KubeObject)).filter(([, value]) => value !== null)
        )
  return {
    kind,
    before: before === undefined ? undefined : inThisVersion(before),
    after: inThisVersion(after)
  }
}

export const entriesOf = (object: KubeObject): ReadonlyArray<ManagedFieldsEntry> => managedFieldsOf(object)

/** Fields that the endpoint resets, which a manager therefore cannot own. */
const resetFieldsOf = ({ target }: Call): ReadonlyArray<ReadonlyArray<string>> => {
  const kind = storedKindOf(target.kind)
  if (target.subresource === "approval") return resetByApproval
  return target.subresource === "status" ? resetByStatus(kind) : keptFields(kind)
}

const managerBytesMax = 128

/** The `fieldManager` parameter, or the user agent up to its first slash. */
export const managerOf = ({ query, userAgent, method }: Call): string => {
  const manager = query.text("fieldManager")
  if (manager === undefined) return (userAgent.split("/")[0] ?? "").slice(0, managerBytesMax)
  const errors = managerErrors(manager)
  if (errors.length > 0) throw invalidOptions(optionsKindByMethod[method] ?? "PatchOptions", errors)
  return manager
}

const optionsKindByMethod: Readonly<Record<string, string>> = { POST: "CreateOptions", PUT: "UpdateOptions" }

const managerErrors = (manager: string): ReadonlyArray<OptionError> => {
  const tooLong = Buffer.byteLength(manager) > managerBytesMax
  const hasUnprintable = /[^\P{C}]/u.test(manager)
  return [
    ...(tooLong
      ? [
          {
            field: "fieldManager",
            reason: "FieldValueTooLong",
            body: `Too long: may not be more than ${managerBytesMax} bytes`
          }
        ]
      : []),
    ...(hasUnprintable
      ? [
          {
            field: "fieldManager",
            reason: "FieldValueInvalid",
            body: `Invalid value: ${JSON.stringify(manager)}: should only contain printable characters`
          }
        ]
      : [])
  ]
}

export const ownedOnScale = (call: Call, before: KubeObject, after: KubeObject): Draft =>
  withEntries(after, entriesAfterWrite(call, before, after))

const requireManager = ({ query }: Call): void => {
  if (query.text("fieldManager") !== undefined) return
  const body = "Required value: is required for apply patch"
  throw invalidOptions("PatchOptions", [{ field: "fieldManager", reason: "FieldValueRequired", body }])
}

export const readConfiguration = (call: Call, kind: Kind): Draft => {
  requireManager(call)
  const parsed = parseBody({ ...call, contentType: "application/yaml" })
  // An unknown field is an error: dropping it would apply something else.
  const isObject = typeof parsed.value === "object" && parsed.value !== null
  const problem =
    isObject && storedKindOf(kind) === kind ? refuseConfiguration(kind, parsed.value) : undefined
  if (problem !== undefined) throw refusalFor(call, problem)
  return named(
    placed(decodeAs(parsed, { kind, call, optionsKind: "PatchOptions" }), call.target),
    call.target
  )
}

/** Server-side apply; creates the object when it does not exist. */
export const applied = (call: Call, dryRun: boolean): Effect.Effect<Answer, Refused> => {
  const { target, services, query } = call
  const kind = storedKindOf(target.kind)
  const draft = readConfiguration(call, target.kind)
  if (entriesOf(draft as KubeObject).length > 0) throw badRequest("metadata.managedFields must be nil")
  const stored = services.view.get(target.resource, keyIn(target.namespace, target.name ?? ""))
  const live = stored === undefined ? undefined : withManagedFields(stored)
  // A subresource is not created without its object.
  if (live === undefined && target.subresource !== undefined) {
    return Effect.fail(new NotFound({ resource: target.resource, name: target.name ?? "" }))
  }
  const { uid } = draft.metadata
  if (live !== undefined && uid !== undefined && uid !== live.metadata.uid) {
    return Effect.fail(anotherUid(kind, live, uid))
  }
  const outcome = applyConfiguration({
    kind,
    live,
    applied: draft,
    manager: managerOf(call),
    force: query.flag("force"),
    subresource: target.subresource,
    nowMillis: services.nowMillis(),
    resetFields: resetFieldsOf(call)
  })
  if (!outcome.ok) throw refusalFor(call, outcome)
  const merged = withEntries(outcome.object as unknown as Draft, outcome.managedFields)
  return live === undefined
    ? created(call, merged, { dryRun })
    : replaced(call, live, merged, { dryRun, isPatch: true })
}

export const refusalFor = ({ target }: Call, outcome: NotApplied) => {
  switch (outcome.reason) {
    case "BadRequest":
      return badRequest(outcome.message)
    case "InternalError":
      return refusal(500, "", outcome.message)
    case "Conflict": {
      const { name = "", kind } = target
      return refusal(409, "Conflict", conflictMessage(outcome.conflicts), {
        ...(kind.group === "" ? {} : { group: kind.group }),
        name,
        kind: kind.plural,
        causes: [...conflictCauses(outcome.conflicts)]
      })
    }
  }
}
