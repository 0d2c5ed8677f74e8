/** A JSON object that has not been decoded yet. */
export type Fields = Readonly<Record<string, unknown>>

/** Whether a value is a JSON object: no scalar, list or null. */
export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The value if it is a JSON object, else an empty one. */
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {})

/** The value if it is a string, else an empty one. */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

/** Sets an own field, even one called `__proto__`. */
export const setField = (fields: Record<string, unknown>, field: string, value: unknown): void => {
  Object.defineProperty(fields, field, { value, enumerable: true, configurable: true, writable: true })
}
