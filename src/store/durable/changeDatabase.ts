import { closeSync, existsSync, openSync, readSync, statSync, writeSync } from "node:fs"
import { join } from "node:path"
import { crc32 } from "node:zlib"
import {
  alteredText,
  checkpointBytes,
  formatVersion,
  openDatabaseFile,
  pragmaOf,
  databaseProblemText,
  toDataRefused
} from "./databaseFile.ts"
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

/** Several Events in one row are bytes, which take no room on the heap until they are decoded. */
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
    readonly removedSequences: ReadonlyArray<number>
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

/** This file holds the last committed version: a database without that version has lost changes. */
const lastVersionFileName = "last-version"
const lastVersionBytes = 16
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
  const { database, file, ...opened } = await openDatabaseFile(directory, options)
  let { isOlderFormat } = opened
  const logFile = `${file}-wal`
  const refuse = (why: string): DataRefused => new DataRefused({ directory, why })

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

  const checkLostChanges = (lastAnsweredVersion: number | undefined): void => {
    const { version: storedVersion = 0, nowMillis = 0, speed = 0 } = position() ?? {}
    if (lastAnsweredVersion === undefined || lastAnsweredVersion <= storedVersion) return
    if (options.acceptsLostChanges !== true) {
      throw refuse(
        `changes after resourceVersion ${storedVersion} are lost, up to ${lastAnsweredVersion} (a power failure, or a file ` +
          `that was cut): \`charthouse data accept-loss ${directory}\` goes on without them`
      )
    }
    // Versions that clients have seen are not reused.
    setValue("position", { version: lastAnsweredVersion, oldest: lastAnsweredVersion, nowMillis, speed })
  }

  const lastVersionFile = openLastVersionFile(directory)
  let isClosed = false
  const close = (): void => {
    if (isClosed) return
    isClosed = true
    lastVersionFile.close()
    database.close()
  }
  try {
    checkLostChanges(lastVersionFile.read())
  } catch (error) {
    close()
    throw toDataRefused(directory, error)
  }
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
        throw toDataRefused(directory, error)
      }
    },
    commit: (transaction) => {
      begin.run()
      try {
        // Opening alone does not change the format, so that an older version can still read the directory.
        if (isOlderFormat) database.exec(`PRAGMA user_version = ${formatVersion}`)
        for (const sequence of transaction.removedSequences) remove.run(sequence)
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
      lastVersionFile.write(transaction.position.version)
    },
    sizeBytes: () => sizeOf(file) + sizeOf(logFile),
    shrink: () => {
      database.exec("VACUUM")
      checkpointLog()
    },
    shrinkStep: () => {
      if (sizeOf(logFile) > 2 * checkpointBytes) checkpointLog()
      const surplusPages = (): number =>
        pragmaOf(database, "freelist_count") - pragmaOf(database, "page_count") / pagesPerFreePage
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
        throw refuse(databaseProblemText(error))
      }
      if (result !== "ok") throw refuse(alteredText(`its file (${String(result)})`))
    },
    limitPages: (count) => database.exec(`PRAGMA max_page_count = ${count}`),
    close
  }
}

const openLastVersionFile = (directory: string) => {
  const file = join(directory, lastVersionFileName)
  const descriptor = openSync(file, existsSync(file) ? "r+" : "w+", 0o600)
  const bytes = Buffer.alloc(lastVersionBytes)
  return {
    read: (): number | undefined => {
      const count = readSync(descriptor, bytes, 0, lastVersionBytes, 0)
      const version = Number.parseInt(bytes.toString("latin1", 0, count), 10)
      return Number.isSafeInteger(version) ? version : undefined
    },
    write: (version: number): void => {
      bytes.write(String(version).padEnd(lastVersionBytes), "latin1")
      writeSync(descriptor, bytes, 0, lastVersionBytes, 0)
    },
    close: (): void => closeSync(descriptor)
  }
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

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
