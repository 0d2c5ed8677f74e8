/** A map of JSON: an object that is no list. */
export type Fields = Readonly<Record<string, unknown>>

/** An object that is not yet shared, whose fields may still be set. */
export type Mutable<A> = { -readonly [Field in keyof A]: A[Field] }

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const fieldsOrEmpty = (value: unknown): Fields => (isFields(value) ? value : {})

export const textOrEmpty = (value: unknown): string => (typeof value === "string" ? value : "")

/** Sets an own field, even one called `__proto__`. */
export const setField = (fields: Record<string, unknown>, field: string, value: unknown): void => {
  Object.defineProperty(fields, field, { value, enumerable: true, configurable: true, writable: true })
}
