import * as Effect from "effect/Effect"
import { objectKeyOf, resourceVersionOf } from "../../kubernetes/meta/objects.ts"
import { errorText } from "../../kubernetes/meta/text/errorText.ts"
import { makeChangeLog } from "../../store/durable/changeLog.ts"
import { openChangeDatabase } from "../../store/durable/changeDatabase.ts"
import { historyChangesMaxFor } from "../../store/memoryStore.ts"
import { DataRefused } from "../../store/durable/dataRefused.ts"
import { makeCommitSchedule } from "./commitSchedule.ts"
import { settingsToWrite } from "../snapshots/snapshotSettings.ts"
import { readStoredCluster } from "./readStoredCluster.ts"
import { writeStoredObject } from "./storedObject.ts"
import type { ChangeDatabase, CommittedPosition } from "../../store/durable/changeDatabase.ts"
import type { CommitSchedule, DurabilityLevel } from "../../store/durable/durability.ts"
import type { ChangeLog } from "../../store/durable/changeLog.ts"
import type { ChangeRow } from "../../store/durable/changeRows.ts"
import type { Change } from "../../store/objectStore.ts"
import type { Fault } from "../../faults/fault.ts"
import type { GroupResource } from "../../kubernetes/meta/kinds.ts"
import type { EarlierChanges } from "../../recording/initialObjectEntries.ts"
import type { Key, KubeObject } from "../../kubernetes/meta/objects.ts"
import type { ServerCertificates } from "../../server/access/serverCertificates.ts"
import type { Snapshot, SnapshotSettings } from "../snapshots/snapshot.ts"

export interface StoredServing {
  readonly host: string
  readonly port: number
  readonly pagePort: number
  readonly token: string
  readonly tls: boolean
  readonly certificates?: ServerCertificates
}

export interface StoredFault {
  readonly fault: Fault
  /** Undefined for a fault that lasts until it is ended. */
  readonly endsMillis: number | undefined
}

export interface ClusterData {
  readonly directory: string
  readonly level: DurabilityLevel
  /** Undefined in a new directory. */
  readonly snapshot: Snapshot | undefined
  readonly objectCount: number
  /** The clock's last speed: 0 for a virtual clock, 1 for real time. */
  readonly speed: number
  readonly faults: ReadonlyArray<StoredFault>
  readonly serving: StoredServing | undefined
  readonly info: DirectoryInfo | undefined
  readonly sizeBytes: () => number
  /** Verifies the pages of the file; changes are verified whenever they are read. */
  readonly checkIntegrity: Effect.Effect<void, DataRefused>
  readonly compact: Effect.Effect<void, DataRefused>
  /** The stored changes from before this start, for the recording. */
  readonly earlierChanges: EarlierChanges | undefined
  readonly keepCluster: (cluster: ClusterToStore) => Durability
  readonly close: () => void
}

interface ClusterToStore {
  readonly settings: SnapshotSettings
  readonly tables: ReadonlyMap<GroupResource, ReadonlyMap<Key, KubeObject>>
  readonly version: number
  /** Changes after this version are kept for watches. */
  readonly oldestVersion: () => number
  readonly historyMillis: number
  readonly nowMillis: () => number
  readonly speed: () => number
  readonly subscribe: (listener: (change: Change) => void) => () => void
}

export interface Durability extends Pick<CommitSchedule, "commit" | "commitAtTurnEnd"> {
  readonly isFailing: () => boolean
  readonly setFaults: (faults: ReadonlyArray<StoredFault>) => void
  readonly setServing: (serving: StoredServing) => void
  readonly serving: () => StoredServing | undefined
  readonly end: () => void
}

/** Times are by the machine's clock. */
export interface DirectoryInfo {
  readonly name: string
  readonly startedMillis: number
  readonly createdMillis: number
  readonly starts: number
}

interface DataOptions {
  readonly level?: DurabilityLevel
  readonly name?: string | undefined
  readonly mustExist?: boolean
  /** Whether to continue after the loss of changes that clients have seen. */
  readonly acceptsLostChanges?: boolean
}

/** Fails with `DataRefused`, and then has changed nothing. */
export const openClusterData = (
  directory: string,
  options: DataOptions = {}
): Effect.Effect<ClusterData, DataRefused> =>
  Effect.tryPromise({
    try: async () => {
      const { level = "process", mustExist = false, acceptsLostChanges = false } = options
      const database = await openChangeDatabase(directory, { level, mustExist, acceptsLostChanges })
      try {
        return readClusterData(database, level, options.name)
      } catch (error) {
        database.close()
        throw error
      }
    },
    catch: (error) => toDataRefused(directory, error)
  })

const toDataRefused = (directory: string, error: unknown): DataRefused =>
  error instanceof DataRefused ? error : new DataRefused({ directory, why: errorText(error) })

