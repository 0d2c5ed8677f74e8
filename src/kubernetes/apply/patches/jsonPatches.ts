import { isFields, setField } from "../../meta/fields.ts"
import { dequal } from "dequal/lite"
import { isFailure, try as attempt } from "effect/Result"
import { immutableJSONPatch, parseJSONPointer, type JSONPatchOperation } from "immutable-json-patch"
import { decodeObject } from "../../admission/decoding/decodeObject.ts"
import { jsonTypeOf } from "../../admission/decoding/decodeStruct.ts"
import { placeInNamespace } from "../../admission/placeInNamespace.ts"
import { UnapplicablePatch } from "./unapplicablePatch.ts"
import type { KindRegistry } from "../../meta/kinds.ts"
import type { Draft, KubeObject } from "../../meta/objects.ts"

/** Source: RFC 7386, RFC 6902, apiserver/pkg/endpoints/handlers/patch.go. */

export type PatchOutcome =
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false
      readonly reason: "BadRequest" | "Invalid" | "RequestEntityTooLarge"
      readonly message: string
    }

/** Source: apiserver/pkg/endpoints/handlers/patch.go. */
const patchOperationsMax = 10_000
const patchDepthMax = 500
/** The limit of copied values in one patch: each `copy` can double the object. */
const copiedValuesMax = 100_000

const unapplicableMessage = "the server rejected our request due to an error in our request"

/**
 * Applies a merge patch or, if the patch is a list, a JSON patch. The patch is copied first, so
 * that the result shares nothing with the patch.
 * @throws UnapplicablePatch
 */
export const applyPatch = (object: KubeObject, patch: object, kinds?: KindRegistry): Draft => {
  const copiedPatch: unknown = JSON.parse(JSON.stringify(patch))
  const result = Array.isArray(copiedPatch) ? jsonPatch(object, copiedPatch) : mergePatch(object, copiedPatch)
  if (!result.ok) throw new UnapplicablePatch({ why: result.message })
  const decoded = decodeObject(result.value, {
    strict: true,
    before: object,
    // An object may be stored in a version that is not served.
    ...(kinds === undefined
      ? {}
      : { kinds: { findServed: (type) => kinds.findServed(type) ?? kinds.findStored(type) } })
  })
  if (!decoded.ok) throw new UnapplicablePatch({ why: decoded.message })
  const draft = placeInNamespace(decoded.kind, decoded.object, object.metadata.namespace)
  const { apiVersion, kind, metadata } = draft
  for (const [field, value, expected] of [
    ["kind", `${apiVersion} ${kind}`, `${object.apiVersion} ${object.kind}`],
    ["name", metadata.name, object.metadata.name],
    ["namespace", metadata.namespace, object.metadata.namespace]
  ] as const) {
    if (value === expected) continue
    throw new UnapplicablePatch({
      why: `the ${field} of the object (${value}) does not match the one patched (${expected})`
    })
  }
  return draft
}

/** Unchanged parts are shared. */
export const mergePatch = (target: unknown, patch: unknown): PatchOutcome => {
  const problem = patchDepthProblem(patch)
  return problem === undefined
    ? { ok: true, value: mergeValues(target, patch) }
    : { ok: false, reason: "BadRequest", message: problem }
}

const mergeValues = (target: unknown, patch: unknown): unknown => {
  if (!isFields(patch)) return dequal(target, patch) ? target : patch
  const fields = isFields(target) ? target : {}
  const changes = new Map<string, unknown>()
  for (const [key, change] of Object.entries(patch)) {
    const present = Object.hasOwn(fields, key) ? fields[key] : undefined
    const value = change === null ? undefined : mergeValues(present, change)
    if (value !== present) changes.set(key, value)
  }
  if (changes.size === 0 && fields === target) return target
  const result: Record<string, unknown> = { ...fields }
  for (const [key, value] of changes) {
    if (value === undefined) delete result[key]
    else setField(result, key, value)
  }
  return result
}

