import { errorText } from "../../kubernetes/meta/text/errorText.ts"
import { chmodSync, existsSync, mkdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { DataRefused } from "./dataRefused.ts"
import type { DatabaseSync } from "node:sqlite"
import type { DurabilityLevel } from "./durability.ts"

/** Raised when an older charthouse could not read the new format. */
export const formatVersion = 3
const oldestReadableFormat = 2
/** "chrt", in SQLite's header. */
const applicationId = 0x63687274
const fileName = "changes.sqlite"
/** Most objects have some kilobytes: SQLite's default pages of 4 kB would stay half empty. */
const pageBytes = 16384
const checkpointPages = 64
export const checkpointBytes = checkpointPages * pageBytes

export const openDatabaseFile = async (
  directory: string,
  options: { readonly level: DurabilityLevel; readonly mustExist?: boolean }
): Promise<{ readonly database: DatabaseSync; readonly file: string; readonly isOlderFormat: boolean }> => {
  const refuse = (why: string): DataRefused => new DataRefused({ directory, why })
  const file = join(directory, fileName)
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() === false) {
    throw refuse("it is a file, and a cluster is kept in a directory")
  }
  if (options.mustExist === true && !existsSync(file)) throw refuse("no cluster is kept there")
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw refuse(`it cannot be created: ${errorText(error)}`)
  }
  // Loaded here, so that clusters without a data directory never load it.
  const sqlite = await loadSqlite()
  let database: DatabaseSync
  try {
    database = new sqlite.DatabaseSync(file)
    // The file holds the token and the private key of the server.
    chmodSync(file, 0o600)
  } catch (error) {
    throw refuse(`its file cannot be opened: ${errorText(error)}`)
  }
  try {
    lockDatabase(database, options.level)
    return { database, file, isOlderFormat: prepareFormat(database, refuse) }
  } catch (error) {
    database.close()
    throw toDataRefused(directory, error)
  }
}

const lockDatabase = (database: DatabaseSync, level: DurabilityLevel): void => {
  database.exec(`PRAGMA page_size = ${pageBytes}; PRAGMA auto_vacuum = INCREMENTAL`)
  database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL")
  database.exec(`PRAGMA synchronous = ${level === "full" ? "FULL" : "OFF"}`)
  database.exec(`PRAGMA wal_autocheckpoint = ${checkpointPages}`)
  database.exec(`PRAGMA journal_size_limit = ${checkpointBytes}`)
  // Takes the lock before the first write.
  database.exec("BEGIN IMMEDIATE; COMMIT")
}

/** Returns whether the file has an older format that can be read. */
const prepareFormat = (database: DatabaseSync, refuse: (why: string) => DataRefused): boolean => {
  const applicationIdFound = pragmaOf(database, "application_id")
  const formatFound = pragmaOf(database, "user_version")
  if (applicationIdFound === 0 && formatFound === 0 && tableCount(database) === 0) {
    database.exec(createTables)
    return false
  }
  if (applicationIdFound !== applicationId) throw refuse(`${fileName} was not written by charthouse`)
  if (formatFound < oldestReadableFormat) {
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
  return formatFound < formatVersion
}

const createTables = `BEGIN;
  CREATE TABLE changes (sequence INTEGER PRIMARY KEY, version INTEGER NOT NULL,
    millis REAL NOT NULL, type TEXT NOT NULL, resource TEXT NOT NULL, key TEXT NOT NULL,
    object TEXT NOT NULL, crc INTEGER NOT NULL) STRICT;
  CREATE TABLE state (name TEXT PRIMARY KEY, value TEXT NOT NULL, crc INTEGER NOT NULL) STRICT;
  PRAGMA application_id = ${applicationId};
  PRAGMA user_version = ${formatVersion};
  COMMIT`

const tableCount = (database: DatabaseSync): number =>
  (database.prepare("SELECT count(*) AS count FROM sqlite_master").get() as { count: number }).count

export const pragmaOf = (database: DatabaseSync, name: string): number =>
  Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0])

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

export const toDataRefused = (directory: string, error: unknown): DataRefused =>
  error instanceof DataRefused ? error : new DataRefused({ directory, why: databaseProblemText(error) })

export const alteredText = (what: string): string =>
  `${what} is not as charthouse wrote it. Nothing has been repaired: put back a copy of the directory, or begin a new one`

export const databaseProblemText = (error: unknown): string => {
  const text = errorText(error)
  if (/locked/.test(text)) return "a running process uses it: stop that process, or use another directory"
  if (/malformed|not a database|corrupt/.test(text)) return alteredText(`its file (${text})`)
  return text
}
