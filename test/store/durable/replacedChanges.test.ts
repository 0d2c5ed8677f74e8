import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { openChangeDatabase } from "../../../src/store/durable/changeDatabase.ts"
import { change, compact, logOf, versionsIn } from "./testLog.ts"

let directory = ""
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "charthouse-log-"))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

it("removes replaced changes that no watch can ask for, and keeps the latest of each object", async () => {
  const database = await openChangeDatabase(directory, { level: "process" })
  let oldest = 0
  const log = logOf(database, { oldestVersion: () => oldest })
  for (let version = 1; version <= 9; version += 1) log.add(change(version))
  log.add(change(10, { type: "DELETED" }))
  log.commit()
  expect(versionsIn(database)).toHaveLength(10)
  oldest = 8
  log.add(change(11))
  log.commit()
  compact(log)
  // Of web-0: 6, which 9 replaces after version 8. Of web-1: 7, which 10 deletes, and 10.
  expect(versionsIn(database)).toEqual([6, 7, 8, 9, 10, 11])
  oldest = 11
  log.add(change(12))
  log.commit()
  compact(log)
  expect(versionsIn(database)).toEqual([9, 11, 12])
  database.close()
})

it("keeps replaced changes for the history that is asked for, by the cluster's clock", async () => {
  const database = await openChangeDatabase(directory, { level: "process" })
  let nowMillis = 0
  const log = logOf(database, { historyMillis: 4, nowMillis: () => nowMillis })
  for (let version = 1; version <= 9; version += 1) log.add(change(version))
  log.commit()
  nowMillis = 10
  compact(log)
  // At 6 or later: 3 was replaced by 6, and what it replaced is too old.
  expect(versionsIn(database)).toEqual([3, 4, 5, 6, 7, 8, 9])
  expect(database.position()?.oldest).toBe(5)
  database.close()
})

it("keeps no more of replaced changes than the bound, and gives the room of the others back", async () => {
  const database = await openChangeDatabase(directory, { level: "process" })
  const log = logOf(database, { historyBytesMin: 1024 * 1024 })
  const rowsMax = 1024
  const count = 4 * rowsMax
  for (let version = 1; version <= count; version += 1) {
    log.add(change(version, { object: "x".repeat(1024) }))
    if (version % 64 === 0) log.commit()
  }
  compact(log)
  const versions = versionsIn(database)
  expect(versions.at(-1)).toBe(count)
  expect(versions.length).toBeLessThan(rowsMax)
  expect(database.position()?.oldest).toBe(versions[2])
  expect(database.sizeBytes()).toBeLessThan(3 * 1024 * 1024)
  database.close()
})

it("removes changes with a commit only when they take up twice the room of the history", async () => {
  const database = await openChangeDatabase(directory, { level: "process" })
  let oldest = 0
  const log = logOf(database, { oldestVersion: () => oldest, historyBytesMin: 20_000 })
  const counts: Array<number> = []
  for (let version = 1; version <= 30; version += 1) {
    log.add(change(version))
    oldest = version
    log.commit()
    counts.push(versionsIn(database).length)
  }
  // Of 2 kB each: three objects, and 40 kB of what was replaced.
  expect(Math.max(...counts)).toBe(21)
  expect(counts.at(-1)).toBeLessThan(21)
  compact(log)
  expect(versionsIn(database)).toEqual([28, 29, 30])
  database.close()
})

it("stores a deletion that is older than the history when it is committed: the object would come back", async () => {
  const database = await openChangeDatabase(directory, { level: "process" })
  let oldest = 0
  const log = logOf(database, { oldestVersion: () => oldest })
  log.add(change(1, { type: "ADDED" }))
  log.commit()
  log.add(change(4, { type: "DELETED" }))
  oldest = 9
  log.commit()
  expect(Array.from(database.changes(), ({ type, version }) => [type, version])).toEqual([
    ["ADDED", 1],
    ["DELETED", 4]
  ])
  compact(log)
  expect(versionsIn(database)).toEqual([])
  database.close()
})

it("gives the room of a large transaction back once nothing needs it", async () => {
  const database = await openChangeDatabase(directory, { level: "process" })
  let oldest = 0
  const log = logOf(database, { oldestVersion: () => oldest })
  for (let version = 1; version <= 4000; version += 1) log.add(change(version))
  log.commit()
  expect(database.sizeBytes()).toBeGreaterThan(8_000_000)
  oldest = 4000
  compact(log)
  expect(versionsIn(database)).toEqual([3998, 3999, 4000])
  expect(database.sizeBytes()).toBeLessThan(1_500_000)
  database.close()
})

it("stores only what a commit leaves of an object while the whole history comes within a second", async () => {
  const database = await openChangeDatabase(directory, { level: "process" })
  const log = logOf(database, { historyChangesMax: 10 })
  const addUntil = (last: number, millis: number): void => {
    for (let version = last - 5; version <= last; version += 1) log.add(change(version, { millis }))
    log.commit()
  }
  addUntil(6, 0)
  // Six changes of three objects within a second, and then six more.
  expect(versionsIn(database)).toEqual([1, 2, 3, 4, 5, 6])
  expect(database.position()?.oldest).toBe(0)
  addUntil(12, 900)
  expect(versionsIn(database)).toEqual([1, 2, 3, 4, 5, 6, 10, 11, 12])
  // A watch that has seen version 12 goes on; one that has not gets 410.
  expect(database.position()?.oldest).toBe(12)
  addUntil(18, 1500)
  expect(versionsIn(database).slice(-3)).toEqual([16, 17, 18])
  addUntil(24, 4000)
  expect(versionsIn(database).slice(-6)).toEqual([19, 20, 21, 22, 23, 24])
  expect(database.position()?.oldest).toBe(18)
  compact(log)
  expect(versionsIn(database)).toEqual([16, 17, 18, 19, 20, 21, 22, 23, 24])
  database.close()
})

it("keeps the history of a burst in which nothing was left out, deletions included", async () => {
  const database = await openChangeDatabase(directory, { level: "process" })
  const log = logOf(database, { historyChangesMax: 2 })
  for (let version = 1; version <= 6; version += 1) {
    log.add(change(version, { millis: 0, type: version > 3 ? "DELETED" : "ADDED" }))
    if (version % 3 === 0) log.commit()
  }
  expect(versionsIn(database)).toEqual([1, 2, 3, 4, 5, 6])
  expect(database.position()?.oldest).toBe(0)
  database.close()
})

it("does not store what was replaced before it was stored, beyond the history", async () => {
  const database = await openChangeDatabase(directory, { level: "process" })
  const log = logOf(database, { oldestVersion: () => 8 })
  for (let version = 1; version <= 9; version += 1) log.add(change(version))
  log.commit()
  expect(versionsIn(database)).toEqual([6, 7, 8, 9])
  database.close()
})
