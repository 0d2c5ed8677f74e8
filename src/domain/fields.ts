/** A JSON object of which nothing more is known yet. */
export type Fields = Readonly<Record<string, unknown>>

/** Whether a value is a JSON object: no scalar, no list, and not null. */
export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)
