/** The value at a path such as `$.data.errors[0].rate`; the `$.` is optional. */
export const valueAtPath = (value: unknown, path: string): unknown => {
  const keys = path
    .replace(/^\$\.?/u, "")
    .split(/\.|\[|\]/u)
    .filter((key) => key !== "")
  let current = value
  for (const key of keys) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, key)) return undefined
    current = (current as Readonly<Record<string, unknown>>)[key]
  }
  return current
}
