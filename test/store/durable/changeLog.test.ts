import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openChangeDatabase } from "../../../src/store/durable/changeDatabase.ts"
import { keysInRow, objectTextsOf } from "../../../src/store/durable/changeRows.ts"
import { change, compact, logOf, versionsIn } from "./testLog.ts"
import type { ChangeDatabase } from "../../../src/store/durable/changeDatabase.ts"
import type { NewChange } from "../../../src/store/durable/changeLog.ts"

let directory = ""
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "charthouse-log-"))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const reopened = async <A>(read: (database: ChangeDatabase) => A): Promise<A> => {
  const database = await openChangeDatabase(directory, { level: "process" })
  try {
    return read(database)
  } finally {
    database.close()
  }
}

for (const level of ["process", "full"] as const) {
  it(`has what was committed after it is opened again, in order, and nothing else, with ${level}`, async () => {
    const database = await openChangeDatabase(directory, { level })
    const log = logOf(database)
    for (let version = 1; version <= 5; version += 1) log.add(change(version))
    log.setValue("settings", { seed: 7 })
    log.commit()
    log.add(change(6))
    database.close()
    expect(await reopened((it) => [versionsIn(it), it.position()?.version, it.value("settings")])).toEqual([
      [1, 2, 3, 4, 5],
      5,
      { seed: 7 }
    ])
  })
}

