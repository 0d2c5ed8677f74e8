import { goText } from "../../meta/text/goText.ts"
import { isFields, type Fields } from "../../meta/fields.ts"

/** Source: apimachinery/pkg/util/strategicpatch/patch.go, mergepatch/errors.go. */
export const directiveKey = "$patch"
export const retainKeysKey = "$retainKeys"
export const setElementOrderPrefix = "$setElementOrder/"
export const deleteFromListPrefix = "$deleteFromPrimitiveList/"

export const invalidOrderMessage = "invalid patch format of setElementOrder list"

export class StrategicMergeError extends Error {
  readonly reason: "BadRequest" | "InternalError"
  constructor(reason: "BadRequest" | "InternalError", message: string) {
    super(message)
    this.reason = reason
  }
}

export const missingMergeKeyError = (element: Fields, key: string): StrategicMergeError =>
  new StrategicMergeError(
    "InternalError",
    `map: ${goText(element)} does not contain declared merge key: ${key}`
  )

export const unknownDirectiveError = (directive: unknown, fields: Fields): StrategicMergeError =>
  new StrategicMergeError(
    "InternalError",
    `unknown patch type: ${goText(directive)} in map: ${goText(fields)}`
  )

export const unexpectedOrderError = (
  elements: ReadonlyArray<unknown>,
  order: ReadonlyArray<unknown>
): StrategicMergeError => {
  const lists = `${goText(elements)}\n doesn't match $setElementOrder list:\n${goText(order)}`
  return new StrategicMergeError("InternalError", `The order in patch list:\n${lists}\n`)
}

/** `expected` is any value of the expected type. */
export const wrongTypeError = ({
  expected,
  received
}: {
  readonly expected: unknown
  readonly received: unknown
}): StrategicMergeError =>
  new StrategicMergeError(
    "InternalError",
    `expected a ${goType(expected)}, but received a ${goType(received)}`
  )

const goType = (value: unknown): string => {
  if (Array.isArray(value)) return "[]interface {}"
  if (isFields(value)) return "map[string]interface {}"
  if (typeof value === "string") return "string"
  if (typeof value === "boolean") return "bool"
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64"
  return "%!s(<nil>)"
}
