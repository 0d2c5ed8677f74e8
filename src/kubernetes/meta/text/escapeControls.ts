/**
 * Escapes control characters, so that text from an object, a server or a file stays in one line and cannot drive a
 * terminal. Idempotent.
 *
 * - C0 controls and DEL in caret notation: `^[` for ESC, `^G` for BEL. CR, LF and tab become `\r`, `\n` and `\t`.
 * - C1 controls, which a terminal may take as 8-bit escape sequences, as `\x9b`.
 * - Line and paragraph separators, and characters that embed, override or isolate a writing direction, as `\u202e`.
 *   Arabic and Hebrew text does without them.
 * Source: staging/src/k8s.io/cli-runtime/pkg/printers/terminal.go (EscapeTerminal) for ESC and CR; ECMA-48, section 5
 * (C0 and C1); Unicode Standard Annex 9, section 2 (directional formatting characters).
 */
export const escapeControls = (text: string): string =>
  // Nearly all texts have none, which is seen in half the time.
  hasControl.test(text) ? text.replaceAll(controls, notationOf) : text

export const joinEscapedLines = (lines: ReadonlyArray<string>): string => lines.map(escapeControls).join("\n")

/** Escapes a text of several lines, such as a YAML document: its newlines stay. */
export const escapeLines = (text: string): string => joinEscapedLines(text.split("\n"))

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const hasControl = /[\u{0}-\u{1F}\u{7F}-\u{9F}\u{2028}-\u{202E}\u{2066}-\u{2069}]/u
const controls = new RegExp(hasControl, "gu")

const notationOf = (control: string): string => {
  const named = names.get(control)
  if (named !== undefined) return named
  const code = control.charCodeAt(0)
  if (code < 0x80) return `^${String.fromCharCode(code ^ 0x40)}`
  return code < 0x100 ? `\\x${code.toString(16)}` : `\\u${code.toString(16)}`
}

const names: ReadonlyMap<string, string> = new Map([
  ["\r", "\\r"],
  ["\n", "\\n"],
  ["\t", "\\t"]
])
