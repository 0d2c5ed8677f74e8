import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { openChangeDatabase } from "../../../src/store/durable/changeDatabase.ts"
import { makeChangeLog } from "../../../src/store/durable/changeLog.ts"
import { keysInRow, objectTextsOf, toChangeRow } from "../../../src/store/durable/changeRows.ts"
import type { ChangeDatabase } from "../../../src/store/durable/changeDatabase.ts"

/** `write`: creates, changes or deletes the object with this number, whichever is possible. */
type Step =
  | {
      readonly verb: "write"
      readonly resource: "events" | "pods"
      readonly number: number
      readonly deletes: boolean
    }
  | { readonly verb: "commit" | "compact" | "reopen" | "nextInstant" | "nextMinute" }
  | { readonly verb: "forget"; readonly changes: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      verb: fc.constant("write" as const),
      resource: fc.constantFrom("events" as const, "pods" as const),
      number: fc.integer({ min: 1, max: 3 }),
      deletes: fc.boolean()
    })
  },
  {
    weight: 5,
    arbitrary: fc.record({
      verb: fc.constantFrom("commit", "compact", "reopen", "nextInstant", "nextMinute" as const)
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({ verb: fc.constant("forget" as const), changes: fc.integer({ min: 0, max: 6 }) })
  }
)

interface Written {
  readonly type: "ADDED" | "MODIFIED" | "DELETED"
  readonly version: number
  readonly key: string
  readonly text: string
}

const versionOf = (text: string): number => Number(text.split(" ")[1])

const objectsIn = (database: ChangeDatabase, version = Infinity): ReadonlyMap<string, string> => {
  const objects = new Map<string, string>()
  for (const row of database.changes()) {
    const texts = objectTextsOf(row)
    for (const [index, name] of keysInRow(row).entries()) {
      const key = `${row.resource} ${name}`
      if (versionOf(texts[index] ?? "") > version) continue
      if (row.type === "DELETED") objects.delete(key)
      else objects.set(key, texts[index] ?? "")
    }
  }
  return objects
}

const objectsAfter = (changes: ReadonlyArray<Written>): ReadonlyMap<string, string> => {
  const objects = new Map<string, string>()
  for (const { type, key, text } of changes) {
    if (type === "DELETED") objects.delete(key)
    else objects.set(key, text)
  }
  return objects
}

const sorted = (objects: ReadonlyMap<string, string>) => [...objects].sort(([a], [b]) => (a < b ? -1 : 1))

it("finds, opened again at any time, what was committed, and every change that a watch may ask for", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 80, size: "max" }), async (steps) => {
      const directory = mkdtempSync(join(tmpdir(), "charthouse-laws-"))
      let [oldest, millis] = [0, 0]
      const written: Array<Written> = []
      const present = new Set<string>()
      const open = async () => {
        const database = await openChangeDatabase(directory, { level: "process" })
        const log = makeChangeLog({
          database,
          writeObject: (text: string, write) => write(text),
          stored: Array.from(database.changes(), toChangeRow),
          oldestVersion: () => oldest,
          historyMillis: Number.POSITIVE_INFINITY,
          historyChangesMax: 20,
          // Some twenty changes.
          historyBytesMin: 2500,
          nowMillis: () => millis,
          speed: () => 0,
          version: written.length
        })
        return { database, log }
      }
      let { database, log } = await open()
      const check = (): void => {
        expect(sorted(objectsIn(database))).toEqual(sorted(objectsAfter(written)))
        const kept = database.position()?.oldest ?? 0
        // What the first of these changes replaces, for watches with a selector and for recordings.
        expect(sorted(objectsIn(database, kept))).toEqual(sorted(objectsAfter(written.slice(0, kept))))
        const texts = new Set(Array.from(database.changes(), objectTextsOf).flat())
        for (const { version, text } of written) if (version > kept) expect(texts).toContain(text)
      }
      try {
        for (const it of steps) {
          switch (it.verb) {
            case "write": {
              const name = `default/${it.resource}-${it.number}`
              const key = `${it.resource} ${name}`
              const version = written.length + 1
              const type = !present.has(key) ? "ADDED" : it.deletes ? "DELETED" : "MODIFIED"
              if (type === "DELETED") present.delete(key)
              else present.add(key)
              const text = `${type} ${version}`
              log.add({ type, version, millis, resource: it.resource, key: name, object: text })
              written.push({ type, version, key, text })
              break
            }
            case "nextInstant":
              millis += 1
              break
            case "nextMinute":
              millis += 60_000
              break
            case "forget":
              oldest = Math.max(oldest, written.length - it.changes)
              break
            case "compact":
              log.commit()
              while (log.compactStep());
              check()
              break
            case "commit":
              log.commit()
              check()
              break
            case "reopen":
              log.commit()
              database.close()
              ;({ database, log } = await open())
              check()
          }
        }
      } finally {
        database.close()
        rmSync(directory, { recursive: true, force: true })
      }
    }),
    { numRuns: 200, seed: 22 }
  )
})
