import { expect, it } from "vitest"
import { evaluateJsonPath } from "../../../src/server/tables/jsonPath.ts"

const object = { sizes: [1, 2], named: [{ name: "a", size: 3 }, { name: "b" }], "a.b": { c: 4, d: 5 } }

it.each<[path: string, found: ReadonlyArray<unknown>]>([
  [".sizes[0]", [1]],
  [".sizes[-1]", [2]],
  [".sizes[-2]", [1]],
  [".sizes[2]", []],
  [".sizes[-3]", []],
  [".named[0][0]", []],
  [".sizes[*]", [1, 2]],
  [".sizes.*", [1, 2]],
  ["['a.b'].*", [4, 5]],
  [String.raw`.a\.b.c`, [4]],
  ['.named[?(@.name=="a")].size', [3]],
  [".sizes[", []]
])("a JSONPath finds values: %s", (path, found) => {
  expect(evaluateJsonPath(object, path)).toEqual(found)
})
