import { isFields, type Fields } from "../../meta/fields.ts"
import { dequal } from "dequal/lite"
import { isFailure, try as attempt } from "effect/Result"
import { wireTypeOf, type WireType } from "../../admission/decoding/wireTypes.ts"
import { mergeRuleOf } from "./mergeRules.ts"
import { patchDepthProblem } from "./jsonPatches.ts"
import { mergeElements } from "./strategicLists.ts"
import {
  deleteFromListPrefix,
  directiveKey,
  invalidOrderMessage,
  setElementOrderPrefix,
  retainKeysKey,
  StrategicMergeError,
  unknownDirectiveError,
  wrongTypeError
} from "./strategicDirectives.ts"
import { listOrEmpty, ownField, reuseSameList, wireElementType, wireFieldType } from "./patchedTypes.ts"
import { apiVersionOf, type Kind } from "../../meta/kinds.ts"

/**
 * Source: apimachinery/pkg/util/strategicpatch/patch.go, apiserver/pkg/endpoints/handlers/patch.go
 * (interpretStrategicMergePatchError).
 */
export type StrategicPatchResult =
  | { readonly ok: true; readonly value: Fields }
  | { readonly ok: false; readonly reason: "BadRequest" | "InternalError"; readonly message: string }

/**
 * The result has the request's kind, whatever the patch states. Unchanged parts are shared. Source:
 * apiserver/pkg/endpoints/handlers/patch.go (applyPatchToObject).
 */
export const strategicMergePatch = (kind: Kind, current: unknown, patch: unknown): StrategicPatchResult => {
  if (!isFields(patch)) return { ok: false, reason: "BadRequest", message: "invalid JSON document" }
  const problem = patchDepthProblem(patch)
  if (problem !== undefined) return { ok: false, reason: "BadRequest", message: problem }
  const result = attempt(() => mergeMap(wireTypeOf(kind), isFields(current) ? current : {}, patch))
  if (!isFailure(result)) return { ok: true, value: withTypeOfKind(kind, result.success) }
  const error = result.failure
  if (!(error instanceof StrategicMergeError)) throw error
  return { ok: false, reason: error.reason, message: error.message }
}

/** The decoder refuses an `apiVersion` or `kind` that is no string. */
const withTypeOfKind = (kind: Kind, merged: Fields): Fields => {
  const type = { apiVersion: apiVersionOf(kind), kind: kind.kind }
  const isOther = (field: keyof typeof type): boolean =>
    typeof merged[field] === "string" && merged[field] !== type[field]
  const differing = (["apiVersion", "kind"] as const).filter(isOther)
  return differing.reduce<Fields>((object, field) => ({ ...object, [field]: type[field] }), merged)
}

const mergeMap = (type: WireType, current: Fields, patch: Fields): Fields => {
  if (Object.hasOwn(patch, directiveKey)) return mapByDirective(type, current, patch)
  const retainedFields = retainFields(current, patch)
  const entries = new Map(Object.entries(retainedFields))
  let changed = retainedFields !== current
  const put = (field: string, value: unknown): void => {
    if (value === entries.get(field)) return
    changed = true
    if (value === undefined) entries.delete(field)
    else entries.set(field, value)
  }
  for (const [key, order] of Object.entries(patch)) {
    if (!key.startsWith("$setElementOrder")) continue
    const field = fieldAfterPrefix(key, setElementOrderPrefix, invalidOrderMessage)
    const change = ownField(patch, field) ?? undefined
    put(field, orderedList({ type, field, current: entries.get(field), patch: change, order }))
  }
  for (const [key, change] of Object.entries(patch)) {
    if (key === retainKeysKey || key.startsWith("$setElementOrder")) continue
    if (key.startsWith("$deleteFromPrimitiveList")) {
      const field = fieldAfterPrefix(key, deleteFromListPrefix, "invalid patch format of primitive list")
      put(field, withoutElements(entries.get(field), change))
    } else if (!Object.hasOwn(patch, `${setElementOrderPrefix}${key}`) || change === null) {
      put(key, change === null ? undefined : mergeField(type, key, entries.get(key), change))
    }
  }
  return changed ? Object.fromEntries(entries) : current
}