export const patchDepthProblem = (value: unknown, depth = 0): string | undefined => {
  if (depth > patchDepthMax) return `the patch is nested more than ${patchDepthMax} levels deep`
  if (typeof value !== "object" || value === null) return undefined
  for (const item of Object.values(value)) {
    const problem = patchDepthProblem(item, depth + 1)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** Applies all operations or none; unchanged parts are shared. */
export const jsonPatch = (target: unknown, patch: unknown): PatchOutcome => {
  const operations = patch ?? []
  if (!Array.isArray(operations)) return unreadable(operations, "Patch")
  if (operations.length > patchOperationsMax) {
    const counts = `${patchOperationsMax}, got ${operations.length}`
    const message = `The allowed maximum operations in a JSON patch is ${counts}`
    return { ok: false, reason: "RequestEntityTooLarge", message: `Request entity too large: ${message}` }
  }
  const list: ReadonlyArray<unknown> = operations
  const wrongOperation = list.find((operation) => operation !== null && !isFields(operation))
  if (wrongOperation !== undefined) return unreadable(wrongOperation, "Operation")
  const problem = patchDepthProblem(list)
  if (problem !== undefined) return { ok: false, reason: "BadRequest", message: problem }
  const known = list.map(withNullForMissingValue).filter(isOperation)
  const unapplicable: PatchOutcome = { ok: false, reason: "Invalid", message: unapplicableMessage }
  if (known.length < list.length) return unapplicable
  const result = attempt((): unknown =>
    immutableJSONPatch<unknown>(target, known, { before: makeOperationCheck() })
  )
  return isFailure(result) ? unapplicable : { ok: true, value: result.success }
}

/** Source: gopkg.in/evanphx/json-patch.v4/patch.go (DecodePatch). */
const unreadable = (value: unknown, type: string): PatchOutcome => ({
  ok: false,
  reason: "BadRequest",
  message: `json: cannot unmarshal ${jsonTypeOf(value)} into Go value of type jsonpatch.${type}`
})

const withNullForMissingValue = (operation: unknown): unknown =>
  isFields(operation) && (operation["op"] === "add" || operation["op"] === "replace")
    ? { value: null, ...operation }
    : operation

const operationsWithValue: ReadonlySet<unknown> = new Set(["add", "replace", "test"])
const operationsWithSource: ReadonlySet<unknown> = new Set(["copy", "move"])

const isOperation = (operation: unknown): operation is JSONPatchOperation => {
  if (!isFields(operation)) return false
  const { op, path, from } = operation
  if (typeof path !== "string") return false
  if (operationsWithValue.has(op)) return "value" in operation
  return operationsWithSource.has(op) ? typeof from === "string" : op === "remove"
}

/** Refuses operations that are errors in RFC 6902 but that the library accepts. */
const makeOperationCheck = () => {
  let copiedValues = 0
  return (document: unknown, operation: JSONPatchOperation): { readonly operation?: JSONPatchOperation } => {
    const path = pathOf(operation.path)
    switch (operation.op) {
      case "add":
        requireInsertable(document, path)
        return {}
      case "test": {
        const present = valueAt(document, path)
        if (!present.found || !dequal(present.value, operation.value))
          throw new RefusedOperation("test failed")
        // The library compares serialized values, in which the order of keys counts.
        return { operation: { ...operation, value: present.value } }
      }
      case "copy":
      case "move": {
        const source = valueAt(document, pathOf(operation.from))
        if (!source.found) throw new RefusedOperation("nothing there to copy or move")
        if (operation.op === "copy") {
          requireInsertable(document, path)
          copiedValues += countValues(source.value)
          if (copiedValues >= copiedValuesMax) throw new RefusedOperation("too much is copied")
          return {}
        }
        if (operation.path.startsWith(`${operation.from}/`)) throw new RefusedOperation("moved into itself")
        // The target is checked after the removal, which may shorten the list.
        requireInsertable(immutableJSONPatch(document, [{ op: "remove", path: operation.from }]), path)
        return {}
      }
      default:
        if (!valueAt(document, path).found) throw new RefusedOperation("nothing there")
        return {}
    }
  }
}

/** Thrown because the library cannot be stopped otherwise. */
class RefusedOperation extends Error {}

const pathOf = (pointer: string): ReadonlyArray<string> => {
  if (!pointer.startsWith("/")) throw new RefusedOperation("not a pointer below the object")
  const path = parseJSONPointer(pointer)
  // The library would follow this key instead of setting it.
  if (path.includes("__proto__")) throw new RefusedOperation("a key that is not allowed")
  return path
}

const listPosition = /^(?:0|[1-9]\d*)$/

const valueAt = (
  document: unknown,
  path: ReadonlyArray<string>
): { readonly found: boolean; readonly value: unknown } => {
  let value = document
  for (const part of path) {
    if (Array.isArray(value) && listPosition.test(part) && Number(part) < value.length)
      value = value[Number(part)]
    else if (isFields(value) && Object.hasOwn(value, part)) value = value[part]
    else return { found: false, value: undefined }
  }
  return { found: true, value }
}

const requireInsertable = (document: unknown, path: ReadonlyArray<string>): void => {
  const last = path.at(-1)
  if (last === undefined) return
  const parent = valueAt(document, path.slice(0, -1)).value
  if (isFields(parent)) return
  if (!Array.isArray(parent)) throw new RefusedOperation("no such place")
  if (last === "-" || (listPosition.test(last) && Number(last) <= parent.length)) return
  throw new RefusedOperation("no such position")
}

const countValues = (value: unknown): number =>
  typeof value === "object" && value !== null
    ? Object.values(value).reduce((count: number, item) => count + countValues(item), 1)
    : 1
