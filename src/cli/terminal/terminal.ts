import { fstatSync, writeSync } from "node:fs"
import { clearImmediate, setImmediate } from "node:timers"
import { paletteFor, colouredAndEscapedLine } from "./palette.ts"
import { terminalColumns } from "./wrapLine.ts"
import type { Palette } from "./palette.ts"

/** The output of commands, with control characters escaped, except `terminalFrame.ts` and Effect's help. */

/** A newline within a line is shown as `\n`. */
export const printLines = (lines: ReadonlyArray<string>): void => {
  if (isOutputBehind()) {
    linesLeftOut += lines.length
    return
  }
  if (linesLeftOut > 0) {
    const notice = `# ${linesLeftOut} lines were left out: the output was not read`
    linesLeftOut = 0
    printLines([notice])
  }
  if (!survivesOutputLoss) return write(textOf(lines))
  unwrittenLines.push(...lines)
  if (unwrittenLines.length >= unwrittenLinesMax) writeUnwrittenLines()
  else plannedWrite ??= setImmediate(writeUnwrittenLines)
}

export const printLazily = (makeLine: () => string): void => {
  if (isOutputBehind()) linesLeftOut += 1
  else printLines([makeLine()])
}

/** A server's lines are written together at the end of an event loop turn: each write is a system call. */
let unwrittenLines: Array<string> = []
const unwrittenLinesMax = 1000
let plannedWrite: NodeJS.Immediate | undefined

/** Must precede any direct write to the output. */
export const writeUnwrittenLines = (): void => {
  clearImmediate(plannedWrite)
  plannedWrite = undefined
  if (unwrittenLines.length === 0) return
  const text = textOf(unwrittenLines)
  unwrittenLines = []
  write(text)
}

type OnWritten = (error?: Error | null) => void

/** Node's stream reports a partial write to a full disk as a success: files are written with `writeSync`. */
const write = (text: string, onWritten: OnWritten = () => {}): void => {
  if (!isFile()) return void process.stdout.write(text, onWritten)
  try {
    const bytes = Buffer.from(text)
    for (let offset = 0; offset < bytes.length;) offset += writeSync(process.stdout.fd, bytes, offset)
    onWritten()
  } catch (error) {
    process.stdout.emit("error", error)
    onWritten(error instanceof Error ? error : new Error(String(error)))
  }
}

let isOutputFile: boolean | undefined
const isFile = (): boolean => (isOutputFile ??= fstatSync(process.stdout.fd).isFile())

let survivesOutputLoss = false
let isOutputLost = false
let linesLeftOut = 0
const bufferedBytesMax = 1024 * 1024
let isReaderBehind = false

/** A slow reader first reads all that is buffered, so that the output has few gaps. */
export const isOutputBehind = (): boolean => {
  if (!survivesOutputLoss) return false
  isReaderBehind = process.stdout.writableLength > (isReaderBehind ? 0 : bufferedBytesMax)
  return isOutputLost || isReaderBehind
}

/**
 * For servers: a stopped terminal (Ctrl-S), a closed pipe or a full disk then neither blocks nor ends the process.
 *
 * Source: Node's documentation of process.stdout (A note on process I/O).
 */
export const surviveOutputLoss = (): void => {
  survivesOutputLoss = true
  process.once("exit", writeUnwrittenLines)
  for (const stream of [process.stdout, process.stderr]) {
    const handle: unknown = Reflect.get(stream, "_handle")
    if (hasBlocking(handle)) handle.setBlocking(false)
  }
}

/** Lets the process exit within a second although output is unread. */
export const abandonOutput = (): void => {
  writeUnwrittenLines()
  if (process.stdout.writableLength > 0) setTimeout(() => process.exit(), 1000).unref()
}

const hasBlocking = (handle: unknown): handle is { readonly setBlocking: (isBlocking: boolean) => void } =>
  typeof handle === "object" && handle !== null && "setBlocking" in handle

export const handleOutputErrors = (): void => {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (survivesOutputLoss) {
      if (!isOutputLost) printToStderr(`warning: the output can no longer be written: ${error.message}`)
      isOutputLost = true
      return
    }
    // A closed pipe (`| head`) is not a failure.
    if (error.code === "EPIPE") process.exit()
    printToStderr(`error: the output cannot be written: ${error.message}`)
    process.exit(2)
  })
  process.stderr.on("error", () => {})
}

export const printToStderr = (line: string): void => {
  process.stderr.write(textOf([line]))
}

const textOf = (lines: ReadonlyArray<string>): string =>
  lines.map((line) => `${colouredAndEscapedLine(line)}\n`).join("")

/** The document's newlines stay. */
export const printData = (text: string, onWritten?: OnWritten): void => {
  writeUnwrittenLines()
  write(dataText(text), onWritten)
}

/**
 * JSON and YAML escape control characters except DEL and C1, and read this notation. HTML and SVG have no control
 * characters.
 *
 * Source: RFC 8259, section 7; YAML 1.2.2, section 5.7 (escaped characters).
 */
const dataText = (text: string): string =>
  text.replaceAll(
    // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
    /[\u{0}-\u{8}\u{B}-\u{1F}\u{7F}-\u{9F}]/gu,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

export const outputPalette = (): Palette => paletteFor(process.stdout)

export const outputColumns = (): number => terminalColumns(process.stdout)

export const isOutputTerminal = (): boolean => process.stdout.isTTY

export const canDrawFrames = (): boolean => isOutputTerminal() && process.env["TERM"] !== "dumb"

export const isInteractive = (): boolean => process.stdin.isTTY && process.stderr.isTTY

export const waitForEnter = async (prompt: string): Promise<void> => {
  const { createInterface } = await import("node:readline/promises")
  const question = createInterface({ input: process.stdin, output: process.stderr })
  await question.question(`${colouredAndEscapedLine(prompt)} `)
  question.close()
}