const refuseOnError = (directory: string, action: () => void): Effect.Effect<void, DataRefused> =>
  Effect.try({ try: action, catch: (error) => toDataRefused(directory, error) })

const readClusterData = (
  database: ChangeDatabase,
  level: DurabilityLevel,
  name: string | undefined
): ClusterData => {
  const { directory } = database
  const info = database.value("directory") as DirectoryInfo | undefined
  if (info !== undefined && name !== undefined && info.name !== name) {
    const why = `it keeps the cluster ${JSON.stringify(info.name)}, not ${JSON.stringify(name)}: start with --name ${info.name}, or use another directory`
    throw new DataRefused({ directory, why })
  }
  const position = database.position()
  // A process that ended before its first commit has left nothing.
  const storedCluster =
    position === undefined ? undefined : readStoredCluster(database, position, info?.starts ?? 0)
  const storedRows = storedCluster?.rows ?? []
  return {
    directory,
    level,
    snapshot: storedCluster?.snapshot,
    earlierChanges: storedCluster?.earlierChanges,
    objectCount: [...(storedCluster?.snapshot.store.replica.tables.values() ?? [])].reduce(
      (sum, { size }) => sum + size,
      0
    ),
    speed: position?.speed ?? 0,
    faults: (database.value("faults") ?? []) as ReadonlyArray<StoredFault>,
    serving: database.value("serving") as StoredServing | undefined,
    info,
    sizeBytes: database.sizeBytes,
    checkIntegrity: refuseOnError(directory, database.checkIntegrity),
    compact: refuseOnError(directory, () => {
      if (position !== undefined) removeReplacedChanges(database, storedRows, position)
      database.shrink()
    }),
    keepCluster: (cluster) => makeDurability(database, cluster, { name, info, storedRows }),
    close: database.close
  }
}

const removeReplacedChanges = (
  database: ChangeDatabase,
  storedRows: ReadonlyArray<ChangeRow>,
  { version, oldest, nowMillis, speed }: CommittedPosition
): void => {
  const log = makeChangeLog({
    database,
    writeObject: writeStoredObject,
    stored: storedRows,
    version,
    oldestVersion: () => oldest,
    historyMillis: Number.POSITIVE_INFINITY,
    historyChangesMax: Number.POSITIVE_INFINITY,
    nowMillis: () => nowMillis,
    speed: () => speed
  })
  while (log.compactStep());
}

const makeDurability = (
  database: ChangeDatabase,
  cluster: ClusterToStore,
  {
    name,
    info,
    storedRows
  }: {
    readonly name: string | undefined
    readonly info: DirectoryInfo | undefined
    readonly storedRows: ReadonlyArray<ChangeRow>
  }
): Durability => {
  const isNew = database.position() === undefined
  // A new directory does not get the earlier changes of its objects: no watch can resume from one of them.
  const oldestMin = isNew ? cluster.version : 0
  const log: ChangeLog<KubeObject> = makeChangeLog({
    ...cluster,
    database,
    writeObject: writeStoredObject,
    stored: storedRows,
    oldestVersion: () => Math.max(cluster.oldestVersion(), oldestMin),
    historyChangesMax: historyChangesMaxFor(cluster.historyMillis)
  })
  const add = ({ type, resource, object, resourceVersion }: Change): void =>
    log.add({
      type,
      resource,
      key: objectKeyOf(object),
      version: resourceVersion,
      millis: cluster.nowMillis(),
      object
    })
  if (isNew) {
    for (const [resource, table] of cluster.tables) {
      for (const object of table.values()) {
        const resourceVersion = resourceVersionOf(object)
        add({ type: "ADDED", resource, object, old: undefined, resourceVersion })
      }
    }
  }
  let serving = database.value("serving") as StoredServing | undefined
  log.setValue("settings", settingsToWrite(cluster.settings))
  log.setValue("directory", {
    name: info?.name ?? name ?? "charthouse",
    createdMillis: info?.createdMillis ?? Date.now(),
    startedMillis: Date.now(),
    starts: (info?.starts ?? 0) + 1
  } satisfies DirectoryInfo)
  const schedule = makeCommitSchedule(database.directory, log)
  const unsubscribe = cluster.subscribe((change) => {
    add(change)
    schedule.changeAdded()
  })
  return {
    commit: schedule.commit,
    commitAtTurnEnd: schedule.commitAtTurnEnd,
    isFailing: log.isFailing,
    setFaults: (faults) => log.setValue("faults", faults),
    setServing: (next) => {
      serving = next
      log.setValue("serving", next)
    },
    serving: () => serving,
    end: () => {
      schedule.end()
      unsubscribe()
      database.close()
    }
  }
}
