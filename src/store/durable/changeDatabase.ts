import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readSync, statSync, writeSync } from "node:fs"
import { join } from "node:path"
import { crc32 } from "node:zlib"
import { DataRefused } from "./dataRefused.ts"
import type { DurabilityLevel } from "./durability.ts"

export interface StoredChange {
  readonly type: "ADDED" | "MODIFIED" | "DELETED"
  readonly version: number
  /** The cluster's time of the change. */
  readonly millis: number
  readonly resource: string
  readonly key: string
}

interface Row<Text> extends StoredChange {
  readonly sequence: number
  readonly object: Text
}

/** `object`: the text of the row's objects, in UTF-8. */
export type RowToStore = Row<Uint8Array<ArrayBuffer>>

/** The objects of a row with several are bytes, which take no room on the heap until they are decoded. */
export type StoredRow = Row<string | Buffer>

export interface CommittedPosition {
  readonly version: number
  /** Changes up to this version are kept only where an object still needs them. */
  readonly oldest: number
  readonly nowMillis: number
  /** The speed of the clock; 0 while it stands still. */
  readonly speed: number
}

export interface ChangeDatabase {
  readonly directory: string
  /** Undefined in a new directory. */
  readonly position: () => CommittedPosition | undefined
  readonly value: (name: string) => unknown
  /** Throws `DataRefused` for the first change that was altered. */
  readonly changes: () => IterableIterator<StoredRow>
  /** Writes the whole transaction or nothing. Throws the database's error. */
  readonly commit: (transaction: {
    /** Each row is stored before the next one is taken. */
    readonly added: Iterable<RowToStore>
    readonly removed: ReadonlyArray<number>
    readonly position: CommittedPosition
    readonly values?: Readonly<Record<string, unknown>>
  }) => void
  readonly sizeBytes: () => number
  readonly shrink: () => void
  /** Returns a few free pages to the file system. Returns whether more are left. */
  readonly shrinkStep: () => boolean
  /** Throws `DataRefused` when SQLite finds the file damaged. */
  readonly checkIntegrity: () => void
  /** For tests of a full disk: sets the most pages that the file may have. */
  readonly limitPages: (count: number) => void
  readonly close: () => void
}

type ChangeColumns = [
  sequence: number,
  version: number,
  millis: number,
  type: StoredChange["type"],
  resource: string,
  key: string,
  object: string | Uint8Array<ArrayBuffer>,
  crc: number
]

/** Raised when an older charthouse could not read the new format. */
const formatVersion = 3
const oldestReadableFormat = 2
/** "chrt", in SQLite's header. */
const applicationId = 0x63687274
const fileName = "changes.sqlite"
/** This file holds the last committed version: a database without that version has lost changes. */
const lastVersionFileName = "last-version"
const lastVersionBytes = 16
/** Most objects have some kilobytes: SQLite's default pages of 4 kB would stay half empty. */
const pageBytes = 16384
const checkpointPages = 64
/** One page in this many may stay free, for later changes. */
const pagesPerFreePage = 16
/** A step returns few pages to the file system, so that no write waits long. */
const pagesPerShrinkStep = 32

/**
 * Opens or creates a data directory; a lock of the operating system keeps other processes out. Throws `DataRefused`.
 */
