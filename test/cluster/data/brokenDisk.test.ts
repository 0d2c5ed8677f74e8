import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { StatementSync, type SQLInputValue } from "node:sqlite"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openCluster } from "../../../src/cluster/openCluster.ts"
import type { OpenCluster } from "../../../src/cluster/openCluster.ts"

let root = ""
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "charthouse-broken-"))
})
afterEach(() => {
  mendDisk()
  rmSync(root, { recursive: true, force: true })
})

/** From now on, every statement that begins so fails as SQLite does when the file's layer has failed. */
const breakDisk = (statement: string, message: string): void => {
  StatementSync.prototype.run = function (this: StatementSync, ...values: ReadonlyArray<SQLInputValue>) {
    if (this.sourceSQL.startsWith(statement)) throw new Error(message)
    return run.apply(this, values as Parameters<typeof run>)
  } as typeof run
}
const run = Reflect.get(StatementSync.prototype, "run") as StatementSync["run"]
const mendDisk = (): void => {
  StatementSync.prototype.run = run
}

const configMaps = "http://charthouse/api/v1/namespaces/default/configmaps"

const create = async (cluster: OpenCluster, name: string): Promise<{ code: number; body: string }> => {
  const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } })
  const headers = { "content-type": "application/json" }
  const response = await cluster.fetch(configMaps, { method: "POST", headers, body })
  return { code: response.status, body: await response.text() }
}

const namesIn = async (cluster: OpenCluster): Promise<ReadonlyArray<string>> => {
  const { items } = await cluster.list("configmaps", { namespace: "default" })
  return items.map(({ metadata }) => metadata.name).filter((name) => !name.endsWith(".crt"))
}

const afterKill = async (data: string): Promise<ReadonlyArray<string>> => {
  const copy = mkdtempSync(join(root, "killed-"))
  cpSync(data, copy, { recursive: true })
  await using cluster = await openCluster({ data: copy })
  return namesIn(cluster)
}

describe.each([
  { fault: "a full disk", statement: "INSERT INTO changes", message: "database or disk is full" },
  { fault: "a disk error", statement: "BEGIN", message: "disk I/O error" },
  { fault: "a failing fsync", statement: "COMMIT", message: "disk I/O error" },
  {
    fault: "a file system that becomes read-only",
    statement: "COMMIT",
    message: "attempt to write a readonly database"
  }
])("on $fault", ({ statement, message }) => {
  for (const durability of ["process", "full"] as const) {
    it(`answers 500 with the reason, keeps what was answered, and goes on when it is mended, with ${durability}`, async () => {
      const data = join(root, "data")
      await using cluster = await openCluster({ data, durability })
      expect(await create(cluster, "before")).toMatchObject({ code: 201 })
      breakDisk(statement, message)
      const refused = await create(cluster, "during")
      expect(refused.code).toBe(500)
      expect(JSON.parse(refused.body)).toMatchObject({
        reason: "InternalError",
        message: expect.stringContaining(`the data directory ${data} cannot be written: ${message}. `)
      })
      expect((await cluster.fetch(configMaps)).status).toBe(500)
      // Not begun: it is refused before it changes anything.
      expect(await create(cluster, "later")).toMatchObject({ code: 500 })
      mendDisk()
      expect(await afterKill(data)).toEqual(["before"])
      expect(await create(cluster, "after")).toMatchObject({ code: 201 })
      expect(await namesIn(cluster)).toEqual(["after", "before", "during"])
      expect(await afterKill(data)).toEqual(["after", "before", "during"])
    })
  }
})
