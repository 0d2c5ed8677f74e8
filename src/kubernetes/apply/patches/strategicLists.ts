import { isFields, type Fields } from "../../meta/fields.ts"
import { mergeInLiveOrder } from "./liveOrder.ts"
import type { WireType } from "../../admission/decoding/wireTypes.ts"
import type { MergeRule } from "./mergeRules.ts"
import {
  directiveKey,
  StrategicMergeError,
  unexpectedOrderError,
  unknownDirectiveError,
  missingMergeKeyError,
  wrongTypeError
} from "./strategicDirectives.ts"

/** Source: apimachinery/pkg/util/strategicpatch/patch.go (mergeSlice, normalizeElementOrder). */
interface ListMerge {
  readonly rule: Extract<MergeRule, { type: "byKey" | "set" }>
  readonly type: WireType
  readonly current: ReadonlyArray<unknown>
  readonly patch: ReadonlyArray<unknown>
  /** The `$setElementOrder` directive. */
  readonly order: ReadonlyArray<unknown> | undefined
  readonly mergeMap: (type: WireType, current: Fields, patch: Fields) => Fields
}

/**
 * A live-only element stays before the patch's element that followed it: `a b` patched with `new b`
 * becomes `new a b`.
 */
export const mergeElements = (merge: ListMerge): ReadonlyArray<unknown> => {
  const { rule, current, patch, order } = merge
  const keyOf = rule.type === "set" ? (element: unknown) => element : keyFieldOf(rule.key)
  if (order !== undefined) checkOrder(patch, order, keyOf)
  const isReplaced = patch.some((element) => directiveOf(element) === "replace")
  const deletedKeys = keysToDelete(patch, keyOf)
  const base = isReplaced ? [] : current.filter((element) => !deletedKeys.has(keyOf(element)))
  const changes = patch.filter((element) => directiveOf(element) === undefined)
  const merged = rule.type === "set" ? [...new Set([...base, ...changes])] : mergeByKey(merge, base, keyOf)
  return inWantedOrder({ elements: merged, wanted: order ?? changes, live: current, keyOf })
}

type KeyOf = (element: unknown) => unknown

const keyFieldOf =
  (key: string): KeyOf =>
  (element) => {
    if (!isFields(element)) throw wrongTypeError({ expected: {}, received: element })
    if (!Object.hasOwn(element, key)) throw missingMergeKeyError(element, key)
    return element[key]
  }

const directiveOf = (element: unknown): unknown => (isFields(element) ? element[directiveKey] : undefined)

/** Throws for unknown directives, and for `merge` as upstream. */
const keysToDelete = (patch: ReadonlyArray<unknown>, keyOf: KeyOf): ReadonlySet<unknown> => {
  const keys = new Set<unknown>()
  for (const element of patch) {
    const directive = directiveOf(element)
    if (directive === undefined || directive === "replace" || !isFields(element)) continue
    if (directive === "merge") {
      throw new StrategicMergeError("InternalError", "merging lists cannot yet be specified in the patch")
    }
    if (directive !== "delete") throw unknownDirectiveError(directive, element)
    keys.add(keyOf(element))
  }
  return keys
}

const mergeByKey = (
  { type, patch, mergeMap }: ListMerge,
  base: ReadonlyArray<unknown>,
  keyOf: KeyOf
): ReadonlyArray<unknown> => {
  const merged = [...base]
  const positions = new Map(firstPositions(base, keyOf))
  for (const change of patch) {
    if (directiveOf(change) !== undefined) continue
    const key = keyOf(change)
    if (!isFields(change)) throw wrongTypeError({ expected: {}, received: change })
    const position = positions.get(key) ?? merged.length
    const element = merged[position]
    merged[position] = mergeMap(type, isFields(element) ? element : {}, change)
    positions.set(key, position)
  }
  return merged
}

/** The order, unless empty, must list all elements of the patch, in the patch's order. */
const checkOrder = (patch: ReadonlyArray<unknown>, order: ReadonlyArray<unknown>, keyOf: KeyOf): void => {
  const keys = order.map(keyOf)
  const wanted = patch.filter((element) => directiveOf(element) === undefined)
  if (keys.length === 0) return
  let position = 0
  for (const element of wanted) {
    while (position < keys.length && keys[position] !== keyOf(element)) position += 1
    if (position === keys.length) throw unexpectedOrderError(patch, order)
    position += 1
  }
}

/** `wanted`: the order in the patch. `live`: the list before the patch. */
interface Ordering {
  readonly elements: ReadonlyArray<unknown>
  readonly wanted: ReadonlyArray<unknown>
  readonly live: ReadonlyArray<unknown>
  readonly keyOf: KeyOf
}

const inWantedOrder = ({ elements, wanted, live, keyOf }: Ordering): ReadonlyArray<unknown> => {
  const wantedKeys = new Set(wanted.map(keyOf))
  const byKey = Map.groupBy(elements, keyOf)
  const orderedElements = [...wantedKeys].flatMap((key) => byKey.get(key) ?? [])
  const others = elements.filter((element) => !wantedKeys.has(keyOf(element)))
  const positions = firstPositions(live, keyOf)
  return mergeInLiveOrder(orderedElements, others, (element) => positions.get(keyOf(element)))
}

const firstPositions = (elements: ReadonlyArray<unknown>, keyOf: KeyOf): ReadonlyMap<unknown, number> => {
  const positions = new Map<unknown, number>()
  for (const [position, element] of elements.entries()) {
    const key = keyOf(element)
    if (!positions.has(key)) positions.set(key, position)
  }
  return positions
}
