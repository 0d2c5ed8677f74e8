import { expect, it } from "vitest"
import { parseQuery } from "../../../src/server/http/queryParameters.ts"

it.each([
  ["", false],
  ["watch=0", false],
  ["watch=False", false],
  ["watch=f", true],
  ["watch", true],
  ["watch=perhaps", true]
])("the query %o has the flag watch: %o", (query, isSet) => {
  expect(parseQuery(new URLSearchParams(query)).flag("watch")).toBe(isSet)
})
