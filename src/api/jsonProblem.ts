/**
 * Why a text is not JSON, in the words of Go's decoder.
 *
 * Source: Go's encoding/json (scanner.go).
 */
export const jsonProblem = (text: string): string => {
  const cursor = { text, at: 0 }
  try {
    skipValue(cursor)
    const extra = next(cursor)
    if (extra !== undefined) throw unexpected(extra, "after top-level value")
    return "unexpected end of JSON input"
  } catch (error) {
    if (error instanceof Unreadable) return error.message
    throw error
  }
}

interface Cursor {
  readonly text: string
  at: number
}

class Unreadable extends Error {}

const unexpected = (mark: string | undefined, where: string): Unreadable =>
  new Unreadable(
    mark === undefined ? "unexpected end of JSON input" : `invalid character ${quoted(mark)} ${where}`
  )

/** Quotes a character as Go's `%q` does. */
const quoted = (mark: string): string => {
  if (mark === "'") return String.raw`'\''`
  if (mark === '"') return `'"'`
  return `'${JSON.stringify(mark).slice(1, -1)}'`
}

const blank = /[ \t\r\n]*/y

/** Skips blanks and returns the next character without consuming it; undefined at the end. */
const next = (cursor: Cursor): string | undefined => {
  blank.lastIndex = cursor.at
  cursor.at += blank.exec(cursor.text)?.[0].length ?? 0
  return here(cursor)
}

const here = ({ text, at }: Cursor): string | undefined => {
  const code = text.codePointAt(at)
  return code === undefined ? undefined : String.fromCodePoint(code)
}

const skipValue = (cursor: Cursor): void => {
  const mark = next(cursor)
  if (mark === "{") return skipFields(cursor)
  if (mark === "[") return skipItems(cursor)
  if (mark === '"') return skipText(cursor)
  if (mark !== undefined && /[-\d]/.test(mark)) return skipNumber(cursor)
  const literal = literals.find(([first]) => first === mark)
  if (literal === undefined) throw unexpected(mark, "looking for beginning of value")
  for (const letter of literal) {
    const found = here(cursor)
    if (found !== letter) throw unexpected(found, `in literal ${literal} (expecting ${quoted(letter)})`)
    cursor.at += 1
  }
}

const literals = ["true", "false", "null"]

const skipFields = (cursor: Cursor): void => {
  cursor.at += 1
  if (next(cursor) === "}") return take(cursor)
  for (;;) {
    const key = next(cursor)
    if (key !== '"') throw unexpected(key, "looking for beginning of object key string")
    skipText(cursor)
    const colon = next(cursor)
    if (colon !== ":") throw unexpected(colon, "after object key")
    take(cursor)
    skipValue(cursor)
    const after = next(cursor)
    if (after !== "," && after !== "}") throw unexpected(after, "after object key:value pair")
    take(cursor)
    if (after === "}") return
  }
}

const skipItems = (cursor: Cursor): void => {
  cursor.at += 1
  if (next(cursor) === "]") return take(cursor)
  for (;;) {
    skipValue(cursor)
    const after = next(cursor)
    if (after !== "," && after !== "]") throw unexpected(after, "after array element")
    take(cursor)
    if (after === "]") return
  }
}

const take = (cursor: Cursor): void => {
  cursor.at += 1
}

const skipText = (cursor: Cursor): void => {
  cursor.at += 1
  for (;;) {
    const mark = here(cursor)
    if (mark === undefined || mark < " ") throw unexpected(mark, "in string literal")
    cursor.at += mark.length
    if (mark === '"') return
    if (mark === "\\") skipEscape(cursor)
  }
}

const skipEscape = (cursor: Cursor): void => {
  const mark = here(cursor)
  if (mark === undefined || !/["\\/bfnrtu]/.test(mark)) throw unexpected(mark, "in string escape code")
  cursor.at += 1
  for (let digits = 0; mark === "u" && digits < 4; digits += 1) {
    const digit = here(cursor)
    if (digit === undefined || !/[\da-fA-F]/.test(digit)) {
      throw unexpected(digit, String.raw`in \u hexadecimal character escape`)
    }
    cursor.at += 1
  }
}

const skipNumber = (cursor: Cursor): void => {
  if (here(cursor) === "-") cursor.at += 1
  if (here(cursor) === "0") cursor.at += 1
  else skipDigits(cursor, "in numeric literal")
  if (here(cursor) === ".") {
    cursor.at += 1
    skipDigits(cursor, "after decimal point in numeric literal")
  }
  if (/[eE]/.test(here(cursor) ?? "")) {
    cursor.at += 1
    if (/[-+]/.test(here(cursor) ?? "")) cursor.at += 1
    skipDigits(cursor, "in exponent of numeric literal")
  }
}

const skipDigits = (cursor: Cursor, where: string): void => {
  const first = here(cursor)
  if (first === undefined || !/\d/.test(first)) throw unexpected(first, where)
  while (/\d/.test(here(cursor) ?? "")) cursor.at += 1
}
