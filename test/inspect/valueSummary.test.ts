import { expect, test } from "vitest"
import { summarizeValue } from "../../src/inspect/valueSummary.ts"

const pod = (index: number) => ({ kind: "Pod", metadata: { namespace: "default", name: `web-${index}` } })
const deep = { a: { b: { c: { d: { e: 1 } } } } }
const circle: Record<string, unknown> = { size: 1 }
circle["self"] = circle

test.each([
  { why: "scalars are unchanged", value: [7, "x", true, null], shown: [7, "x", true, null] },
  { why: "infinity is text", value: Number.POSITIVE_INFINITY, shown: "Infinity" },
  { why: "a big integer is text", value: 12n, shown: "12" },
  { why: "an undefined field is left out", value: { a: undefined, b: 1 }, shown: { b: 1 } },
  { why: "a function is left out", value: { a: () => 1 }, shown: {} },
  { why: "a long text is truncated", value: "y".repeat(200), shown: `${"y".repeat(160)}…` },
  { why: "a Kubernetes object is its kind and key", value: pod(3), shown: "Pod default/web-3" },
  {
    why: "a cluster-scoped object is its kind and name",
    value: { kind: "Node", metadata: { name: "n1" } },
    shown: "Node n1"
  },
  { why: "an object without a kind is its name", value: { metadata: { name: "web" } }, shown: "object web" },
  {
    why: "an actor is written as XState writes it",
    value: { id: "app", sessionId: "x:3", send: () => undefined },
    shown: { xstate$$type: 1, id: "app" }
  },
  {
    why: "a long list shows its first ten",
    value: Array.from({ length: 13 }, (_, index) => pod(index)),
    shown: [...Array.from({ length: 10 }, (_, index) => `Pod default/web-${index}`), "… and 3 more"]
  },
  { why: "deeply nested values are left out", value: deep, shown: { a: { b: { c: { d: "…" } } } } },
  {
    why: "a cycle ends",
    value: circle,
    shown: { size: 1, self: { size: 1, self: { size: 1, self: { size: 1, self: "…" } } } }
  },
  {
    why: "env, annotations and data are left out at any depth",
    value: {
      life: { env: [{ name: "TOKEN", value: "s" }], annotations: { a: "s" }, data: { k: "s" }, millis: 5 }
    },
    shown: { life: { millis: 5 } }
  },
  { why: "an error is its name and message", value: new TypeError("no hull"), shown: "TypeError: no hull" },
  { why: "a map is its size", value: new Map([[1, 2]]), shown: "Map of 1" },
  { why: "another instance is its class", value: new URL("http://x/?token=s"), shown: "URL" }
])("$why", ({ value, shown }) => {
  expect(summarizeValue(value)).toEqual(shown)
})

test("an object with very many fields is truncated with a mark", () => {
  const wide = Object.fromEntries(Array.from({ length: 31 }, (_, index) => [`f${index}`, index]))
  const shown = summarizeValue(wide)
  expect(Object.keys(shown ?? {})).toHaveLength(25)
  expect(shown).toMatchObject({ f23: 23, "…": "cut short" })
})
