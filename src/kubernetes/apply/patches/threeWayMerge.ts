import { isFields, type Fields } from "../../meta/fields.ts"
import { dequal } from "dequal/lite"
import { wireTypeOf, type WireType } from "../../admission/decoding/wireTypes.ts"
import { mergeRuleOf, type MergeRule } from "./mergeRules.ts"
import { mergeInLiveOrder } from "./liveOrder.ts"
import { listOrEmpty, ownField, reuseSameList, wireElementType, wireFieldType } from "./patchedTypes.ts"
import type { Kind } from "../../meta/kinds.ts"

/**
 * Source: apimachinery/pkg/util/strategicpatch/patch.go (CreateThreeWayMergePatch),
 * kubectl/pkg/cmd/apply/patcher.go.
 */

/** The annotation's value is compact JSON and a newline. */
export const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration"

/** Null removes a field; unchanged parts are shared. */
export const threeWayMerge = (options: {
  readonly kind: Kind
  /** The last manifest. */
  readonly original: Fields | undefined
  /** The new manifest. */
  readonly modified: Fields
  /** The live object. */
  readonly current: Fields
}): Fields => {
  const { kind, original = {}, modified, current } = options
  // Custom resources have no merge keys: kubectl sends a JSON merge patch.
  const type = kind.custom === undefined ? wireTypeOf(kind) : "any"
  return mergeFields({ type, original, modified, current, retainKeys: false })
}

interface FieldsMerge {
  readonly type: WireType
  readonly original: Fields
  readonly modified: Fields
  readonly current: Fields
  /** Whether the live object keeps only the fields of the manifest. */
  readonly retainKeys: boolean
}

const mergeFields = ({ type, original, modified, current, retainKeys }: FieldsMerge): Fields => {
  const entries: Array<readonly [string, unknown]> = []
  let changed = false
  const mergeField = (field: string): void => {
    const wanted = modified[field]
    const live = ownField(current, field)
    const value =
      wanted === null
        ? undefined
        : mergeValue({
            type: wireFieldType(type, field),
            rule: mergeRuleOf(type, field),
            original: ownField(original, field),
            modified: wanted,
            current: live
          })
    if (value !== undefined) entries.push([field, value])
    if (value !== live) changed = true
  }
  for (const [field, live] of Object.entries(current)) {
    if (Object.hasOwn(modified, field)) mergeField(field)
    else if (retainKeys || Object.hasOwn(original, field)) changed = true
    else entries.push([field, live])
  }
  for (const field of Object.keys(modified)) if (!Object.hasOwn(current, field)) mergeField(field)
  return changed ? Object.fromEntries(entries) : current
}

interface ValueMerge {
  readonly type: WireType
  readonly rule: MergeRule | undefined
  readonly original: unknown
  readonly modified: unknown
  readonly current: unknown
}

const mergeValue = ({ type, rule, original, modified, current }: ValueMerge): unknown => {
  if (isFields(modified) && rule?.type !== "replace") {
    return mergeFields({
      type,
      original: isFields(original) ? original : {},
      modified,
      current: isFields(current) ? current : {},
      retainKeys: rule?.type === "retainKeys"
    })
  }
  if (Array.isArray(modified)) {
    const lists = {
      original: listOrEmpty(original),
      modified: listOrEmpty(modified),
      current: listOrEmpty(current)
    }
    const merged = mergeList(type, rule, lists)
    if (merged !== undefined) return reuseSameList(merged, current)
  }
  return dequal(modified, current) ? current : modified
}

interface Lists {
  readonly original: ReadonlyArray<unknown>
  readonly modified: ReadonlyArray<unknown>
  readonly current: ReadonlyArray<unknown>
}

/**
 * Undefined if the list is one value.
 * Unlike Kubernetes, a list whose keys are not unique is replaced as a whole; upstream loses
 * elements (kubernetes/kubernetes#105610).
 */
const mergeList = (
  type: WireType,
  rule: MergeRule | undefined,
  { original, modified, current }: Lists
): ReadonlyArray<unknown> | undefined => {
  if (rule?.type !== "byKey" && rule?.type !== "set") return undefined
  const wanted = elementsByKey(modified, rule)
  const live = elementsByKey(current, rule)
  if (wanted === undefined || live === undefined) return undefined
  const originals = elementsByKey(original, rule) ?? new Map<unknown, unknown>()
  const itemType = wireElementType(type)
  const mergeElement = (key: unknown, element: unknown): unknown => {
    if (!isFields(element)) return element
    const [originalElement, liveElement] = [originals.get(key), live.get(key)]
    return mergeFields({
      type: itemType,
      original: isFields(originalElement) ? originalElement : {},
      modified: element,
      current: isFields(liveElement) ? liveElement : {},
      retainKeys: rule.type === "byKey" && rule.retainKeys
    })
  }
  const merged = new Map([...wanted].map(([key, element]) => [key, mergeElement(key, element)] as const))
  const liveKeys = [...live.keys()]
  const serverOnly = liveKeys.filter((key) => !wanted.has(key) && !originals.has(key))
  const positions = new Map(liveKeys.map((key, index) => [key, index]))
  return mergeInLiveOrder([...wanted.keys()], serverOnly, (key) => positions.get(key)).map((key) =>
    merged.has(key) ? merged.get(key) : live.get(key)
  )
}

/** Undefined if the keys are not unique. */
const elementsByKey = (
  elements: ReadonlyArray<unknown>,
  rule: MergeRule
): ReadonlyMap<unknown, unknown> | undefined => {
  const byKey = new Map<unknown, unknown>()
  for (const element of elements) {
    const key = rule.type === "byKey" ? keyOfElement(element, rule.key) : element
    if (key === undefined || key === null) return undefined
    if (byKey.has(key) && rule.type === "byKey") return undefined
    byKey.set(key, element)
  }
  return byKey
}

const keyOfElement = (element: unknown, key: string): unknown =>
  isFields(element) ? ownField(element, key) : undefined