const mapByDirective = (type: WireType, current: Fields, patch: Fields): Fields => {
  const { [directiveKey]: directive, ...rest } = patch
  if (directive === "delete") return Object.keys(current).length === 0 ? current : {}
  if (directive !== "replace") throw unknownDirectiveError(directive, patch)
  const value = mergeMap(type, {}, rest)
  return dequal(value, current) ? current : value
}

/** The patch may set only fields that `$retainKeys` lists. */
const retainFields = (current: Fields, patch: Fields): Fields => {
  const fields = ownField(patch, retainKeysKey)
  if (fields === undefined) return current
  const invalid = new StrategicMergeError("BadRequest", "invalid patch format of retainKeys")
  if (!Array.isArray(fields)) throw invalid
  const retainedKeys: ReadonlySet<unknown> = new Set(fields)
  for (const [key, value] of Object.entries(patch)) {
    const isRestricted = value !== null && key !== retainKeysKey && !isListDirective(key)
    if (isRestricted && !retainedKeys.has(key)) throw invalid
  }
  const entries = Object.entries(current).filter(([field]) => retainedKeys.has(field))
  return entries.length === Object.keys(current).length ? current : Object.fromEntries(entries)
}

const isListDirective = (key: string): boolean =>
  key.startsWith("$setElementOrder") || key.startsWith("$deleteFromPrimitiveList")

const mergeField = (type: WireType, field: string, current: unknown, change: unknown): unknown => {
  const rule = mergeRuleOf(type, field)
  const valueType = wireFieldType(type, field)
  if (isFields(change)) {
    if (isFields(current) && rule?.type !== "replace") return mergeMap(valueType, current, change)
    const value = mergeMap(valueType, {}, change)
    return dequal(value, current) ? current : value
  }
  if (Array.isArray(change) && (rule?.type === "byKey" || rule?.type === "set")) {
    const lists = { current: listOrEmpty(current), patch: change, order: undefined }
    return reuseSameList(
      mergeElements({ rule, type: wireElementType(valueType), mergeMap, ...lists }),
      current
    )
  }
  return dequal(change, current) ? current : change
}

interface OrderedList {
  readonly type: WireType
  readonly field: string
  readonly current: unknown
  readonly patch: unknown
  readonly order: unknown
}

/** `order`: the `$setElementOrder` directive. */
const orderedList = ({ type, field, current, patch, order }: OrderedList): unknown => {
  if (!Array.isArray(order)) throw wrongTypeError({ expected: [], received: order })
  if (current === undefined && patch === undefined) return current
  if (current !== undefined && !Array.isArray(current))
    throw wrongTypeError({ expected: [], received: current })
  if (patch !== undefined && !Array.isArray(patch)) throw wrongTypeError({ expected: [], received: patch })
  const rule = mergeRuleOf(type, field)
  if (rule?.type !== "byKey" && rule?.type !== "set")
    throw new StrategicMergeError("BadRequest", invalidOrderMessage)
  const lists = { current: listOrEmpty(current), patch: listOrEmpty(patch), order }
  const itemType = wireElementType(wireFieldType(type, field))
  return reuseSameList(mergeElements({ rule, type: itemType, mergeMap, ...lists }), current)
}

const withoutElements = (current: unknown, unwanted: unknown): unknown => {
  if (!Array.isArray(unwanted)) throw wrongTypeError({ expected: [], received: unwanted })
  if (!Array.isArray(current)) return current
  const unwantedElements: ReadonlySet<unknown> = new Set(unwanted)
  const remaining = current.filter((element) => !unwantedElements.has(element))
  return remaining.length === current.length ? current : remaining
}

const fieldAfterPrefix = (key: string, prefix: string, message: string): string => {
  if (!key.startsWith(prefix)) throw new StrategicMergeError("BadRequest", message)
  return key.slice(prefix.length)
}
