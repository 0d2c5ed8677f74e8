import { createHash } from "node:crypto"
import { TaggedError } from "effect/Data"
import { behaviourFromWritten, settingsToWrite } from "./snapshotSettings.ts"
import { decodeValue, encodeValue, makePartSharing } from "./snapshotValues.ts"
import { deepFreeze } from "../../kubernetes/meta/deepFreeze.ts"
import { isFields } from "../../kubernetes/meta/fields.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { absentObject } from "../../store/indexes/objectIndex.ts"
import type { Fields } from "../../kubernetes/meta/fields.ts"
import { customResourceDefinitionResource } from "../../kubernetes/customResources/definitions.ts"
import { makeKindIndex } from "../../store/indexes/kindIndex.ts"
import { encodeWrites, makeWriteAttacher, type SavedWrites } from "./snapshotWrites.ts"
import type { GroupResource, Kind } from "../../kubernetes/meta/kinds.ts"
import type { ObjectParts } from "../../kubernetes/apply/managedFields/trackedWrites.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import { isSnapshot } from "./snapshot.ts"
import type { Snapshot } from "./snapshot.ts"
import type { WrittenSettings } from "./snapshotSettings.ts"
import type { StoreState } from "../../store/memoryStore.ts"
import type { PartSharing } from "./snapshotValues.ts"

const apiVersion = "charthouse.dev/v1"
const kind = "Snapshot"
/** The version of the format: raised whenever a chart or the state of a controller changes. */
const formatVersion = 10

export class UnreadableSnapshot extends TaggedError("UnreadableSnapshot")<{ readonly why: string }> {
  override get message(): string {
    return `not a snapshot that can be read: ${this.why}`
  }
}

interface PartsBesideObjects {
  readonly nowMillis: number
  readonly kernel: Snapshot["kernel"]
  readonly settings: WrittenSettings
  readonly store: Omit<StoreState, "replica"> & {
    readonly replica: Omit<StoreState["replica"], "tables" | "history">
  }
  readonly memories: Snapshot["memories"]
}

/**
 * JSON, one object a line, without the watch history. The digest detects edits, which would contradict the state of
 * controllers.
 */
export const snapshotText = (snapshot: Snapshot): string => {
  if (!isSnapshot(snapshot))
    throw new TypeError("snapshotText takes a snapshot, which cluster.snapshot() resolves with")
  const { tables, history: _history, ...replica } = snapshot.store.replica
  const names = new Map<object, string>()
  for (const [resource, table] of tables) {
    for (const [key, object] of table) names.set(object, `${resource} ${key}`)
  }
  const formerVersions: Array<KubeObject> = []
  /** References look like `pods default/web-1`. */
  const referenceOf = (object: object): string | undefined => {
    const name = names.get(object)
    if (name !== undefined || !isStored(object)) return name
    // A stale view still holds a former version. It is written once, so that reading it gives one object.
    formerVersions.push(object)
    const reference = `${formerPrefix} ${formerVersions.length}`
    names.set(object, reference)
    return reference
  }
  const otherParts: PartsBesideObjects = {
    nowMillis: snapshot.nowMillis,
    kernel: snapshot.kernel,
    settings: settingsToWrite(snapshot.settings),
    store: { ...snapshot.store, replica },
    memories: snapshot.memories
  }
  const lists = [...tables]
    .filter(([, table]) => table.size > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([resource, table]) => [resource, [...table.values()]] as const)
  const objects = lists.map(([resource, list]) => {
    const lines = list.map((it) => JSON.stringify(encodeValue(it, noReference)))
    return `${JSON.stringify(resource)}: [\n${lines.join(",\n")}\n]`
  })
  const otherLines = Object.entries(otherParts).map(
    ([field, value]) => `${JSON.stringify(field)}: ${JSON.stringify(encodeValue(value, referenceOf))}`
  )
  const formerLines = formerVersions.map((it) => JSON.stringify(encodeValue(it, noReference)))
  const head = { apiVersion, kind, form: formatVersion, time: new Date(snapshot.nowMillis).toISOString() }
  const writes = encodeWrites([...lists, [formerPrefix, formerVersions]], (it) =>
    encodeValue(it, noReference)
  )
  const parts = [
    ...Object.entries(head).map(([field, value]) => `${JSON.stringify(field)}: ${JSON.stringify(value)}`),
    `"objects": {\n${objects.join(",\n")}\n}`,
    `"former": [\n${formerLines.join(",\n")}\n]`,
    `"writes": ${JSON.stringify(writes)}`,
    ...otherLines
  ]
  const digest = digestOf(JSON.parse(`{${parts.join()}}`))
  return `{\n${[...parts, `"digest": ${JSON.stringify(digest)}`].join(",\n")}\n}\n`
}

