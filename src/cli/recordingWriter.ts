import { createWriteStream } from "node:fs"
import { open, rm, stat } from "node:fs/promises"
import type { Writable } from "node:stream"
import type { End } from "../recording/entry.ts"

/** Writes a recording line by line, so that what is written is whole whenever it ends. */
export interface RecordingWriter {
  /** Takes text as it comes; what is no whole line yet is kept back. */
  readonly write: (piece: string) => Promise<void>
  /** Of the last entry that was written, and of which recording; undefined before the first. */
  readonly known: () => { readonly number: number; readonly id: string } | undefined
  readonly entries: () => number
  readonly hasEnded: () => boolean
  /** Writes the end, where it is not there yet. */
  readonly end: () => Promise<void>
  /** Leaves nothing behind where nothing was written. */
  readonly close: () => Promise<void>
}

/** Sees that a file can be written before anything is asked for. What is in it stays there until something comes. */
export const openRecordingWriter = async (file: string): Promise<RecordingWriter> => {
  if (file === "-") return writerTo(() => process.stdout)
  const isNew = (await stat(file).catch(() => undefined)) === undefined
  const present = await open(file, "a")
  await present.close()
  const writer = writerTo(() => createWriteStream(file))
  const close = async (): Promise<void> => {
    await writer.close()
    if (isNew && writer.entries() === 0) await rm(file)
  }
  return { ...writer, close }
}

/** What is the matter with it whoever writes is told. */
const begun = (sink: Writable): Writable => sink.on("error", () => {})

const writerTo = (openSink: () => Writable): RecordingWriter => {
  let sink: Writable | undefined
  let rest = ""
  let id = ""
  let [entries, number, atMillis] = [0, 0, 0]
  let hasEnded = false

  const put = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      sink ??= begun(openSink())
      sink.write(text, (error) => (error == null ? resolve() : reject(error)))
    })
  const note = (line: string): void => {
    entries += 1
    const [, told = "", millis = ""] = /"number":(\d+),"atMillis":([\d.]+)/.exec(line) ?? []
    number = Math.max(number, Number(told))
    atMillis = Math.max(atMillis, Number(millis))
    if (line.startsWith('{"type":"header"')) id = /"id":"([^"]*)"/.exec(line)?.[1] ?? ""
    hasEnded = line.startsWith('{"type":"end"')
  }
  return {
    write: async (piece) => {
      const lines = (rest + piece).split("\n")
      rest = lines.pop() ?? ""
      if (lines.length === 0) return
      lines.forEach(note)
      await put(lines.map((line) => `${line}\n`).join(""))
    },
    known: () => (entries === 0 ? undefined : { number, id }),
    entries: () => entries,
    hasEnded: () => hasEnded,
    end: async () => {
      rest = ""
      if (hasEnded || entries === 0) return
      const end: End = { type: "end", number, atMillis, entries: entries + 1 }
      const line = JSON.stringify(end)
      note(line)
      await put(`${line}\n`)
    },
    close: () =>
      new Promise((resolve, reject) => {
        if (sink === undefined || sink === process.stdout) return resolve()
        sink.once("error", reject)
        sink.end(() => resolve())
      })
  }
}
