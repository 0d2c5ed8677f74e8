/**
 * Text from an object, a server or a file as a part of one line: every control character in it is shown, and none
 * works. A terminal that gets the text does not move its cursor, change its title or its colours, and starts no line.
 * Applied twice it gives the same as applied once.
 *
 * - C0 controls and DEL are in caret notation, `^[` for ESC and `^G` for BEL; CR is `\r`, both as kubectl shows them.
 *   A newline is `\n` and a tab `\t`: in one line of a table neither has a place.
 * - C1 controls, which a terminal may take as the escape sequences of 8 bits, are `\x9b`.
 * - Line and paragraph separators and the characters that embed, override or isolate a direction of writing are
 *   `\u202e`: one of them in an object's name would reorder what stands behind it in the line. Arabic and Hebrew text
 *   does without them, since its letters have a direction of their own.
 *
 * Source: staging/src/k8s.io/cli-runtime/pkg/printers/terminal.go (EscapeTerminal) for ESC and CR; ECMA-48, section 5
 * (C0 and C1); Unicode Standard Annex 9, section 2 (directional formatting characters).
 */
export const escapeControls = (text: string): string => text.replaceAll(controls, notationOf)

/** Several lines as one text, in which every newline ends one of them. */
export const joinLines = (lines: ReadonlyArray<string>): string => lines.map(escapeControls).join("\n")

/** Text that has its own lines, such as a YAML document: its newlines stay. */
export const escapeLines = (text: string): string => joinLines(text.split("\n"))

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const controls = /[\u{0}-\u{1F}\u{7F}-\u{9F}\u{2028}-\u{202E}\u{2066}-\u{2069}]/gu

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
