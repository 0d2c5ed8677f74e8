export type Fields = Readonly<Record<string, unknown>>

export type Mutable<A> = { -readonly [Field in keyof A]: A[Field] }

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const fieldsOrEmpty = (value: unknown): Fields => (isFields(value) ? value : {})

export const textOrEmpty = (value: unknown): string => (typeof value === "string" ? value : "")

/** Also sets a field called `__proto__`. */
export const setField = (fields: Record<string, unknown>, field: string, value: unknown): void => {
  Object.defineProperty(fields, field, { value, enumerable: true, configurable: true, writable: true })
}

/** As JSON would send it, without functions and undefined fields; a copy. */
export const toJsonValue = (value: unknown): unknown => {
  const text: string | undefined = JSON.stringify(value)
  return text === undefined ? undefined : JSON.parse(text)
}