it("goes on after a full disk: what was committed stays, and what was not is committed when there is room", async () => {
  const database = await openChangeDatabase(directory, { level: "process" })
  const log = logOf(database)
  log.add(change(1))
  log.commit()
  database.limitPages(1)
  for (let version = 2; version <= 20; version += 1) log.add(change(version))
  expect(() => log.commit()).toThrow("database or disk is full")
  expect(log.isFailing()).toBe(true)
  expect(versionsIn(database)).toEqual([1])
  database.limitPages(100_000)
  log.commit()
  expect(log.isFailing()).toBe(false)
  database.close()
  expect(await reopened(versionsIn)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
})

describe("new Events of one instant", () => {
  const event = (version: number, options: Partial<NewChange<string>> = {}): NewChange<string> => ({
    type: "ADDED",
    version,
    millis: 1,
    resource: "events",
    key: `default/event-${version}`,
    object: JSON.stringify({ version }),
    ...options
  })
  const keysIn = (database: ChangeDatabase): ReadonlyArray<ReadonlyArray<string>> =>
    Array.from(database.changes(), keysInRow)
  /** The objects that a start finds. */
  const keysAfter = (database: ChangeDatabase): ReadonlyArray<string> => {
    const keys = new Set<string>()
    for (const row of database.changes()) {
      for (const key of keysInRow(row))
        if (row.type === "DELETED") keys.delete(key)
        else keys.add(key)
    }
    return [...keys]
  }

  it("share a row, which a start reads as it was written", async () => {
    const database = await openChangeDatabase(directory, { level: "process" })
    const log = logOf(database)
    for (const it of [event(1), change(2), event(3), event(4, { millis: 2 }), event(5, { millis: 2 })])
      log.add(it)
    log.commit()
    database.close()
    const rows = await reopened((it) => [...it.changes()])
    expect(rows.map((row) => [row.version, keysInRow(row), row.millis])).toEqual([
      [3, ["default/event-1", "default/event-3"], 1],
      [2, ["default/web-2"], 2],
      [5, ["default/event-4", "default/event-5"], 2]
    ])
    expect(rows.flatMap(objectTextsOf)[1]).toBe('{"version":3}')
  })

  it.each([false, true])(
    "keep their row, and the deletions of some of them, until the last is deleted (opened again: %s)",
    async (isReopened) => {
      let oldest = 0
      let database = await openChangeDatabase(directory, { level: "process" })
      let log = logOf(database, { oldestVersion: () => oldest })
      for (let version = 1; version <= 3; version += 1) log.add(event(version))
      log.commit()
      for (const [version, left] of [
        [4, ["default/event-2", "default/event-3"]],
        [5, ["default/event-3"]],
        [6, []]
      ] as const) {
        if (isReopened) {
          database.close()
          database = await openChangeDatabase(directory, { level: "process" })
          log = logOf(database, { oldestVersion: () => oldest, version: version - 1 })
        }
        log.add(event(version, { type: "DELETED", key: `default/event-${version - 3}` }))
        oldest = version
        log.commit()
        compact(log)
        expect(keysAfter(database)).toEqual(left)
      }
      expect(keysIn(database)).toEqual([])
      database.close()
    }
  )

  it("do not come back when one was changed before it was deleted", async () => {
    let oldest = 0
    const database = await openChangeDatabase(directory, { level: "process" })
    const log = logOf(database, { oldestVersion: () => oldest })
    for (const version of [1, 2]) log.add(event(version))
    log.commit()
    for (const [version, type] of [
      [3, "MODIFIED"],
      [4, "MODIFIED"],
      [5, "DELETED"]
    ] as const) {
      log.add(event(version, { type, key: "default/event-1" }))
      log.commit()
      oldest = version
      compact(log)
    }
    expect(keysAfter(database)).toEqual(["default/event-2"])
    database.close()
  })

  it("come after the deletion of an Event whose name they have", async () => {
    const database = await openChangeDatabase(directory, { level: "process" })
    const log = logOf(database)
    log.add(event(1))
    log.commit()
    log.add(event(2))
    log.add(event(3, { type: "DELETED", key: "default/event-1" }))
    log.add(event(4, { key: "default/event-1" }))
    log.commit()
    expect(Array.from(database.changes(), (row) => [row.type, ...keysInRow(row)])).toEqual([
      ["ADDED", "default/event-1"],
      ["ADDED", "default/event-2"],
      ["DELETED", "default/event-1"],
      ["ADDED", "default/event-1"]
    ])
    database.close()
  })

  it("share a row that is written once, when the first attempt fails and one of them changes before the next", async () => {
    const database = await openChangeDatabase(directory, { level: "process" })
    const log = logOf(database)
    log.commit()
    database.limitPages(1)
    for (let version = 1; version <= 20; version += 1) log.add(event(version, { object: "x".repeat(2000) }))
    expect(() => log.commit()).toThrow("database or disk is full")
    database.limitPages(100_000)
    log.add(event(21, { type: "MODIFIED", key: "default/event-1" }))
    log.commit()
    const others = Array.from({ length: 19 }, (_, index) => `default/event-${index + 2}`)
    expect(keysIn(database)).toEqual([["default/event-1"], others, ["default/event-1"]])
    database.close()
  })
})

describe("refuses a directory", () => {
  it("that an older version wrote", async () => {
    await reopened(() => {})
    const database = new DatabaseSync(join(directory, "changes.sqlite"))
    database.exec("PRAGMA user_version = 1")
    database.close()
    await expect(reopened(() => {})).rejects.toThrow(
      "it was written by an older version of charthouse (format 1"
    )
  })

  it("but opens one of the format before, whose rows have one change each", async () => {
    await reopened(() => {})
    const file = join(directory, "changes.sqlite")
    const older = new DatabaseSync(file)
    older.exec("PRAGMA user_version = 2")
    older.close()
    const formatNow = (): unknown => {
      const opened = new DatabaseSync(file)
      const format = opened.prepare("PRAGMA user_version").get()
      opened.close()
      return format
    }
    await expect(reopened(() => "open")).resolves.toBe("open")
    expect(formatNow(), "the older version may still open it").toEqual({ user_version: 2 })
    await reopened((database) => {
      const log = logOf(database)
      log.add(change(1))
      log.commit()
    })
    expect(formatNow()).toEqual({ user_version: 3 })
  })

  it("that a newer version wrote", async () => {
    await reopened(() => {})
    const database = new DatabaseSync(join(directory, "changes.sqlite"))
    database.exec("PRAGMA user_version = 99")
    database.close()
    await expect(reopened(() => {})).rejects.toThrow(
      "it was written by a newer version of charthouse (format 99"
    )
  })

  it("that belongs to another program", async () => {
    const database = new DatabaseSync(join(directory, "changes.sqlite"))
    database.exec("CREATE TABLE invoices (number INTEGER)")
    database.close()
    await expect(reopened(() => {})).rejects.toThrow("was not written by charthouse")
  })

  it("that another opening holds, until that is closed", async () => {
    const first = await openChangeDatabase(directory, { level: "process" })
    await expect(reopened(() => {})).rejects.toThrow("a running process uses it")
    first.close()
    await expect(reopened(() => "open")).resolves.toBe("open")
  })

  it.each([false, true])("that is a file (mustExist: %s)", async (mustExist) => {
    const file = join(directory, "file")
    writeFileSync(file, "")
    const opening = openChangeDatabase(file, { level: "process", mustExist })
    await expect(opening).rejects.toThrow("it is a file, and a cluster is kept in a directory")
  })

  it("that does not exist, where one must", async () => {
    const missing = openChangeDatabase(join(directory, "none"), { level: "process", mustExist: true })
    await expect(missing).rejects.toThrow("no cluster is kept there")
  })
})
