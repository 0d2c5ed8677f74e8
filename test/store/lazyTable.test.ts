import { expect, it } from "vitest"
import { copyTable, LazyTable, UnreadObject } from "../../src/store/lazyTable.ts"
import type { KubeObject } from "../../src/kubernetes/meta/objects.ts"

const objectNamed = (name: string): KubeObject => ({
  apiVersion: "v1",
  kind: "Event",
  metadata: { name, uid: name, resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z" }
})

const tableOf = (names: ReadonlyArray<string>) => {
  const read: Array<string> = []
  const table = new LazyTable()
  for (const name of names) {
    const decode = (): KubeObject => (read.push(name), objectNamed(name))
    table.setUnread(name, new UnreadObject(decode, 0))
  }
  return { table, read }
}

it("reads an object when it is asked for, and no other", () => {
  const { table, read } = tableOf(["a", "b", "c"])
  expect(table.get("b")).toEqual(objectNamed("b"))
  expect(table.get("b")).toBe(table.get("b"))
  expect(table.get("d")).toBeUndefined()
  expect([table.size, table.has("a"), table.has("d")]).toEqual([3, true, false])
  expect(read).toEqual(["b"])
})

it("shows all objects to whatever goes through them", () => {
  for (const namesIn of [
    (table: LazyTable) => [...table].map(([key]) => key),
    (table: LazyTable) => [...table.keys()],
    (table: LazyTable) => Array.from(table.values(), ({ metadata }) => metadata.name),
    (table: LazyTable) => {
      const names: Array<string> = []
      table.forEach((_object, key) => names.push(key))
      return names
    }
  ]) {
    expect(namesIn(tableOf(["a", "b"]).table).toSorted()).toEqual(["a", "b"])
  }
})

it("shares what is read with its copies, and nothing else", () => {
  const { table, read } = tableOf(["a", "b", "c"])
  const copy = copyTable(table)
  expect(copy.get("a")).toBe(table.get("a"))
  expect(table.delete("b")).toBe(true)
  table.set("c", objectNamed("changed"))
  expect(table.get("b")).toBeUndefined()
  expect([table.size, copy.size]).toEqual([2, 3])
  expect(copy.get("c")?.metadata.name).toBe("c")
  expect(read).toEqual(["a", "c"])
})