const digestOf = (written: unknown): string =>
  `sha256:${createHash("sha256").update(JSON.stringify(written)).digest("hex")}`

const noReference = (): undefined => undefined

const formerPrefix = "formerly"

const isStored = (value: object): value is KubeObject => {
  if (!("kind" in value && "metadata" in value)) return false
  const { metadata } = value
  return isFields(metadata) && typeof metadata["uid"] === "string" && "resourceVersion" in metadata
}

/** Throws `UnreadableSnapshot`. */
export const readSnapshot = (text: string): Snapshot => decodeSnapshot(parseDocument(text))

const parseDocument = (text: string): Fields => {
  const document = parseJson(text)
  if (!isFields(document)) throw new UnreadableSnapshot({ why: "it holds no object" })
  const fieldText = (field: string): string => JSON.stringify(document[field]) ?? "missing"
  if (document["kind"] !== kind)
    throw new UnreadableSnapshot({ why: `its kind is ${fieldText("kind")}, not "${kind}"` })
  if (document["apiVersion"] !== apiVersion) {
    throw new UnreadableSnapshot({ why: `its apiVersion is ${fieldText("apiVersion")}, not "${apiVersion}"` })
  }
  if (document["form"] !== formatVersion) {
    const why = `it was written by another version of charthouse (form ${fieldText("form")}, here ${formatVersion})`
    throw new UnreadableSnapshot({ why })
  }
  const { digest, ...written } = document
  if (digest !== digestOf(written))
    throw new UnreadableSnapshot({ why: "it has been changed since it was written" })
  return written
}

const parseJson = (text: unknown): unknown => {
  if (typeof text !== "string") throw new UnreadableSnapshot({ why: "it is no text: read the file as utf8" })
  if (text.trim() === "") throw new UnreadableSnapshot({ why: "it is empty" })
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    const isCut = text.trimStart().startsWith("{") && !text.trimEnd().endsWith("}")
    const why = isCut
      ? "it is cut off"
      : `it is no JSON: ${error instanceof Error ? error.message : String(error)}`
    throw new UnreadableSnapshot({ why })
  }
}

const decodeSnapshot = ({ objects, former, writes, ...written }: Fields): Snapshot => {
  const share = makePartSharing()
  const lists = new Map(
    Object.entries(objects as Fields).map(([name, list]) => [name, decodeObjects(list, share)])
  )
  // Older snapshots lack `writes`, the source of `managedFields`.
  const withWrites = makeWriteAttacher((writes ?? { writes: [], of: {} }) as SavedWrites, {
    decode: (parts) => deepFreeze(decodeValue(parts, share, noReference)) as ObjectParts,
    kinds: customKindsOf(lists.get(customResourceDefinitionResource) ?? [])
  })
  const withTrackedWrites = (name: string, list: ReadonlyArray<KubeObject>): ReadonlyArray<KubeObject> =>
    list.map((object, index) => deepFreeze(withWrites(name, index, object)))
  const tables = new Map(
    [...lists].map(([name, list]) => [
      name,
      new Map(withTrackedWrites(name, list).map((it) => [objectKeyOf(it), it] as const))
    ])
  )
  const formerObjects = withTrackedWrites(formerPrefix, decodeObjects(former, share))
  const objectOf = (name: string): KubeObject | undefined => {
    const [resource = "", key = ""] = name.split(" ")
    return resource === formerPrefix ? formerObjects[Number(key) - 1] : tables.get(resource)?.get(key)
  }
  const otherParts = decodeValue(written, share, objectOf) as PartsBesideObjects
  const { behaviour, ...settings } = otherParts.settings
  const { replica } = otherParts.store
  const history = { changes: [], oldest: replica.version }
  return {
    nowMillis: otherParts.nowMillis,
    kernel: otherParts.kernel,
    settings: { ...settings, behaviour: behaviourFromWritten(behaviour) },
    store: { ...otherParts.store, replica: { ...replica, tables, history } },
    memories: otherParts.memories
  }
}

const decodeObjects = (written: unknown, share: PartSharing): ReadonlyArray<KubeObject> =>
  (written as ReadonlyArray<unknown>).map((it) => decodeValue(it, share, noReference) as KubeObject)

const customKindsOf = (
  objects: ReadonlyArray<KubeObject>
): ((resource: GroupResource) => Kind | undefined) => {
  const index = makeKindIndex()
  for (const object of objects) index.update(customResourceDefinitionResource, absentObject, object)
  return index.kinds.findByResource
}
