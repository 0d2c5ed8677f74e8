import { describe, expect, it } from "vitest"
import {
  errorBody,
  duplicateValue,
  forbiddenField,
  immutableField,
  invalidField,
  invalidMessage,
  valueNotFound,
  unsupportedValue,
  requiredValue,
  valueTooLong,
  tooManyItems
} from "../../../src/kubernetes/validation/fieldErrors.ts"

describe("the body of a field error (TestMakeFuncs, TestErrorUsefulMessage)", () => {
  it.each([
    { error: requiredValue("f"), body: "Required value", why: "no value, no detail" },
    { error: requiredValue("f", "say why"), body: "Required value: say why", why: "a detail follows" },
    { error: invalidField("f", -1, "too low"), body: "Invalid value: -1: too low", why: "numbers are bare" },
    { error: invalidField("f", true, "no"), body: "Invalid value: true: no", why: "truth is bare" },
    { error: invalidField("f", 'a"b', "no"), body: 'Invalid value: "a\\"b": no', why: "texts are quoted" },
    {
      error: invalidField("f", { a: "b" }, "no"),
      body: 'Invalid value: {"a":"b"}: no',
      why: "the rest is JSON"
    },
    { error: invalidField("f", undefined, "no"), body: "Invalid value: null: no", why: "nothing is null" },
    { error: invalidField("f", 7, ""), body: "Invalid value: 7", why: "an empty detail is none" },
    {
      error: { type: "FieldValueTypeInvalid", field: "f", value: "integer", detail: "must be text" } as const,
      body: 'Invalid value: "integer": must be text',
      why: "a wrong type has the words of a wrong value"
    },
    {
      error: unsupportedValue("f", "X", ["A", "B"]),
      body: 'Unsupported value: "X": supported values: "A", "B"',
      why: "the supported ones are listed"
    },
    { error: duplicateValue("f", "x"), body: 'Duplicate value: "x"', why: "there is no detail" },
    { error: valueNotFound("f", "x"), body: 'Not found: "x"', why: "there is no detail" },
    { error: forbiddenField("f", "not now"), body: "Forbidden: not now", why: "the value does not matter" },
    {
      error: valueTooLong("f", 63),
      body: "Too long: may not be more than 63 bytes",
      why: "the value is too long"
    },
    {
      error: tooManyItems("f", { actual: 7, max: 5 }),
      body: "Too many: 7: must have at most 5 items",
      why: "the count is the value"
    },
    {
      error: immutableField("f", "x"),
      body: 'Invalid value: "x": field is immutable',
      why: "an invalid value too"
    }
  ])("$body: $why", ({ error, body }) => {
    expect(errorBody(error)).toBe(body)
  })
})

describe("the message of a refused object (TestNewInvalid)", () => {
  const minus = invalidField("spec.replicas", -1, "must be greater than or equal to 0")
  const missing = requiredValue("spec.selector")
  const message = (...errors: Parameters<typeof invalidMessage>[0]["errors"]): string =>
    invalidMessage({ groupKind: "Deployment.apps", name: "web", errors })

  it("shows a single error as it is", () => {
    expect(message(minus)).toBe(
      'Deployment.apps "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0'
    )
  })

  it("puts several in brackets and tells none twice", () => {
    expect(message(minus, missing, minus)).toBe(
      'Deployment.apps "web" is invalid: [spec.replicas: Invalid value: -1: must be greater than or ' +
        "equal to 0, " +
        "spec.selector: Required value]"
    )
  })

  it("says no more where nobody knows what is wrong", () => {
    expect(message()).toBe('Deployment.apps "web" is invalid')
  })

  it("drops the brackets when all are the same", () => {
    expect(message(missing, missing)).toBe('Deployment.apps "web" is invalid: spec.selector: Required value')
  })
})
