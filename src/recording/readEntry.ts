import { isFields } from "../kubernetes/meta/fields.ts"
import { recordingApiVersion } from "./entry.ts"
import type { Fields } from "../kubernetes/meta/fields.ts"
import type { RecordingEntry, RecordingHeader } from "./entry.ts"

/** `problem` follows the name of the line or file: `is not JSON`. */
export interface UnreadableRecording {
  readonly problem: string
}

export const isUnreadable = (read: object): read is UnreadableRecording => "problem" in read

/** Refuses entries that the page could not show. */
export const readRecordingEntry = (line: string): RecordingEntry | UnreadableRecording => {
  let entry: unknown
  try {
    entry = JSON.parse(line)
  } catch {
    return { problem: "is not JSON" }
  }
  if (!isFields(entry)) return { problem: "is no JSON object" }
  if (entry["type"] === undefined) return { problem: "is no entry of a recording" }
  return entry["type"] === "header" ? readHeader(entry) : readNumberedEntry(entry)
}

/** Checks kind and apiVersion first, since other versions may have other fields. */
const readHeader = (entry: Fields): RecordingHeader | UnreadableRecording => {
  const { apiVersion, kind, version } = entry
  if (kind !== "Recording")
    return { problem: kind === undefined ? "has no kind" : `has kind ${inputText(kind)} and not "Recording"` }
  if (apiVersion !== recordingApiVersion) {
    const writtenBy = typeof version === "string" ? ` (written by charthouse ${version})` : ""
    return {
      problem: `has apiVersion ${inputText(apiVersion)}${writtenBy}, and this charthouse reads ${recordingApiVersion}. Open it with the charthouse that wrote it`
    }
  }
  const problem = wrongField(entry, headerFields)
  // `wrongField` has checked every field.
  return problem === undefined ? (entry as unknown as RecordingHeader) : { problem }
}

const readNumberedEntry = (entry: Fields): RecordingEntry | UnreadableRecording => {
  const { type } = entry
  const fields = typeof type === "string" && Object.hasOwn(entryFields, type) ? entryFields[type] : undefined
  if (fields === undefined) return { problem: `is an entry of an unknown type, ${inputText(type)}` }
  const problem = wrongField(entry, fields)
  return problem === undefined ? (entry as unknown as RecordingEntry) : { problem }
}

type Check = readonly [isValid: (value: unknown) => boolean, expected: string]
type Checks = Readonly<Record<string, Check>>

const isText = (value: unknown): boolean => typeof value === "string"

const text: Check = [isText, "a text"]
const optionalText: Check = [(value) => value === undefined || isText(value), "a text"]
const count: Check = [(value) => Number.isSafeInteger(value) && Number(value) >= 0, "an integer from 0 on"]
const optionalCount: Check = [(value) => value === undefined || count[0](value), count[1]]
const amount: Check = [(value) => typeof value === "number" && value >= 0, "a number from 0 on"]
const texts: Check = [(value) => isFields(value) && Object.values(value).every(isText), "an object of texts"]
const oneOf = (...choices: ReadonlyArray<string>): Check => [
  (value) => typeof value === "string" && choices.includes(value),
  `one of ${choices.join(", ")}`
]
const listOf = (isItem: (value: unknown) => boolean, itemsText: string): Check => [
  (value) => Array.isArray(value) && value.every(isItem),
  `a list of ${itemsText}`
]
const hasValidFields =
  (checks: Checks) =>
  (value: unknown): value is Fields =>
    isFields(value) && wrongField(value, checks) === undefined

const hasTypeMeta = hasValidFields({ apiVersion: text, kind: text })
const hasNameAndUid = hasValidFields({ name: text, uid: text })

const isKubernetesObject = (value: unknown): boolean => {
  if (!hasTypeMeta(value) || !hasNameAndUid(value["metadata"])) return false
  const requiredParts = requiredPartsByKind.get(String(value["kind"])) ?? []
  return requiredParts.every((part) => isFields(value[part]))
}
const requiredPartsByKind: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  ["Deployment", ["spec", "status"]],
  ["ReplicaSet", ["spec", "status"]],
  ["StatefulSet", ["spec", "status"]],
  ["DaemonSet", ["spec", "status"]],
  ["CronJob", ["spec", "status"]],
  ["Job", ["spec", "status"]],
  ["HorizontalPodAutoscaler", ["spec", "status"]],
  ["Pod", ["spec", "status"]],
  ["Node", ["status"]],
  ["Event", ["involvedObject"]]
])

const isTransition = hasValidFields({ source: text, target: optionalText, guard: optionalText })
const isGuard = hasValidFields({
  state: text,
  name: text,
  holds: [(value) => typeof value === "boolean", "true or false"],
  text
})
const isPair = (value: unknown): boolean =>
  Array.isArray(value) && isText(value[0]) && (isText(value[1]) || typeof value[1] === "number")
const isWrite = hasValidFields({ verb: text, resource: text, key: text })
const isCause = hasValidFields({ type: text, resource: text, key: text })

const isStep = hasValidFields({
  number: count,
  atMillis: amount,
  uid: text,
  kind: text,
  namespace: optionalText,
  name: text,
  chart: text,
  event: text,
  from: listOf(isText, "texts"),
  to: listOf(isText, "texts"),
  taken: listOf(isTransition, "transitions"),
  guards: listOf(isGuard, "guards"),
  numbers: listOf(isPair, "pairs"),
  commands: listOf(isText, "texts"),
  writes: listOf(isWrite, "writes"),
  events: listOf(isText, "texts"),
  because: [(value) => value === undefined || isCause(value), "a cause"]
})

const headerFields: Checks = {
  version: text,
  id: text,
  title: text,
  seed: [(value) => Number.isSafeInteger(value), "an integer"],
  number: count,
  atMillis: amount,
  charts: texts
}

/** A clock in real time gives fractional milliseconds. */
const numberedFields = { number: count, atMillis: amount }

const entryFields: Readonly<Record<string, Checks>> = {
  object: {
    ...numberedFields,
    change: oneOf("ADDED", "MODIFIED", "DELETED"),
    resource: text,
    object: [
      isKubernetesObject,
      "a Kubernetes object with apiVersion, kind, name and uid, and with spec and status where the page needs them"
    ]
  },
  step: { ...numberedFields, step: [isStep, "the step of an actor"] },
  fault: { ...numberedFields, change: oneOf("BEGAN", "ENDED"), id: text, text },
  clock: { ...numberedFields, speed: amount },
  note: { ...numberedFields, level: oneOf("step", "failure"), text, step: optionalCount },
  end: { ...numberedFields, entries: count }
}

const wrongField = (entry: Fields, checks: Checks): string | undefined => {
  for (const [field, [isValid, expected]] of Object.entries(checks)) {
    if (!isValid(Object.hasOwn(entry, field) ? entry[field] : undefined))
      return Object.hasOwn(entry, field)
        ? `has a field ${field} that is not ${expected}`
        : `has no field ${field}, which is to be ${expected}`
  }
  return undefined
}

const inputText = (value: unknown): string =>
  value === undefined ? "nothing" : JSON.stringify(value).slice(0, 60)
