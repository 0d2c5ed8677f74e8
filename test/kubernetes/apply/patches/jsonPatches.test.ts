import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { jsonPatch, mergePatch, applyPatch } from "../../../../src/kubernetes/apply/patches/jsonPatches.ts"
import { aDeployment, valueAt, edited, deepFrozen } from "../../admission/drafts.ts"
import type { KubeObject } from "../../../../src/kubernetes/meta/objects.ts"

const requestError = "the server rejected our request due to an error in our request"

const mergedValue = (target: unknown, patch: unknown): unknown => {
  const result = mergePatch(deepFrozen(target), deepFrozen(patch))
  return result.ok ? result.value : result.message
}

describe("a merge patch", () => {
  // The examples of RFC 7386, appendix A.
  it.each([
    { target: { a: "b" }, patch: { a: "c" }, value: { a: "c" } },
    { target: { a: "b" }, patch: { b: "c" }, value: { a: "b", b: "c" } },
    { target: { a: "b" }, patch: { a: null }, value: {} },
    { target: { a: "b", b: "c" }, patch: { a: null }, value: { b: "c" } },
    { target: { a: ["b"] }, patch: { a: "c" }, value: { a: "c" } },
    { target: { a: "c" }, patch: { a: ["b"] }, value: { a: ["b"] } },
    { target: { a: { b: "c" } }, patch: { a: { b: "d", c: null } }, value: { a: { b: "d" } } },
    { target: { a: [{ b: "c" }] }, patch: { a: [1] }, value: { a: [1] } },
    { target: ["a", "b"], patch: ["c", "d"], value: ["c", "d"] },
    { target: { a: "b" }, patch: ["c"], value: ["c"] },
    { target: { a: "foo" }, patch: null, value: null },
    { target: { a: "foo" }, patch: "bar", value: "bar" },
    { target: { e: null }, patch: { a: 1 }, value: { e: null, a: 1 } },
    { target: [1, 2], patch: { a: "b", c: null }, value: { a: "b" } },
    { target: {}, patch: { a: { bb: { ccc: null } } }, value: { a: { bb: {} } } }
  ])("$patch into $target gives $value", ({ target, patch, value }) => {
    expect(mergedValue(target, patch)).toEqual(value)
  })

  it.each(["__proto__", "constructor", "prototype"])("treats %s as an ordinary key everywhere", (key) => {
    const parse = (text: string): unknown => JSON.parse(text.replaceAll("KEY", key))
    const present = parse('{"metadata": {"labels": {"KEY": {"a": 1}, "b": "c"}}}')
    const patch = parse('{"metadata": {"labels": {"KEY": {"polluted": true}}}}')
    expect(JSON.stringify(mergedValue({}, patch))).toBe(JSON.stringify(patch))
    expect(JSON.stringify(mergedValue(present, patch))).toBe(
      `{"metadata":{"labels":{"${key}":{"a":1,"polluted":true},"b":"c"}}}`
    )
    const without = parse('{"metadata": {"labels": {"KEY": null}}}')
    expect(JSON.stringify(mergedValue(present, without))).toBe('{"metadata":{"labels":{"b":"c"}}}')
    expect(valueAt({}, "polluted")).toBe(undefined)
  })

  it("rejects more than 500 levels", () => {
    const nested = (levels: number): unknown => JSON.parse(`${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`)
    expect(mergePatch({}, nested(500)).ok).toBe(true)
    expect(mergedValue({}, nested(501))).toBe("the patch is nested more than 500 levels deep")
    expect(mergePatch({}, nested(100_000)).ok).toBe(false)
  })

  it("shares what does not change, and mutates nothing", () => {
    const target = deepFrozen({ spec: { replicas: 3, template: { a: [1] } }, status: { replicas: 3 } })
    const value = mergedValue(target, { spec: { replicas: 5 } })
    expect(valueAt(Object(value), "status")).toBe(target.status)
    expect(valueAt(Object(value), "spec.template")).toBe(target.spec.template)
    expect(mergedValue(target, { spec: { replicas: 3, template: { a: [1] }, paused: null } })).toBe(target)
  })

  it("is idempotent", () => {
    const values = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(null, 1, 2, "a"),
        fc.array(fc.constantFrom(1, 2), { maxLength: 2 }),
        fc.dictionary(fc.constantFrom("a", "b", "c"), tie("value"))
      )
    })).value
    fc.assert(
      fc.property(values, values, (target, patch) => {
        const once = mergedValue(target, patch)
        expect(mergedValue(once, patch)).toBe(once)
      }),
      { seed: 29, numRuns: 500 }
    )
  })
})

