import { formatDuration, parseDuration } from "../../kubernetes/meta/amounts/durations.ts"
import { isFields } from "../../kubernetes/meta/fields.ts"
import type { Fields } from "../../kubernetes/meta/fields.ts"
import type { Story } from "../stories/story.ts"

/** The largest savings come first. With `keepReplicas`, conditions that count Pods keep their meaning. */
export const simplerStories = function* (
  story: Story,
  { keepReplicas }: { readonly keepReplicas: boolean }
): Generator<Story> {
  yield* simplerSettings(story)
  for (const listName of ["steps", "faults", "start"] as const) {
    const items: ReadonlyArray<unknown> = story[listName] ?? []
    for (const [index, item] of items.entries()) {
      if (!isFields(item)) continue
      for (const simpler of listName === "start"
        ? simplerObjects(item, keepReplicas)
        : simplerItems(item, keepReplicas))
        yield { ...story, [listName]: items.with(index, simpler) }
    }
  }
}

const simplerSettings = function* (story: Story): Generator<Story> {
  for (const field of ["description", "behaviour", "nodes", "limit"] as const) {
    if (story[field] === undefined) continue
    const { [field]: _omitted, ...rest } = story
    yield rest
  }
}

/** Not `for`, `times` and `within`: without them a fault would never end, or a wait would mean something else. */
const optionalFields = [
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

/** Not `within`: a shorter one would fail for another reason. */
const durationFields = ["for", "at", "after", "by", "advance", "ready", "unready"]
const amountFields = ["to", "afterWrites", "times"]

const simplerItems = function* (item: Fields, keepReplicas: boolean): Generator<Fields> {
  for (const field of optionalFields) if (field in item) yield without(item, field)
  for (const field of durationFields) {
    const text = item[field]
    if (typeof text !== "string") continue
    for (const simpler of simplerDurations(text)) yield { ...item, [field]: simpler }
  }
  for (const field of amountFields) {
    if (keepReplicas && field === "to") continue
    const amount = item[field]
    if (typeof amount !== "number") continue
    for (const simpler of simplerAmounts(amount)) yield { ...item, [field]: simpler }
  }
  const { pods, apply } = item
  if (isFields(pods)) for (const simpler of simplerPodChoices(pods)) yield { ...item, pods: simpler }
  if (!Array.isArray(apply)) return
  for (const [index, object] of apply.entries()) {
    if (apply.length > 1) yield { ...item, apply: apply.toSpliced(index, 1) }
    if (isFields(object))
      for (const simpler of simplerObjects(object, keepReplicas))
        yield { ...item, apply: apply.with(index, simpler) }
  }
}

const simplerPodChoices = function* (pods: Fields): Generator<Fields> {
  const { count } = pods
  if (typeof count === "number")
    for (const simpler of simplerAmounts(count)) yield { ...pods, count: simpler }
  for (const field of ["revision", "node", "labels", "name", "namespace"])
    if (field in pods && Object.keys(pods).length > 1) yield without(pods, field)
}

const simplerObjects = function* (object: Fields, keepReplicas: boolean): Generator<Fields> {
  const { spec } = object
  if (!isFields(spec)) return
  const { replicas } = spec
  if (typeof replicas === "number" && !keepReplicas)
    for (const simpler of simplerAmounts(replicas)) yield { ...object, spec: { ...spec, replicas: simpler } }
  for (const field of ["minReadySeconds", "progressDeadlineSeconds", "revisionHistoryLimit", "strategy"])
    if (field in spec) yield { ...object, spec: without(spec, field) }
}

const without = (fields: Fields, field: string): Fields => {
  const { [field]: _omitted, ...rest } = fields
  return rest
}

/** Zero Pods or replicas would be another story. */
const smallAmounts = [1, 2, 3, 5, 10]

const simplerAmounts = (amount: number): ReadonlyArray<number> => [
  ...new Set([...smallAmounts, Math.floor(amount / 2)].filter((it) => it > 0 && it < amount))
]

const roundMillis = [
  1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000, 3_600_000
]

/** Shorter round durations, and the duration in whole seconds. */
const simplerDurations = (text: string): ReadonlyArray<string> => {
  const millis = parseDuration(text)
  if (millis === undefined) return []
  const wholeSeconds = Math.floor(millis / 1000) * 1000
  const shorter = roundMillis.filter((it) => it < millis)
  return [...new Set([...shorter, ...(wholeSeconds > 0 && wholeSeconds < millis ? [wholeSeconds] : [])])].map(
    formatDuration
  )
}
