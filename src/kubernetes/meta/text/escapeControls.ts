/**
 * Escapes control characters, so that text stays in one line and cannot drive a terminal. Idempotent. Source:
 * terminal.go (EscapeTerminal); ECMA-48, section 5; Unicode Standard Annex 9, section 2.
 */
export const escapeControls = (text: string): string =>
  // The test takes half the time, and most texts have no control characters.
  hasControl.test(text) ? text.replaceAll(controls, notationOf) : text

export const joinEscapedLines = (lines: ReadonlyArray<string>): string => lines.map(escapeControls).join("\n")

/** Keeps newlines. */
export const escapeLines = (text: string): string => joinEscapedLines(text.split("\n"))

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const hasControl = /[\u{0}-\u{1F}\u{7F}-\u{9F}\u{2028}-\u{202E}\u{2066}-\u{2069}]/u
const controls = new RegExp(hasControl, "gu")

const notationOf = (control: string): string => {
  const named = shortEscapes.get(control)
  if (named !== undefined) return named
  const code = control.charCodeAt(0)
  if (code < 0x80) return `^${String.fromCharCode(code ^ 0x40)}`
  return code < 0x100 ? `\\x${code.toString(16)}` : `\\u${code.toString(16)}`
}

const shortEscapes: ReadonlyMap<string, string> = new Map([
  ["\r", "\\r"],
  ["\n", "\\n"],
  ["\t", "\\t"]
])
