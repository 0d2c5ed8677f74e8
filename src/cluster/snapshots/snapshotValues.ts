const isMark = (field: string): boolean => field.startsWith("$")

/** Marks values that JSON lacks. An object with a field that looks like a mark becomes a marked list of its fields. */
export const encodeValue = (value: unknown, referenceOf: (object: object) => string | undefined): unknown => {
  const encode = (it: unknown): unknown => {
    if (it === undefined) return { $undefined: true }
    if (typeof it === "bigint") return { $bigint: String(it) }
    if (typeof it === "number" && !Number.isFinite(it)) return { $number: String(it) }
    if (typeof it === "function" || typeof it === "symbol") throw new TypeError(`no text for a ${typeof it}`)
    if (typeof it !== "object" || it === null) return it
    const name = referenceOf(it)
    if (name !== undefined) return { $object: name }
    if (Array.isArray(it)) return it.map(encode)
    if (it instanceof Map) return { $map: Array.from(it, ([key, content]) => [encode(key), encode(content)]) }
    if (it instanceof Set) return { $set: Array.from(it, encode) }
    const fields = Object.entries(it).map(([field, content]) => [field, encode(content)] as const)
    return fields.some(([field]) => isMark(field)) ? { $fields: fields } : Object.fromEntries(fields)
  }
  return encode(value)
}

const sharedFields: ReadonlySet<string> = new Set(["spec", "labels", "ownerReferences", "life", "plan"])

/** Equal values become one, so that a restored cluster takes no more memory than the original. */
export const makePartSharing = (): PartSharing => {
  const valuesByText = new Map<string, unknown>()
  return (field, written, decode) => {
    if (!sharedFields.has(field) || typeof written !== "object" || written === null) return decode(written)
    const text = JSON.stringify(written)
    if (!valuesByText.has(text)) valuesByText.set(text, decode(written))
    return valuesByText.get(text)
  }
}

export type PartSharing = (field: string, written: unknown, decode: (written: unknown) => unknown) => unknown

export const decodeValue = (
  written: unknown,
  share: PartSharing,
  objectOf: (name: string) => object | undefined
): unknown => {
  const decodeMark = (mark: string, content: unknown): unknown => {
    switch (mark) {
      case "$undefined":
        return undefined
      case "$bigint":
        return BigInt(String(content))
      case "$number":
        return Number(content)
      case "$object": {
        const object = objectOf(String(content))
        if (object === undefined) throw new TypeError(`the snapshot has no object ${JSON.stringify(content)}`)
        return object
      }
      case "$map":
        return new Map(listOf(content).map((entry) => pairOf(entry).map(decode) as [unknown, unknown]))
      case "$set":
        return new Set(listOf(content).map(decode))
      case "$fields":
        return Object.fromEntries(
          listOf(content)
            .map((entry) => pairOf(entry))
            .map(([key, it]) => [key, decode(it)])
        )
      default:
        throw new TypeError(`${JSON.stringify(mark)} is no mark of this format`)
    }
  }
  const decode = (it: unknown): unknown => {
    if (typeof it !== "object" || it === null) return it
    if (Array.isArray(it)) return it.map(decode)
    const fields = Object.entries(it)
    const [mark, content] = fields[0] ?? ["", undefined]
    if (isMark(mark)) return decodeMark(mark, content)
    return Object.fromEntries(fields.map(([field, inner]) => [field, share(field, inner, decode)]))
  }
  return decode(written)
}

const listOf = (value: unknown): ReadonlyArray<unknown> => {
  if (!Array.isArray(value)) throw new TypeError("a list is missing")
  return value
}

const pairOf = (value: unknown): readonly [string, unknown] => {
  const [key, content] = listOf(value)
  return [key as string, content]
}
