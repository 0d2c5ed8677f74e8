import { describe, expect, it } from "vitest"
import { jsonPatch, mergePatch } from "../../../../src/kubernetes/apply/patches/jsonPatches.ts"
import { deepFrozen } from "../../admission/drafts.ts"

const requestError = "the server rejected our request due to an error in our request"

const patchedValue = (target: unknown, operations: unknown): unknown => {
  const result = jsonPatch(deepFrozen(target), deepFrozen(operations))
  return result.ok ? result.value : result.message
}

describe("a JSON patch", () => {
  const target = { spec: { replicas: 3, paths: ["a", "b"], volumes: [{ name: "v" }, { name: "w" }] } }

  it.each([
    {
      why: "adds null for a value that is missing",
      operations: [{ op: "add", path: "/a" }],
      value: { ...target, a: null }
    },
    {
      why: "copies a map into itself",
      operations: [
        { op: "add", path: "/a", value: { b: 1 } },
        { op: "copy", from: "/a", path: "/a/c" }
      ],
      value: { ...target, a: { b: 1, c: { b: 1 } } }
    },
    {
      why: "copies null and a string",
      operations: [
        { op: "add", path: "/a", value: null },
        { op: "add", path: "/b", value: "text" },
        { op: "copy", from: "/a", path: "/c" },
        { op: "copy", from: "/b", path: "/d" }
      ],
      value: { ...target, a: null, b: "text", c: null, d: "text" }
    }
  ])("$why", ({ operations, value }) => {
    expect(patchedValue(target, operations)).toStrictEqual(value)
  })

  it.each([
    {
      why: "a move into itself",
      operation: { op: "move", from: "/spec/volumes/0", path: "/spec/volumes/0/x" }
    },
    {
      why: "a move beyond the end of the shortened list",
      operation: { op: "move", from: "/spec/paths/0", path: "/spec/paths/2" }
    },
    {
      why: "a copy to a missing parent",
      operation: { op: "copy", from: "/spec/replicas", path: "/gone/here" }
    },
    {
      why: "a copy beyond the end",
      operation: { op: "copy", from: "/spec/replicas", path: "/spec/paths/9" }
    },
    {
      why: "an addition to the end of a number",
      operation: { op: "add", path: "/spec/replicas/-", value: 1 }
    },
    {
      why: "a path through __proto__",
      operation: { op: "add", path: "/spec/__proto__/polluted", value: true }
    },
    {
      why: "a path through the constructor of a list",
      operation: { op: "add", path: "/spec/paths/constructor/x", value: 1 }
    },
    { why: "a pointer without a leading slash", operation: { op: "remove", path: "xspec" } },
    {
      why: "a copy of an inherited property",
      operation: { op: "copy", from: "/spec/toString", path: "/spec/x" }
    },
    {
      why: "a test of an inherited property",
      operation: { op: "test", path: "/spec/constructor", value: {} }
    }
  ])("rejects $why", ({ operation }) => {
    expect(patchedValue(target, [operation])).toBe(requestError)
    expect(Reflect.get({}, "polluted")).toBe(undefined)
  })

  it.each([
    {
      why: "a null operation",
      operations: [null],
      message: requestError
    },
    {
      why: "a value of 600 levels",
      operations: [
        { op: "add", path: "/spec/x", value: JSON.parse(`${"[".repeat(600)}${"]".repeat(600)}`) as unknown }
      ],
      message: "the patch is nested more than 500 levels deep"
    },
    {
      why: "an operation without op",
      operations: [{ path: "/spec" }],
      message: requestError
    },
    {
      why: "an operation that is a number",
      operations: [5],
      message: "json: cannot unmarshal number into Go value of type jsonpatch.Operation"
    },
    {
      why: "a patch that is an object",
      operations: {},
      message: "json: cannot unmarshal object into Go value of type jsonpatch.Patch"
    },
    {
      why: "an object in place of all",
      operations: [{ op: "add", path: "", value: {} }],
      message: requestError
    }
  ])("rejects $why", ({ operations, message }) => {
    expect(patchedValue(target, operations)).toBe(message)
  })

  it("returns the same document when nothing changes", () => {
    const operations = [
      { op: "replace", path: "/spec/replicas", value: 3 },
      { op: "replace", path: "/spec/paths/0", value: "a" }
    ]
    expect(patchedValue(target, operations)).toBe(target)
  })

  it("sets keys with the names of inherited properties", () => {
    const operations = [
      { op: "add", path: "/spec/toString", value: "x" },
      { op: "add", path: "/spec/constructor", value: "y" }
    ]
    expect(JSON.stringify(patchedValue({ spec: {} }, operations))).toBe(
      '{"spec":{"toString":"x","constructor":"y"}}'
    )
  })

  it("does not reach the prototype", () => {
    const operations: unknown = JSON.parse(
      '[{"op":"add","path":"/__proto__/polluted","value":1},{"op":"add","path":"/__proto__","value":{"polluted":1}}]'
    )
    for (const operation of operations as ReadonlyArray<unknown>) {
      expect(patchedValue({}, [operation])).toBe(requestError)
    }
    expect(Reflect.get({}, "polluted")).toBe(undefined)
  })

  it.each(["prototype"])("treats %s as an ordinary key", (key) => {
    const operations: unknown = JSON.parse(
      `[{"op":"add","path":"/${key}","value":{"polluted":{"${key}":1}}},
        {"op":"test","path":"/${key}/polluted/${key}","value":1},
        {"op":"copy","from":"/${key}","path":"/a"},
        {"op":"replace","path":"/a/polluted/${key}","value":2},
        {"op":"move","from":"/${key}","path":"/b"}]`
    )
    expect(JSON.stringify(patchedValue({}, operations))).toBe(
      `{"a":{"polluted":{"${key}":2}},"b":{"polluted":{"${key}":1}}}`
    )
    expect(Reflect.get({}, "polluted")).toBe(undefined)
  })

  it("copies less than a hundred thousand values, lists and maps included", () => {
    const copied = (length: number): unknown =>
      patchedValue({ a: Array.from({ length }, () => 1) }, [{ op: "copy", from: "/a", path: "/b" }])
    expect(copied(99_998)).toHaveProperty("b.length", 99_998)
    expect(copied(99_999)).toBe(requestError)
    const twice = [
      { op: "copy", from: "/a", path: "/b" },
      { op: "copy", from: "/a", path: "/c" }
    ]
    expect(patchedValue({ a: Array.from({ length: 49_998 }, () => 1) }, twice)).toHaveProperty(
      "c.length",
      49_998
    )
    expect(patchedValue({ a: Array.from({ length: 49_999 }, () => 1) }, twice)).toBe(requestError)
  })
})

describe("a merge patch", () => {
  it("rejects a value that is too deep, beside others that are not", () => {
    const deep = `${'{"a":'.repeat(501)}1${"}".repeat(501)}`
    const result = mergePatch({}, JSON.parse(`{"a": {"b": 1}, "c": ${deep}}`))
    expect(result.ok ? "accepted" : result.message).toBe("the patch is nested more than 500 levels deep")
  })
})
