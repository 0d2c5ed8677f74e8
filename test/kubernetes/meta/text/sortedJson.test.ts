import { expect, it } from "vitest"
import { sortedJson } from "../../../../src/kubernetes/meta/text/sortedJson.ts"

it.each([
  { why: "of objects within lists", value: [{ b: 1, a: null }], text: '[{"a":null,"b":1}]' },
  {
    why: "that are numbers, as texts",
    value: { "9": "x", "10": "y", a: "z" },
    text: '{"10":"y","9":"x","a":"z"}'
  },
  { why: "without those that have no value", value: { b: undefined, a: "ü\n" }, text: '{"a":"ü\\n"}' }
])("JSON has its keys in order: $why", ({ value, text }) => {
  expect(sortedJson(value)).toBe(text)
})
