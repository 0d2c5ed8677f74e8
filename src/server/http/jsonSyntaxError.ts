/** Why a text is not JSON, in the words of Go's decoder (encoding/json, scanner.go). */
export const jsonSyntaxError = (text: string): string => {
  const cursor = { text, offset: 0 }
  try {
    skipValue(cursor)
    const trailing = nextNonBlank(cursor)
    if (trailing !== undefined) throw unexpectedCharacter(trailing, "after top-level value")
    // Unreachable: JSON.parse has rejected the text.
    return "unexpected end of JSON input"
  } catch (error) {
    if (error instanceof SyntaxProblem) return error.message
    throw error
  }
}

interface Cursor {
  readonly text: string
  offset: number
}

class SyntaxProblem extends Error {}

const unexpectedCharacter = (character: string | undefined, where: string): SyntaxProblem =>
  new SyntaxProblem(
    character === undefined
      ? "unexpected end of JSON input"
      : `invalid character ${quoteCharacter(character)} ${where}`
  )

const quoteCharacter = (character: string): string => {
  if (character === "'") return String.raw`'\''`
  if (character === '"') return `'"'`
  return `'${JSON.stringify(character).slice(1, -1)}'`
}

const blanks = /[ \t\r\n]*/y

/** Does not consume the character; undefined at the end. */
const nextNonBlank = (cursor: Cursor): string | undefined => {
  blanks.lastIndex = cursor.offset
  cursor.offset += blanks.exec(cursor.text)?.[0].length ?? 0
  return currentCharacter(cursor)
}

const currentCharacter = ({ text, offset }: Cursor): string | undefined => {
  const code = text.codePointAt(offset)
  return code === undefined ? undefined : String.fromCodePoint(code)
}

const skipValue = (cursor: Cursor): void => {
  const character = nextNonBlank(cursor)
  if (character === "{") return skipFields(cursor)
  if (character === "[") return skipItems(cursor)
  if (character === '"') return skipText(cursor)
  if (character !== undefined && /[-\d]/.test(character)) return skipNumber(cursor)
  const literal = literals.find(([first]) => first === character)
  if (literal === undefined) throw unexpectedCharacter(character, "looking for beginning of value")
  for (const letter of literal) {
    const actual = currentCharacter(cursor)
    if (actual !== letter)
      throw unexpectedCharacter(actual, `in literal ${literal} (expecting ${quoteCharacter(letter)})`)
    cursor.offset += 1
  }
}

const literals = ["true", "false", "null"]

const skipFields = (cursor: Cursor): void => {
  cursor.offset += 1
  if (nextNonBlank(cursor) === "}") return consume(cursor)
  for (;;) {
    const key = nextNonBlank(cursor)
    if (key !== '"') throw unexpectedCharacter(key, "looking for beginning of object key string")
    skipText(cursor)
    const colon = nextNonBlank(cursor)
    if (colon !== ":") throw unexpectedCharacter(colon, "after object key")
    consume(cursor)
    skipValue(cursor)
    const after = nextNonBlank(cursor)
    if (after !== "," && after !== "}") throw unexpectedCharacter(after, "after object key:value pair")
    consume(cursor)
    if (after === "}") return
  }
}

const skipItems = (cursor: Cursor): void => {
  cursor.offset += 1
  if (nextNonBlank(cursor) === "]") return consume(cursor)
  for (;;) {
    skipValue(cursor)
    const after = nextNonBlank(cursor)
    if (after !== "," && after !== "]") throw unexpectedCharacter(after, "after array element")
    consume(cursor)
    if (after === "]") return
  }
}

const consume = (cursor: Cursor): void => {
  cursor.offset += 1
}

const skipText = (cursor: Cursor): void => {
  cursor.offset += 1
  for (;;) {
    const character = currentCharacter(cursor)
    if (character === undefined || character < " ") throw unexpectedCharacter(character, "in string literal")
    cursor.offset += character.length
    if (character === '"') return
    if (character === "\\") skipEscape(cursor)
  }
}

const skipEscape = (cursor: Cursor): void => {
  const character = currentCharacter(cursor)
  if (character === undefined || !/["\\/bfnrtu]/.test(character))
    throw unexpectedCharacter(character, "in string escape code")
  cursor.offset += 1
  for (let digits = 0; character === "u" && digits < 4; digits += 1) {
    const digit = currentCharacter(cursor)
    if (digit === undefined || !/[\da-fA-F]/.test(digit)) {
      throw unexpectedCharacter(digit, String.raw`in \u hexadecimal character escape`)
    }
    cursor.offset += 1
  }
}

const skipNumber = (cursor: Cursor): void => {
  if (currentCharacter(cursor) === "-") cursor.offset += 1
  if (currentCharacter(cursor) === "0") cursor.offset += 1
  else skipDigits(cursor, "in numeric literal")
  if (currentCharacter(cursor) === ".") {
    cursor.offset += 1
    skipDigits(cursor, "after decimal point in numeric literal")
  }
  if (/[eE]/.test(currentCharacter(cursor) ?? "")) {
    cursor.offset += 1
    if (/[-+]/.test(currentCharacter(cursor) ?? "")) cursor.offset += 1
    skipDigits(cursor, "in exponent of numeric literal")
  }
}

const skipDigits = (cursor: Cursor, where: string): void => {
  const first = currentCharacter(cursor)
  if (first === undefined || !/\d/.test(first)) throw unexpectedCharacter(first, where)
  while (/\d/.test(currentCharacter(cursor) ?? "")) cursor.offset += 1
}
