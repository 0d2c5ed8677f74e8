import { expect, it } from "vitest"
import { messageIn } from "../../src/cli/askServer.ts"

it.each([
  { why: "a Status says it", text: '{"kind":"Status","message":"no fault lasts"}\n', says: "no fault lasts" },
  { why: "a path that nothing is served under", text: "404 page not found\n", says: "404 page not found" },
  { why: "JSON of somebody else", text: '{"error":"gone"}', says: '{"error":"gone"}' }
])("a refusal is told in the server's words: $why", ({ text, says }) => {
  expect(messageIn(text)).toBe(says)
})