describe("a JSON patch", () => {
  const target = deepFrozen({
    spec: { replicas: 3, paths: ["a", "b"], "a/b": { "~": 1 } },
    status: { seen: 7 }
  })
  const patchedValue = (...operations: ReadonlyArray<unknown>): unknown => {
    const result = jsonPatch(target, deepFrozen(operations))
    return result.ok ? result.value : result.message
  }

  it.each([
    {
      why: "adds a field",
      operations: [{ op: "add", path: "/spec/paused", value: true }],
      path: "spec.paused",
      value: true
    },
    {
      why: "adds an element before another",
      operations: [{ op: "add", path: "/spec/paths/1", value: "c" }],
      path: "spec.paths",
      value: ["a", "c", "b"]
    },
    {
      why: "appends with -",
      operations: [{ op: "add", path: "/spec/paths/-", value: "c" }],
      path: "spec.paths",
      value: ["a", "b", "c"]
    },
    {
      why: "appends with the length as index",
      operations: [{ op: "add", path: "/spec/paths/2", value: "c" }],
      path: "spec.paths",
      value: ["a", "b", "c"]
    },
    {
      why: "replaces a field",
      operations: [{ op: "replace", path: "/spec/replicas", value: 5 }],
      path: "spec.replicas",
      value: 5
    },
    {
      why: "removes an element",
      operations: [{ op: "remove", path: "/spec/paths/0" }],
      path: "spec.paths",
      value: ["b"]
    },
    {
      why: "copies a value",
      operations: [{ op: "copy", from: "/status/seen", path: "/spec/replicas" }],
      path: "spec.replicas",
      value: 7
    },
    {
      why: "moves an element",
      operations: [{ op: "move", from: "/spec/paths/0", path: "/spec/paths/1" }],
      path: "spec.paths",
      value: ["b", "a"]
    },
    {
      why: "unescapes ~0 and ~1",
      operations: [{ op: "replace", path: "/spec/a~1b/~0", value: 2 }],
      path: "spec.a/b.~",
      value: 2
    },
    {
      why: "continues after a successful test, whatever the order of keys",
      operations: [
        { op: "test", path: "/spec", value: { "a/b": { "~": 1 }, paths: ["a", "b"], replicas: 3 } },
        { op: "replace", path: "/spec/replicas", value: 5 }
      ],
      path: "spec.replicas",
      value: 5
    },
    {
      why: "keeps a null",
      operations: [{ op: "replace", path: "/spec/replicas", value: null }],
      path: "spec.replicas",
      value: null
    },
    { why: "may be empty", operations: [], path: "spec.replicas", value: 3 }
  ])("$why", ({ operations, path, value }) => {
    expect(valueAt(Object(patchedValue(...operations)), path)).toEqual(value)
  })

  it.each([
    { why: "a test that fails", operation: { op: "test", path: "/spec/replicas", value: 4 } },
    { why: "a test of a missing field", operation: { op: "test", path: "/spec/gone", value: 4 } },
    {
      why: "a replacement of a missing field",
      operation: { op: "replace", path: "/spec/paused", value: true }
    },
    { why: "a removal of a missing field", operation: { op: "remove", path: "/spec/paused" } },
    { why: "a removal beyond the end", operation: { op: "remove", path: "/spec/paths/2" } },
    { why: "a copy from a missing field", operation: { op: "copy", from: "/gone", path: "/spec/replicas" } },
    { why: "a move into itself", operation: { op: "move", from: "/spec", path: "/spec/inner" } },
    { why: "an addition to a missing parent", operation: { op: "add", path: "/gone/here", value: 1 } },
    { why: "an addition to a number", operation: { op: "add", path: "/spec/replicas/x", value: 1 } },
    { why: "an index beyond the end", operation: { op: "add", path: "/spec/paths/3", value: 1 } },
    { why: "an index that is no number", operation: { op: "add", path: "/spec/paths/first", value: 1 } },
    {
      why: "an index with a leading zero",
      operation: { op: "replace", path: "/spec/paths/01", value: 1 }
    },
    { why: "a removal with -", operation: { op: "remove", path: "/spec/paths/-" } },
    { why: "the length of a list", operation: { op: "test", path: "/spec/paths/length", value: 2 } },
    { why: "a pointer without a leading slash", operation: { op: "replace", path: "spec", value: {} } },
    { why: "a path through __proto__", operation: { op: "add", path: "/__proto__/polluted", value: true } },
    {
      why: "a path through constructor",
      operation: { op: "add", path: "/constructor/prototype/polluted", value: true }
    }
  ])("rejects $why", ({ operation }) => {
    expect(patchedValue(operation)).toBe(requestError)
    expect(valueAt({}, "polluted")).toBe(undefined)
  })

  it.each([
    { why: "no list of operations", operations: { op: "remove", path: "/a" }, reason: "BadRequest" },
    { why: "an operation that is a string", operations: ["remove"], reason: "BadRequest" },
    {
      why: "an unknown operation",
      operations: [{ op: "increment", path: "/a", value: 1 }],
      reason: "Invalid"
    },
    { why: "test without a value", operations: [{ op: "test", path: "/a" }], reason: "Invalid" },
    { why: "copy without from", operations: [{ op: "copy", path: "/a" }], reason: "Invalid" },
    { why: "remove without a path", operations: [{ op: "remove" }], reason: "Invalid" },
    {
      why: "more than ten thousand operations",
      operations: Array.from({ length: 10_001 }, () => ({ op: "test", path: "/spec/replicas", value: 3 })),
      reason: "RequestEntityTooLarge"
    },
    {
      why: "repeated doubling of a value",
      operations: [
        { op: "add", path: "/a", value: { x: 1 } },
        ...Array.from({ length: 60 }, (_, index) => ({ op: "copy", from: "/a", path: `/a/${index % 2}` }))
      ],
      reason: "Invalid"
    }
  ])("rejects $why as $reason", ({ operations, reason }) => {
    const result = jsonPatch(target, operations)
    expect(result.ok ? "accepted" : result.reason).toBe(reason)
  })

  it("changes nothing when one operation fails, and shares what it does not touch", () => {
    const failing = [
      { op: "remove", path: "/spec/replicas" },
      { op: "test", path: "/spec/replicas", value: 3 }
    ]
    expect(patchedValue(...failing)).toBe(requestError)
    expect(target.spec.replicas).toBe(3)
    const value = patchedValue({ op: "replace", path: "/spec/replicas", value: 5 })
    expect(valueAt(Object(value), "status")).toBe(target.status)
    expect(valueAt(Object(value), "spec.paths")).toBe(target.spec.paths)
  })

  it("may have ten thousand operations", () => {
    const operations = Array.from({ length: 10_000 }, (_, index) => ({
      op: "add",
      path: "/spec/n",
      value: index
    }))
    expect(valueAt(Object(patchedValue(...operations)), "spec.n")).toBe(9999)
  })
})

