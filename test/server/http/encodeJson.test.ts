import { describe, expect, it } from "vitest"
import { letEventLoopTurn } from "../../../src/runtime/time/userCode.ts"
import { encodeList, encodeObject, encodeWatchLine } from "../../../src/server/http/encodeJson.ts"
import { makeRecentValues } from "../../../src/server/http/recentValues.ts"
import { deepFreeze } from "../../../src/kubernetes/meta/deepFreeze.ts"
import type { KubeObject } from "../../../src/kubernetes/meta/objects.ts"

const configMap = (name: string, value: string): KubeObject =>
  deepFreeze({
    kind: "ConfigMap",
    apiVersion: "v1",
    metadata: { name, uid: name, resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z" },
    data: { value }
  })

const objects = [configMap("a", "plain"), configMap("b", "naïve ✓ 🚀 \u2028"), configMap("c", '"\\\n')]

const textOf = async (bytes: Buffer | Promise<Buffer>): Promise<string> => (await bytes).toString()

describe("the bytes of a list", () => {
  it.each([
    { why: "none", listed: [] },
    { why: "one", listed: objects.slice(0, 1) },
    { why: "several, some of them not ASCII", listed: objects }
  ])("are those of its JSON, with $why", async ({ listed }) => {
    const [head, tail] = ['{"kind":"ListOfThese","items":[', "]}\n"]
    const untyped = listed.map(({ kind: _kind, apiVersion: _apiVersion, ...rest }) => rest)
    expect(await textOf(encodeList(listed, { head, tail, isTyped: true }))).toBe(
      `${JSON.stringify({ kind: "ListOfThese", items: listed })}\n`
    )
    expect(await textOf(encodeList(listed, { head, tail, isTyped: false }))).toBe(
      `${JSON.stringify({ kind: "ListOfThese", items: untyped })}\n`
    )
  })
})

describe("a long list", () => {
  const listed = Array.from({ length: 20 }, (_, index) => configMap(`${index}`, "✓".repeat(50_000)))
  const encoding = { head: '{"items":[', tail: "]}\n", isTyped: true }

  it("is encoded in several turns of the event loop, to the same bytes", async () => {
    const bytes = encodeList(listed, encoding)
    let turns = 0
    let isEncoded = false
    const encoded = Promise.resolve(bytes).then((list) => {
      isEncoded = true
      return list
    })
    for (; !isEncoded; turns += 1) await letEventLoopTurn()
    expect(turns).toBeGreaterThan(2)
    expect(await textOf(encoded)).toBe(`${JSON.stringify({ items: listed })}\n`)
  })

  it("is the same buffer while its objects are the same", async () => {
    expect(await encodeList(listed, encoding)).toBe(await encodeList([...listed], { ...encoding }))
  })
})

describe("a list that is sent again", () => {
  const encoding = { head: '{"items":[', tail: "]}\n", isTyped: true }

  it("is the same buffer while its objects are the same", () => {
    const bytes = encodeList(objects, encoding)
    expect(encodeList([...objects], { ...encoding })).toBe(bytes)
  })

  it.each([
    { why: "another head", listed: objects, other: { head: '{"version":"2","items":[' } },
    { why: "another tail", listed: objects, other: { tail: "]}" } },
    { why: "items without their type", listed: objects, other: { isTyped: false } },
    { why: "an object less", listed: objects.slice(0, -1), other: {} },
    { why: "another version of an object", listed: objects.with(1, configMap("b", "other")), other: {} },
    { why: "another order", listed: [...objects.slice(0, 1), ...objects.slice(1).toReversed()], other: {} }
  ])("is encoded anew with $why", async ({ listed, other }) => {
    const { head, tail, isTyped } = { ...encoding, ...other }
    const items = listed.map(({ kind, apiVersion, ...rest }) =>
      JSON.stringify(isTyped ? { kind, apiVersion, ...rest } : rest)
    )
    await encodeList(objects, encoding)
    expect(await textOf(encodeList(listed, { head, tail, isTyped }))).toBe(`${head}${items.join(",")}${tail}`)
  })

  it("is encoded anew when an object that is not stored has changed", async () => {
    const draft = { ...configMap("a", "before") }
    await encodeList([draft], encoding)
    draft.kind = "Secret"
    expect(await textOf(encodeList([draft], encoding))).toContain('"kind":"Secret"')
  })
})

describe("the line of a change", () => {
  it("is one buffer for all watchers, with the object as a read answers it", () => {
    for (const object of objects) {
      const line = encodeWatchLine("MODIFIED", object)
      expect(encodeWatchLine("MODIFIED", object)).toBe(line)
      expect(String(line)).toBe(`{"type":"MODIFIED","object":${encodeObject(object)}}\n`)
      expect(encodeWatchLine("DELETED", object)).not.toBe(line)
    }
  })
})

describe("recent values", () => {
  it("keep at least half of their size, the last added, and no more than all of it", () => {
    const keys = Array.from({ length: 100 }, (_, index) => ({ index }))
    const values = makeRecentValues<object, string>({ sizeMax: 20, sizeOf: ({ length }) => length })
    for (const [index, key] of keys.entries()) {
      values.set(key, "x")
      const kept = keys.filter((it) => values.get(it) !== undefined).length
      expect(kept).toBeLessThanOrEqual(20)
      for (const latest of keys.slice(Math.max(0, index - 9), index + 1)) expect(values.get(latest)).toBe("x")
    }
  })

  it("keep one that is larger than all until the next one is added", () => {
    const values = makeRecentValues<object, string>({ sizeMax: 4, sizeOf: ({ length }) => length })
    const [large, small] = [{}, {}]
    values.set(large, "larger than four")
    expect(values.get(large)).toBe("larger than four")
    values.set(small, "s")
    expect(values.get(small)).toBe("s")
  })
})
