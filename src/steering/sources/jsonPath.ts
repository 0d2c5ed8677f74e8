/** The value at a path such as `$.data.errors[0].rate`; the `$.` is optional. */
export const valueAtPath = (value: unknown, path: string): unknown => {
  const keys = path
    .replace(/^\$\.?/u, "")
    .split(/\.|\[|\]/u)
    .filter((key) => key !== "")
  let at = value
  for (const key of keys) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined
    at = (at as Readonly<Record<string, unknown>>)[key]
  }
  return at
}