describe("a patched object", () => {
  const stored: KubeObject = {
    ...aDeployment(),
    metadata: {
      name: "web",
      namespace: "shop",
      uid: "00000000-0000-4000-8000-000000000007",
      resourceVersion: "17",
      creationTimestamp: "2026-01-01T00:00:00Z"
    }
  }

  it("is the result of a merge patch or a JSON patch", () => {
    expect(valueAt(applyPatch(stored, { spec: { replicas: 5 } }), "spec.replicas")).toBe(5)
    expect(
      valueAt(applyPatch(stored, [{ op: "replace", path: "/spec/replicas", value: 7 }]), "spec.replicas")
    ).toBe(7)
    expect(valueAt(applyPatch(stored, { spec: { replicas: null } }), "spec.replicas")).toBe(undefined)
  })

  it("does not share mutable parts with the patch", () => {
    const patch = { metadata: { labels: { tier: "a" } } }
    deepFrozen(applyPatch(stored, patch))
    patch.metadata.labels.tier = "b"
    expect(patch.metadata.labels.tier).toBe("b")
  })

  it.each([
    {
      patch: { spec: { replicas: "5" } },
      message:
        'Deployment in version "v1" cannot be handled as a Deployment: ' +
        "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32"
    },
    {
      patch: { spec: { replica: 5 } },
      message:
        'Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "spec.replica"'
    },
    {
      patch: { metadata: { name: "shop" } },
      message: "the name of the object (shop) does not match the one patched (web)"
    },
    {
      patch: { metadata: { namespace: "default" } },
      message: "the namespace of the object (default) does not match the one patched (shop)"
    },
    {
      patch: { kind: "ReplicaSet" },
      message:
        "the kind of the object (apps/v1 ReplicaSet) does not match the one patched (apps/v1 Deployment)"
    },
    { patch: [{ op: "test", path: "/spec/replicas", value: 9 }], message: requestError },
    { patch: [{ op: "remove", path: "" }], message: requestError }
  ])("is rejected for $patch", ({ patch, message }) => {
    expect(() => applyPatch(edited(stored), patch)).toThrow(message)
  })

  it("keeps its namespace when the patch removes it, as over HTTP", () => {
    expect(applyPatch(edited(stored), { metadata: { namespace: null } })).toEqual(edited(stored))
  })
})
