import { fstatSync, writeSync } from "node:fs"
import { paletteFor, terminalLine } from "./palette.ts"
import { columnsOf } from "./wrapLine.ts"
import type { Palette } from "./palette.ts"

/**
 * The way from the commands to the standard output and the standard error, beside the frames of `frame.ts` and Effect's
 * help. What a line has in it from objects, servers and files does nothing to the terminal: a command need not think of
 * it.
 */

/** Prints lines for people. A newline within a line is shown as `\n`. */
export const printLines = (lines: ReadonlyArray<string>): void => {
  if (isBehind()) {
    linesLeftOut += lines.length
    return
  }
  if (linesLeftOut > 0) {
    write(textOf([`# ${linesLeftOut} lines were left out: the output was not read`]))
    linesLeftOut = 0
  }
  write(textOf(lines))
}

/** Called when a text has been written, with the error where it could not be. */
type Written = (error?: Error | null) => void

/**
 * Writes all of a text to the standard output. Node's own stream for a file takes a text for written of which a full
 * disk has taken a part.
 */
const write = (text: string, written: Written = () => {}): void => {
  if (!isFile()) return void process.stdout.write(text, written)
  try {
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length;) at += writeSync(process.stdout.fd, bytes, at)
    written()
  } catch (error) {
    process.stdout.emit("error", error)
    written(error instanceof Error ? error : new Error(String(error)))
  }
}

let isOutputFile: boolean | undefined
const isFile = (): boolean => (isOutputFile ??= fstatSync(process.stdout.fd).isFile())

/** Whether the command goes on when its output is not read, or cannot be written any more. */
let outlivesOutput = false
let isOutputLost = false
let linesLeftOut = 0
/** What is kept for a reader that does not read. */
const behindBytesMax = 1024 * 1024

/** Whether more output would only take memory. */
export const isBehind = (): boolean =>
  outlivesOutput && (isOutputLost || process.stdout.writableLength > behindBytesMax)

/**
 * For a command that serves: a terminal that is stopped (Ctrl-S), a reader that has gone (`| head`) and a full disk
 * neither hold it up nor end it.
 *
 * Source: Node's documentation of process.stdout (A note on process I/O): terminals are written to synchronously.
 */
export const outliveOutput = (): void => {
  outlivesOutput = true
  for (const stream of [process.stdout, process.stderr]) {
    const handle: unknown = Reflect.get(stream, "_handle")
    if (hasBlocking(handle)) handle.setBlocking(false)
  }
}

/** Lets the process end although its output is not read. What is read within a second is not lost. */
export const leaveOutput = (): void => {
  if (process.stdout.writableLength > 0) setTimeout(() => process.exit(), 1000).unref()
}

const hasBlocking = (handle: unknown): handle is { readonly setBlocking: (isBlocking: boolean) => void } =>
  typeof handle === "object" && handle !== null && "setBlocking" in handle

/** Says what becomes of the process when its output can no longer be written. */
export const watchOutput = (): void => {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (outlivesOutput) {
      if (!isOutputLost) complain(`warning: the output can no longer be written: ${error.message}`)
      isOutputLost = true
      return
    }
    // A reader that has seen enough (`| head`) is no failure.
    if (error.code === "EPIPE") process.exit()
    complain(`error: the output cannot be written: ${error.message}`)
    process.exit(2)
  })
  // There is nowhere to report this.
  process.stderr.on("error", () => {})
}

/** Prints a line for people beside the output that a program may be reading. */
export const complain = (line: string): void => {
  process.stderr.write(textOf([line]))
}

const textOf = (lines: ReadonlyArray<string>): string =>
  lines.map((line) => `${terminalLine(line)}\n`).join("")

/** Prints JSON, YAML or another document for programs, which says where its lines end. */
export const printData = (text: string, printed?: Written): void => {
  write(dataText(text), printed)
}

/**
 * A document has no control character but those of its lines: JSON and YAML escape the others themselves, all but DEL
 * and C1, and in both this notation is the same value. HTML and SVG are made without any.
 *
 * Source: RFC 8259, section 7; YAML 1.2.2, section 5.7 (escaped characters).
 */
const dataText = (text: string): string =>
  text.replaceAll(
    // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
    /[\u{0}-\u{8}\u{B}-\u{1F}\u{7F}-\u{9F}]/gu,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

/** The colours that the standard output shows. */
export const outputPalette = (): Palette => paletteFor(process.stdout)

/** How wide the standard output is. */
export const outputColumns = (): number => columnsOf(process.stdout)

export const isTerminal = (): boolean => process.stdout.isTTY

/** Whether frames can be drawn in the place of each other. */
export const drawsFrames = (): boolean => isTerminal() && process.env["TERM"] !== "dumb"

/** Whether there is a person to press a key. */
export const isAttended = (): boolean => process.stdin.isTTY && process.stderr.isTTY

export const pressEnter = async (prompt: string): Promise<void> => {
  const { createInterface } = await import("node:readline/promises")
  const question = createInterface({ input: process.stdin, output: process.stderr })
  await question.question(`${terminalLine(prompt)} `)
  question.close()
}
