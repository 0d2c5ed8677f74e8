import { isFields } from "../domain/fields.ts"
import { recordingApiVersion } from "./entry.ts"
import type { Fields } from "../domain/fields.ts"
import type { Entry, Header } from "./entry.ts"

/** What is the matter with a text, in a sentence. */
export interface Unread {
  readonly refused: string
}

export const isUnread = (read: object): read is Unread => "refused" in read

/** Reads a line of a recording, as one that has been sent or saved; refuses what a page could not show. */
export const readEntry = (line: string): Entry | Unread => {
  let entry: unknown
  try {
    entry = JSON.parse(line)
  } catch {
    return { refused: "is not JSON" }
  }
  if (!isFields(entry)) return { refused: "is no JSON object" }
  if (entry["type"] === undefined) return { refused: "is no entry of a recording" }
  return entry["type"] === "header" ? readHeader(entry) : readNumbered(entry)
}

/** Of another kind or form it is told before anything else: then nothing else need be as we know it. */
const readHeader = (entry: Fields): Header | Unread => {
  const { apiVersion, kind, version } = entry
  if (kind !== "Recording") return { refused: `begins a ${spelt(kind)}, and no Recording` }
  if (apiVersion !== recordingApiVersion) {
    const by = typeof version === "string" ? ` by charthouse ${version}` : ""
    return {
      refused: `has the form ${spelt(apiVersion)}${by}: ${recordingApiVersion} is read here. Open it with the charthouse that wrote it`
    }
  }
  const wrong = wrongField(entry, headerFields)
  // Every field has been looked at.
  return wrong === undefined ? (entry as unknown as Header) : { refused: wrong }
}

const readNumbered = (entry: Fields): Entry | Unread => {
  const { type } = entry
  const fields = typeof type === "string" && Object.hasOwn(entryFields, type) ? entryFields[type] : undefined
  if (fields === undefined) return { refused: `is an entry of a type that nobody knows here, ${spelt(type)}` }
  const wrong = wrongField(entry, fields)
  return wrong === undefined ? (entry as unknown as Entry) : { refused: wrong }
}

type Check = readonly [isMeant: (value: unknown) => boolean, wanted: string]
type Checks = Readonly<Record<string, Check>>

const isText = (value: unknown): boolean => typeof value === "string"

const text: Check = [isText, "a text"]
const optionalText: Check = [(value) => value === undefined || isText(value), "a text"]
const count: Check = [(value) => Number.isSafeInteger(value) && Number(value) >= 0, "an integer from 0 on"]
const optionalCount: Check = [(value) => value === undefined || count[0](value), count[1]]
const amount: Check = [(value) => typeof value === "number" && value >= 0, "a number from 0 on"]
const texts: Check = [(value) => isFields(value) && Object.values(value).every(isText), "an object of texts"]
const oneOf = (...words: ReadonlyArray<string>): Check => [
  (value) => typeof value === "string" && words.includes(value),
  `one of ${words.join(", ")}`
]
const listOf = (isItem: (value: unknown) => boolean, what: string): Check => [
  (value) => Array.isArray(value) && value.every(isItem),
  `a list of ${what}`
]
const isRecord =
  (checks: Checks) =>
  (value: unknown): value is Fields =>
    isFields(value) && wrongField(value, checks) === undefined

const isTyped = isRecord({ apiVersion: text, kind: text })
const isNamed = isRecord({ name: text, uid: text })

/** A page is drawn from names, uids and specifications: without them an object is none. */
const isObject = (value: unknown): boolean => {
  if (!isTyped(value) || !isNamed(value["metadata"])) return false
  const needed = neededParts.get(String(value["kind"])) ?? []
  return needed.every((part) => isFields(value[part]))
}
const neededParts: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  ["Deployment", ["spec", "status"]],
  ["ReplicaSet", ["spec", "status"]],
  ["Pod", ["spec", "status"]],
  ["Node", ["status"]],
  ["Event", ["involvedObject"]]
])

const isTransition = isRecord({ source: text, target: optionalText, guard: optionalText })
const isGuard = isRecord({
  state: text,
  name: text,
  holds: [(value) => typeof value === "boolean", "true or false"],
  text
})
const isPair = (it: unknown): boolean =>
  Array.isArray(it) && isText(it[0]) && (isText(it[1]) || typeof it[1] === "number")
const isWrite = isRecord({ verb: text, resource: text, key: text })
const isCause = isRecord({ type: text, resource: text, key: text })

const isStep = isRecord({
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

/** A clock that goes by itself has parts of milliseconds. */
const numbered = { number: count, atMillis: amount }

const entryFields: Readonly<Record<string, Checks>> = {
  object: {
    ...numbered,
    change: oneOf("ADDED", "MODIFIED", "DELETED"),
    resource: text,
    object: [isObject, "a Kubernetes object with what a page shows of it"]
  },
  step: { ...numbered, step: [isStep, "the step of an actor"] },
  fault: { ...numbered, change: oneOf("BEGAN", "ENDED"), id: text, text },
  clock: { ...numbered, speed: amount },
  note: { ...numbered, level: oneOf("step", "failure"), text, step: optionalCount },
  end: { ...numbered, entries: count }
}

const wrongField = (entry: Fields, checks: Checks): string | undefined => {
  for (const [field, [isMeant, wanted]] of Object.entries(checks)) {
    if (!isMeant(Object.hasOwn(entry, field) ? entry[field] : undefined))
      return `has a field ${field} that is not ${wanted}`
  }
  return undefined
}

const spelt = (value: unknown): string =>
  value === undefined ? "nothing" : JSON.stringify(value).slice(0, 60)
