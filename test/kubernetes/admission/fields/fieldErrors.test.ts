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
} from "../../../../src/kubernetes/validation/fieldErrors.ts"

describe("the body of a field error (TestMakeFuncs, TestErrorUsefulMessage)", () => {
  it.each([
    { error: requiredValue("f"), body: "Required value", why: "no value and no detail" },
    { error: requiredValue("f", "say why"), body: "Required value: say why", why: "a detail" },
    {
      error: invalidField("f", -1, "too low"),
      body: "Invalid value: -1: too low",
      why: "a number without quotes"
    },
    {
      error: invalidField("f", true, "no"),
      body: "Invalid value: true: no",
      why: "a boolean without quotes"
    },
    { error: invalidField("f", 'a"b', "no"), body: 'Invalid value: "a\\"b": no', why: "a string in quotes" },
    {
      error: invalidField("f", { a: "b" }, "no"),
      body: 'Invalid value: {"a":"b"}: no',
      why: "an object as JSON"
    },
    { error: invalidField("f", undefined, "no"), body: "Invalid value: null: no", why: "undefined as null" },
    { error: invalidField("f", 7, ""), body: "Invalid value: 7", why: "an empty detail is omitted" },
    {
      error: { type: "FieldValueTypeInvalid", field: "f", value: "integer", detail: "must be text" } as const,
      body: 'Invalid value: "integer": must be text',
      why: "a wrong type reads like an invalid value"
    },
    {
      error: unsupportedValue("f", "X", ["A", "B"]),
      body: 'Unsupported value: "X": supported values: "A", "B"',
      why: "the supported values are listed"
    },
    { error: duplicateValue("f", "x"), body: 'Duplicate value: "x"', why: "no detail" },
    { error: valueNotFound("f", "x"), body: 'Not found: "x"', why: "no detail" },
    { error: forbiddenField("f", "not now"), body: "Forbidden: not now", why: "no value" },
    {
      error: valueTooLong("f", 63),
      body: "Too long: may not be more than 63 bytes",
      why: "no value when it is too long"
    },
    {
      error: tooManyItems("f", { actual: 7, max: 5 }),
      body: "Too many: 7: must have at most 5 items",
      why: "the count as value"
    },
    {
      error: immutableField("f", "x"),
      body: 'Invalid value: "x": field is immutable',
      why: "an immutable field reads like an invalid value"
    }
  ])("$body: $why", ({ error, body }) => {
    expect(errorBody(error)).toBe(body)
  })
})

describe("the message of an invalid object (TestNewInvalid)", () => {
  const minus = invalidField("spec.replicas", -1, "must be greater than or equal to 0")
  const missing = requiredValue("spec.selector")
  const message = (...errors: Parameters<typeof invalidMessage>[0]["errors"]): string =>
    invalidMessage({ groupKind: "Deployment.apps", name: "web", errors })

  it("shows a single error without brackets", () => {
    expect(message(minus)).toBe(
      'Deployment.apps "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0'
    )
  })

  it("puts several errors in brackets, each once", () => {
    expect(message(minus, missing, minus)).toBe(
      'Deployment.apps "web" is invalid: [spec.replicas: Invalid value: -1: must be greater than or ' +
        "equal to 0, " +
        "spec.selector: Required value]"
    )
  })

  it("ends after the name when there are no errors", () => {
    expect(message()).toBe('Deployment.apps "web" is invalid')
  })

  it("drops the brackets when all errors are equal", () => {
    expect(message(missing, missing)).toBe('Deployment.apps "web" is invalid: spec.selector: Required value')
  })
})
