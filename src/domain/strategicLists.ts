import { isFields, type Fields } from "./fields.ts"
import type { WireType } from "./admission/wireTypes.ts"
import type { MergeRule } from "./mergeKeys.ts"
import {
  directiveKey,
  Unmergeable,
  unexpectedOrder,
  unknownDirective,
  withoutMergeKey,
  wrongType
} from "./strategicDirectives.ts"

/**
 * The lists of a strategic merge patch whose elements are known by a key, or by themselves.
 *
 * Source: staging/src/k8s.io/apimachinery/pkg/util/strategicpatch/patch.go (mergeSlice,
 * normalizeElementOrder, validatePatchWithSetOrderList).
 */
interface ListMerge {
  readonly rule: Extract<MergeRule, { type: "byKey" | "set" }>
  /** The type of an element. */
  readonly type: WireType
  readonly current: ReadonlyArray<unknown>
  readonly patch: ReadonlyArray<unknown>
  /** What a directive says of the order: keys alone, or the elements of a set. */
  readonly order: ReadonlyArray<unknown> | undefined
  readonly mergeMap: (type: WireType, current: Fields, patch: Fields) => Fields
}

/**
 * The merged elements in order: as the directive has them, or else as the patch has them. What neither names
 * keeps its place before the next one that the live list has too. New elements therefore come first.
 */
export const mergeElements = (merge: ListMerge): ReadonlyArray<unknown> => {
  const { rule, current, patch, order } = merge
  const keyOf = rule.type === "set" ? (element: unknown) => element : keyIn(rule.key)
  if (order !== undefined) requireOrder(patch, order, keyOf)
  const replaced = patch.some((element) => directiveOf(element) === "replace")
  const base = replaced ? [] : withoutDeleted(merge, keyOf)
  const changes = patch.filter((element) => directiveOf(element) === undefined)
  const merged = rule.type === "set" ? [...new Set([...base, ...changes])] : mergeByKey(merge, base, keyOf)
  return inOrder({ elements: merged, wanted: order ?? changes, live: current, keyOf })
}

type KeyOf = (element: unknown) => unknown

const keyIn =
  (key: string): KeyOf =>
  (element) => {
    if (!isFields(element)) throw wrongType({}, element)
    if (!Object.hasOwn(element, key)) throw withoutMergeKey(element, key)
    return element[key]
  }

const directiveOf = (element: unknown): unknown => (isFields(element) ? element[directiveKey] : undefined)

const withoutDeleted = ({ current, patch }: ListMerge, keyOf: KeyOf): ReadonlyArray<unknown> => {
  const deleted = new Set<unknown>()
  for (const element of patch) {
    const directive = directiveOf(element)
    if (directive === undefined || !isFields(element)) continue
    if (directive === "merge") {
      throw new Unmergeable("InternalError", "merging lists cannot yet be specified in the patch")
    }
    if (directive !== "delete") throw unknownDirective(directive, element)
    deleted.add(keyOf(element))
  }
  return current.filter((element) => !deleted.has(keyOf(element)))
}

/** Of elements with the same key the first is merged. */
const mergeByKey = (
  { type, patch, mergeMap }: ListMerge,
  base: ReadonlyArray<unknown>,
  keyOf: KeyOf
): ReadonlyArray<unknown> => {
  const merged = [...base]
  const positions = new Map(firstPlaces(base, keyOf))
  for (const change of patch) {
    if (directiveOf(change) !== undefined) continue
    const key = keyOf(change)
    if (!isFields(change)) throw wrongType({}, change)
    const position = positions.get(key) ?? merged.length
    const element = merged[position]
    merged[position] = mergeMap(type, isFields(element) ? element : {}, change)
    positions.set(key, position)
  }
  return merged
}

/** The patch may not go against the order it asks for, nor have an element that the order leaves out. */
const requireOrder = (patch: ReadonlyArray<unknown>, order: ReadonlyArray<unknown>, keyOf: KeyOf): void => {
  const keys = order.map(keyOf)
  const wanted = patch.filter((element) => directiveOf(element) === undefined)
  if (keys.length === 0) return
  let place = 0
  for (const element of wanted) {
    while (place < keys.length && keys[place] !== keyOf(element)) place += 1
    if (place === keys.length) throw unexpectedOrder(patch, order)
    place += 1
  }
}

interface Ordering {
  readonly elements: ReadonlyArray<unknown>
  readonly wanted: ReadonlyArray<unknown>
  readonly live: ReadonlyArray<unknown>
  readonly keyOf: KeyOf
}

const inOrder = ({ elements, wanted, live, keyOf }: Ordering): ReadonlyArray<unknown> => {
  const wantedKeys = new Set(wanted.map(keyOf))
  const byKey = Map.groupBy(elements, keyOf)
  const named = [...wantedKeys].flatMap((key) => byKey.get(key) ?? [])
  const others = elements.filter((element) => !wantedKeys.has(keyOf(element)))
  const places = firstPlaces(live, keyOf)
  // What is new there stands neither before nor behind anything.
  const placeOf = (element: unknown): number => places.get(keyOf(element)) ?? Number.NaN
  const ordered: Array<unknown> = []
  let placed = 0
  for (const element of named) {
    while (placed < others.length && placeOf(others[placed]) < placeOf(element)) {
      ordered.push(others[placed])
      placed += 1
    }
    ordered.push(element)
  }
  return [...ordered, ...others.slice(placed)]
}

const firstPlaces = (elements: ReadonlyArray<unknown>, keyOf: KeyOf): ReadonlyMap<unknown, number> => {
  const places = new Map<unknown, number>()
  for (const [place, element] of elements.entries()) {
    const key = keyOf(element)
    if (!places.has(key)) places.set(key, place)
  }
  return places
}