export const openChangeDatabase = async (
  directory: string,
  options: {
    readonly level: DurabilityLevel
    readonly mustExist?: boolean
    readonly acceptsLostChanges?: boolean
  }
): Promise<ChangeDatabase> => {
  const refuse = (why: string): DataRefused => new DataRefused({ directory, why })
  const file = join(directory, fileName)
  const logFile = `${file}-wal`
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() === false) {
    throw refuse("it is a file, and a cluster is kept in a directory")
  }
  if (options.mustExist === true && !existsSync(file)) throw refuse("no cluster is kept there")
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw refuse(`it cannot be created: ${textOf(error)}`)
  }
  // Loaded here, so that clusters without a data directory never load it.
  const { DatabaseSync } = await loadSqlite()
  let database: InstanceType<typeof DatabaseSync>
  let isOlderFormat = false
  try {
    database = new DatabaseSync(file)
    // The file holds the token and the private key of the server.
    chmodSync(file, 0o600)
  } catch (error) {
    throw refuse(`its file cannot be opened: ${textOf(error)}`)
  }
  const refuseAndClose = (why: string): DataRefused => {
    database.close()
    return refuse(why)
  }
  try {
    database.exec(`PRAGMA page_size = ${pageBytes}; PRAGMA auto_vacuum = INCREMENTAL`)
    database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL")
    database.exec(`PRAGMA synchronous = ${options.level === "full" ? "FULL" : "OFF"}`)
    database.exec(`PRAGMA wal_autocheckpoint = ${checkpointPages}`)
    database.exec(`PRAGMA journal_size_limit = ${checkpointPages * pageBytes}`)
    // Takes the lock before the first write.
    database.exec("BEGIN IMMEDIATE; COMMIT")
  } catch (error) {
    throw refuseAndClose(refusalText(error))
  }
  const pragma = (name: string): number =>
    Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0])
  try {
    const [applicationIdFound, formatFound] = [pragma("application_id"), pragma("user_version")]
    const isNew = applicationIdFound === 0 && formatFound === 0 && tableCount(database) === 0
    if (!isNew && applicationIdFound !== applicationId)
      throw refuse(`${fileName} was not written by charthouse`)
    if (!isNew && formatFound < oldestReadableFormat) {
      throw refuse(
        `it was written by an older version of charthouse (format ${formatFound}, here ${formatVersion}): export it with that ` +
          "version (charthouse data export), and start a new directory with --snapshot"
      )
    }
    if (formatFound > formatVersion) {
      throw refuse(
        `it was written by a newer version of charthouse (format ${formatFound}, here ${formatVersion}): start that version`
      )
    }
    if (isNew) {
      database.exec(
        `BEGIN;
        CREATE TABLE changes (sequence INTEGER PRIMARY KEY, version INTEGER NOT NULL,
          millis REAL NOT NULL, type TEXT NOT NULL, resource TEXT NOT NULL, key TEXT NOT NULL,
          object TEXT NOT NULL, crc INTEGER NOT NULL) STRICT;
        CREATE TABLE state (name TEXT PRIMARY KEY, value TEXT NOT NULL, crc INTEGER NOT NULL) STRICT;
        PRAGMA application_id = ${applicationId};
        PRAGMA user_version = ${formatVersion};
        COMMIT`
      )
    }
    isOlderFormat = !isNew && formatFound < formatVersion
  } catch (error) {
    throw error instanceof DataRefused ? (database.close(), error) : refuseAndClose(refusalText(error))
  }
  const insert = database.prepare(
    "INSERT INTO changes (sequence, version, millis, type, resource, key, object, crc) VALUES (?, ?, ?, ?, ?, ?, CAST(? AS TEXT), ?)"
  )
  const remove = database.prepare("DELETE FROM changes WHERE sequence = ?")
  const replaceValue = database.prepare("INSERT OR REPLACE INTO state (name, value, crc) VALUES (?, ?, ?)")
  const begin = database.prepare("BEGIN IMMEDIATE")
  const commitTransaction = database.prepare("COMMIT")
  const readValue = database.prepare("SELECT value, crc FROM state WHERE name = ?")

  const setValue = (name: string, value: unknown): void => {
    const text = JSON.stringify(value)
    replaceValue.run(name, text, crc32(`${name}\n${text}`))
  }
  const value = (name: string): unknown => {
    const row = readValue.get(name)
    if (row === undefined) return undefined
    const text = String(row["value"])
    if (crc32(`${name}\n${text}`) !== row["crc"]) throw refuse(alteredText(`the value ${name}`))
    return JSON.parse(text) as unknown
  }
  const position = (): CommittedPosition | undefined => value("position") as CommittedPosition | undefined

  const lastVersionFile = join(directory, lastVersionFileName)
  const lastVersionDescriptor = openSync(lastVersionFile, existsSync(lastVersionFile) ? "r+" : "w+", 0o600)
  let isClosed = false
  const closeAll = (): void => {
    if (isClosed) return
    isClosed = true
    closeSync(lastVersionDescriptor)
    database.close()
  }
  try {
    const lastAnsweredVersion = readLastVersion(lastVersionDescriptor)
    const { version: storedVersion = 0, nowMillis = 0, speed = 0 } = position() ?? {}
    if (lastAnsweredVersion !== undefined && lastAnsweredVersion > storedVersion) {
      if (options.acceptsLostChanges !== true) {
        throw refuse(
          `changes after resourceVersion ${storedVersion} are lost, up to ${lastAnsweredVersion} (a power failure, or a file ` +
            `that was cut): \`charthouse data accept-loss ${directory}\` goes on without them`
        )
      }
      // Versions that clients have seen are not reused.
      setValue("position", { version: lastAnsweredVersion, oldest: lastAnsweredVersion, nowMillis, speed })
    }
  } catch (error) {
    closeAll()
    throw error instanceof DataRefused ? error : refuse(refusalText(error))
  }
  const versionText = Buffer.alloc(lastVersionBytes)
  const checkpointLog = (): void => database.exec("PRAGMA wal_checkpoint(TRUNCATE)")

  return {
    directory,
    position,
    value,
    *changes() {
      try {
        const select = database.prepare(
          `SELECT sequence, version, millis, type, resource, key,
            iif(instr(key, char(10)) > 0, CAST(object AS BLOB), object), crc FROM changes ORDER BY sequence`
        )
        // Rows as arrays are made in half the time of objects.
        select.setReturnArrays(true)
        for (const row of select.iterate()) {
          const [sequence, version, millis, type, resource, key, stored, crc] =
            row as unknown as ChangeColumns
          const object = typeof stored === "string" ? stored : Buffer.from(stored.buffer)
          const change = { sequence, version, millis, type, resource, key, object }
          if (checksumOf(change) !== crc) {
            throw refuse(alteredText(`change ${sequence} (${resource} ${key.split("\n")[0]})`))
          }
          yield change
        }
      } catch (error) {
        throw error instanceof DataRefused ? error : refuse(refusalText(error))
      }
    },
    commit: (transaction) => {
      begin.run()
      try {
        // Opening alone does not change the format, so that an older version can still read the directory.
        if (isOlderFormat) database.exec(`PRAGMA user_version = ${formatVersion}`)
        for (const sequence of transaction.removed) remove.run(sequence)
        for (const row of transaction.added) {
          const { sequence, version, millis, type, resource, key, object } = row
          insert.run(sequence, version, millis, type, resource, key, object, checksumOf(row))
        }
        for (const [name, namedValue] of Object.entries(transaction.values ?? {})) setValue(name, namedValue)
        setValue("position", transaction.position)
        commitTransaction.run()
        isOlderFormat = false
      } catch (error) {
        if (database.isTransaction) database.exec("ROLLBACK")
        throw error
      }
      // Written after the commit, so that the file is never ahead of the database.
      versionText.write(String(transaction.position.version).padEnd(lastVersionBytes), "latin1")
      writeSync(lastVersionDescriptor, versionText, 0, lastVersionBytes, 0)
    },
    sizeBytes: () => sizeOf(file) + sizeOf(logFile),
    shrink: () => {
      database.exec("VACUUM")
      checkpointLog()
    },
    shrinkStep: () => {
      if (sizeOf(logFile) > 2 * checkpointPages * pageBytes) checkpointLog()
      const surplusPages = (): number => pragma("freelist_count") - pragma("page_count") / pagesPerFreePage
      if (surplusPages() < pagesPerShrinkStep) return false
      database.exec(`PRAGMA incremental_vacuum(${pagesPerShrinkStep})`)
      if (surplusPages() >= pagesPerShrinkStep) return true
      // Only now the file itself shrinks.
      checkpointLog()
      return false
    },
    checkIntegrity: () => {
      let result: unknown
      try {
        result = Object.values(database.prepare("PRAGMA integrity_check").get() ?? {})[0]
      } catch (error) {
        throw refuse(refusalText(error))
      }
      if (result !== "ok") throw refuse(alteredText(`its file (${String(result)})`))
    },
    limitPages: (count) => database.exec(`PRAGMA max_page_count = ${count}`),
    close: closeAll
  }
}

