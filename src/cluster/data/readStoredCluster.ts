import { resourceVersionOf } from "../../kubernetes/meta/objects.ts"
import { customResourceDefinitionResource } from "../../kubernetes/customResources/definitions.ts"
import { resources, type GroupResource } from "../../kubernetes/meta/kinds.ts"
import { makeKindIndex } from "../../store/indexes/kindIndex.ts"
import { makeServiceAddresses } from "../../store/indexes/serviceAddresses.ts"
import { copyTable, LazyTable, UnreadObject } from "../../store/lazyTable.ts"
import { eventLifetimeMillis, snapshotPartsOfEvents } from "../../controllers/eventRecorder.ts"
import { clockSaveIntervalMillis } from "../../store/durable/changeLog.ts"
import { keysInRow, objectTextsOf, toChangeRow } from "../../store/durable/changeRows.ts"
import { behaviourFromWritten } from "../snapshots/snapshotSettings.ts"
import { makePartSharing } from "../snapshots/snapshotValues.ts"
import { makeObjectDecoder } from "./storedObject.ts"
import { absentObject } from "../../store/indexes/objectIndex.ts"
import type { KindIndex } from "../../store/indexes/kindIndex.ts"
import type { ChangeDatabase, CommittedPosition, StoredRow } from "../../store/durable/changeDatabase.ts"
import type { ChangeRow } from "../../store/durable/changeRows.ts"
import type { Change } from "../../store/objectStore.ts"
import type { EarlierChanges } from "../../recording/initialObjectEntries.ts"
import type { Key, KubeObject } from "../../kubernetes/meta/objects.ts"
import type { Snapshot } from "../snapshots/snapshot.ts"
import type { WrittenSettings } from "../snapshots/snapshotSettings.ts"

interface StoredCluster {
  /** Of the controllers' state, it has only when Events expire: controllers read the objects anew. */
  readonly snapshot: Snapshot
  readonly earlierChanges: EarlierChanges
  readonly rows: ReadonlyArray<ChangeRow>
}

/** `starts`: how often a cluster was started with this data before. */
export const readStoredCluster = (
  database: ChangeDatabase,
  position: CommittedPosition,
  starts: number
): StoredCluster => {
  const { version, oldest } = position
  const definitions = makeKindIndex()
  const stored: StoredObjects = {
    decode: makeObjectDecoder(makePartSharing(), definitions.kinds.findByResource),
    definitions,
    tables: new Map(),
    eventExpiries: new Map(),
    historyChanges: []
  }
  const rows: Array<ChangeRow> = []
  for (const row of database.changes()) {
    rows.push(toChangeRow(row))
    readRow(stored, row, oldest)
  }
  const { tables } = stored
  const initialTables = new Map(Array.from(tables, ([resource, table]) => [resource, copyTable(table)]))
  const { changes, times } = applyHistory(stored)
  // While the clock ran, clients may have seen a time after the last stored one.
  const nowMillis = position.nowMillis + (position.speed === 0 ? 0 : clockSaveIntervalMillis)
  const addresses = makeServiceAddresses()
  for (const service of tables.get(resources.services)?.values() ?? [])
    addresses.update(resources.services, absentObject, service)
  const settings = database.value("settings") as WrittenSettings
  const { behaviour, ...others } = settings
  const snapshot: Snapshot = {
    nowMillis,
    settings: { ...others, behaviour: behaviourFromWritten(behaviour) },
    kernel: { sequence: 0 },
    store: {
      seed: settings.seed,
      replica: { version, tables, history: { changes, oldest } },
      addresses: addresses.save(),
      // The store seeds its generators of names and uids from the seed and these two numbers, so that no name recurs.
      identities: [[version, starts]]
    },
    memories: new Map([snapshotPartsOfEvents(stored.eventExpiries, { version, nowMillis })])
  }
  return {
    snapshot,
    earlierChanges: {
      initialObjects: (resource) => initialTables.get(resource) ?? noObjects,
      changes,
      times
    },
    rows
  }
}

interface StoredObjects {
  readonly decode: (text: string) => KubeObject
  readonly definitions: KindIndex
  readonly tables: Map<GroupResource, Map<Key, KubeObject>>
  /** In the order in which the Events expire. */
  readonly eventExpiries: Map<Key, number>
  /** Applied last: watches may ask for them. */
  readonly historyChanges: Array<UnappliedChange>
}

interface UnappliedChange {
  readonly row: StoredRow
  readonly key: Key
  readonly version: number
  readonly object: UnreadObject
}

/** A row is the change of one object, or the changes of several Events. */
const readRow = (stored: StoredObjects, row: StoredRow, oldest: number): void => {
  const [keys, table] = [keysInRow(row), tableOf(stored, row.resource)]
  // Unread objects keep `decodeAt`, which must not keep `stored`.
  const { decode } = stored
  let texts: ReadonlyArray<string> | undefined
  const decodeAt = (index: number): KubeObject => decode((texts ??= objectTextsOf(row))[index] ?? "")
  const isInHistory = row.version > oldest
  const isUnread =
    !isInHistory && row.type !== "DELETED" && table instanceof LazyTable && isUnindexed(row.object)
  let index = 0
  for (const key of keys) {
    const object = new UnreadObject(decodeAt, index)
    index += 1
    // A row of several Events has their highest version.
    const version = keys.length > 1 && isInHistory ? resourceVersionOf(object.read()) : row.version
    if (version > oldest) {
      stored.historyChanges.push({ row, key, version, object })
    } else if (isUnread) {
      noteEventTime(stored, row, key)
      table.setUnread(key, object)
    } else {
      applyChange(stored, row, key, object.read())
    }
  }
}

/** Events are many and seldom read: they are decoded when they are read. */
const tableOf = ({ tables }: StoredObjects, resource: GroupResource): Map<Key, KubeObject> => {
  const present = tables.get(resource)
  if (present !== undefined) return present
  const table = resource === resources.events ? new LazyTable() : new Map<Key, KubeObject>()
  tables.set(resource, table)
  return table
}

const applyChange = (stored: StoredObjects, row: StoredRow, key: Key, object: KubeObject): void => {
  const { type, resource } = row
  const table = tableOf(stored, resource)
  noteEventTime(stored, row, key)
  if (resource === customResourceDefinitionResource)
    stored.definitions.update(resource, table.get(key), type === "DELETED" ? absentObject : object)
  if (type === "DELETED") table.delete(key)
  else table.set(key, object)
}

const noteEventTime = (
  { eventExpiries }: StoredObjects,
  { type, resource, millis }: StoredRow,
  key: Key
): void => {
  if (resource !== resources.events) return
  // A later write moves an Event to the end.
  eventExpiries.delete(key)
  if (type !== "DELETED") eventExpiries.set(key, millis + eventLifetimeMillis)
}

const applyHistory = (stored: StoredObjects) => {
  const changes: Array<Change> = []
  const times: Array<number> = []
  stored.historyChanges.sort((a, b) => a.version - b.version)
  for (const { row, key, version: resourceVersion, object: unread } of stored.historyChanges) {
    const { type, resource, millis } = row
    const object = unread.read()
    changes.push({ type, resource, object, old: stored.tables.get(resource)?.get(key), resourceVersion })
    times.push(millis)
    applyChange(stored, row, key, object)
  }
  return { changes, times }
}

const noObjects: ReadonlyMap<Key, KubeObject> = new Map()

/** Whether the object is in no index, and so can stay undecoded. */
const isUnindexed = (text: string | Buffer): boolean => !text.includes('"ownerReferences"')
