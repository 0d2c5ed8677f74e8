import { formatDuration, parseDuration } from "../../domain/durations.ts"
import { isFields } from "../../domain/fields.ts"
import type { Fields } from "../../domain/fields.ts"
import type { Story } from "../stories/story.ts"

/**
 * Stories that are a little simpler than one: one amount smaller, one time rounder or shorter, or one field less that
 * may be left out. Those that save most come first. With `keepSizes` every Deployment stays as large as it was said to
 * be: what counts Pods is no longer about the same thing where there are fewer of them.
 */
export const simplerStories = function* (
  story: Story,
  { keepSizes }: { readonly keepSizes: boolean }
): Generator<Story> {
  yield* simplerWhole(story)
  for (const place of ["steps", "faults", "start"] as const) {
    // Only fields of which the story's type has the same are changed, or those that may be left out.
    const items: ReadonlyArray<unknown> = story[place] ?? []
    for (const [index, item] of items.entries()) {
      if (!isFields(item)) continue
      for (const simpler of place === "start"
        ? simplerObjects(item, keepSizes)
        : simplerItems(item, keepSizes))
        yield { ...story, [place]: items.with(index, simpler) }
    }
  }
}

const simplerWhole = function* (story: Story): Generator<Story> {
  for (const field of ["description", "behaviour", "nodes", "limit"] as const) {
    if (story[field] === undefined) continue
    const { [field]: _gone, ...rest } = story
    yield rest
  }
}

/**
 * What is said of the kind of a step or fault, and of nothing else, may go; not what keeps it small: a fault without
 * `for` or `times` never ends, and a wait without `within` is another one.
 */
const optional = [
  "when",
  "after",
  "at",
  "exitCode",
  "reason",
  "gracePeriodSeconds",
  "error",
  "hard",
  "afterWrites",
  "resource",
  "verb",
  "toRevision"
]

/** Where a wait is shorter, whatever takes longer fails. */
const durations = ["for", "at", "after", "by", "advance", "ready", "unready"]
const amounts = ["to", "afterWrites", "times"]

const simplerItems = function* (item: Fields, keepSizes: boolean): Generator<Fields> {
  for (const field of optional) if (field in item) yield without(item, field)
  for (const field of durations) {
    const text = item[field]
    if (typeof text !== "string") continue
    for (const simpler of simplerDurations(text)) yield { ...item, [field]: simpler }
  }
  for (const field of amounts) {
    if (keepSizes && field === "to") continue
    const amount = item[field]
    if (typeof amount !== "number") continue
    for (const simpler of simplerAmounts(amount)) yield { ...item, [field]: simpler }
  }
  const { pods, apply } = item
  if (isFields(pods)) for (const simpler of simplerChoices(pods)) yield { ...item, pods: simpler }
  if (!Array.isArray(apply)) return
  for (const [index, object] of apply.entries()) {
    if (apply.length > 1) yield { ...item, apply: apply.toSpliced(index, 1) }
    if (isFields(object))
      for (const simpler of simplerObjects(object, keepSizes))
        yield { ...item, apply: apply.with(index, simpler) }
  }
}

/** Which Pods are met: one rather than many, and as few words as will do. */
const simplerChoices = function* (pods: Fields): Generator<Fields> {
  const { count } = pods
  if (typeof count === "number")
    for (const simpler of simplerAmounts(count)) yield { ...pods, count: simpler }
  for (const field of ["revision", "node", "labels", "name", "namespace"])
    if (field in pods && Object.keys(pods).length > 1) yield without(pods, field)
}

/** Fewer replicas, and what is not said of a rollout cannot be the reason. */
const simplerObjects = function* (object: Fields, keepSizes: boolean): Generator<Fields> {
  const { spec } = object
  if (!isFields(spec)) return
  const { replicas } = spec
  if (typeof replicas === "number" && !keepSizes)
    for (const simpler of simplerAmounts(replicas)) yield { ...object, spec: { ...spec, replicas: simpler } }
  for (const field of ["minReadySeconds", "progressDeadlineSeconds", "revisionHistoryLimit", "strategy"])
    if (field in spec) yield { ...object, spec: without(spec, field) }
}

const without = (fields: Fields, field: string): Fields => {
  const { [field]: _gone, ...rest } = fields
  return rest
}

/** None at all is another story. */
const small = [1, 2, 3, 5, 10]

const simplerAmounts = (amount: number): ReadonlyArray<number> => [
  ...new Set([...small, Math.floor(amount / 2)].filter((it) => it > 0 && it < amount))
]

const roundMillis = [
  1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000, 3_600_000
]

/** Shorter ones that are round, and the same to the second. */
const simplerDurations = (text: string): ReadonlyArray<string> => {
  const millis = parseDuration(text)
  if (millis === undefined) return []
  const second = Math.floor(millis / 1000) * 1000
  const shorter = roundMillis.filter((it) => it < millis)
  return [...new Set([...shorter, ...(second > 0 && second < millis ? [second] : [])])].map(formatDuration)
}