/** Hides the warning of Node 22 that its SQLite is experimental. */
const loadSqlite = async () => {
  const original = Object.getOwnPropertyDescriptor(process, "emitWarning")
  const emitWarning = process.emitWarning.bind(process)
  process.emitWarning = (warning: string | Error, ...rest: ReadonlyArray<never>) => {
    if (!String(warning).includes("SQLite is an experimental feature")) emitWarning(warning, ...rest)
  }
  try {
    return await import("node:sqlite")
  } finally {
    if (original !== undefined) Object.defineProperty(process, "emitWarning", original)
  }
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

const tableCount = (database: { prepare: (sql: string) => { get: () => unknown } }): number =>
  (database.prepare("SELECT count(*) AS count FROM sqlite_master").get() as { count: number }).count

const checksumOf = ({
  sequence,
  version,
  millis,
  type,
  resource,
  key,
  object
}: Row<string | Uint8Array<ArrayBuffer>>): number =>
  // Two calls, since joining the texts would copy them.
  crc32(object, crc32(`${sequence}\n${version}\n${millis}\n${type}\n${resource}\n${key}\n`))

const readLastVersion = (descriptor: number): number | undefined => {
  const bytes = Buffer.alloc(lastVersionBytes)
  const count = readSync(descriptor, bytes, 0, lastVersionBytes, 0)
  const version = Number.parseInt(bytes.toString("latin1", 0, count), 10)
  return Number.isSafeInteger(version) ? version : undefined
}

const alteredText = (what: string): string =>
  `${what} is not as charthouse wrote it. Nothing has been repaired: put back a copy of the directory, or begin a new one`

const refusalText = (error: unknown): string => {
  const text = textOf(error)
  if (/locked/.test(text)) return "a running process uses it: stop that process, or use another directory"
  if (/malformed|not a database|corrupt/.test(text)) return alteredText(`its file (${text})`)
  return text
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
