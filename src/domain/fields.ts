/** A JSON object of which nothing more is known yet. */
export type Fields = Readonly<Record<string, unknown>>

/** Whether a value is a JSON object: no scalar, no list, and not null. */
export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A value as a JSON object: an empty one where it is none. */
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {})

/** A value as a text: an empty one where it is none. */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

/** Gives a new object a field. A field is a field, even where it is called `__proto__`. */
export const setField = (fields: Record<string, unknown>, field: string, value: unknown): void => {
  Object.defineProperty(fields, field, { value, enumerable: true, configurable: true, writable: true })
}
