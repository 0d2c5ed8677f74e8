import { makeHistory } from "../history/history.ts"
import { readRecording } from "../../recording/readRecording.ts"
import type { History } from "../history/history.ts"

/** Where what is shown comes from: a cluster that lives, or a recording of one. */
export type Source =
  | { readonly type: "living" }
  | {
      readonly type: "recording"
      readonly title: string
      readonly history: History
      /** What is to be said of it, where it is not whole. */
      readonly notice: string | undefined
    }

/** What came of opening something; a sentence where it is no recording. */
export type Opened = Source | { readonly refused: string }

/** A recording out of its text; where it is none, a sentence that says so. */
export const recordingOf = (text: string, named?: string): Opened => {
  const read = readRecording(text)
  if ("refused" in read) {
    const isNone = !text.trimStart().startsWith("{")
    return isNone ? { refused: `${read.refused}. This is no recording: charthouse record makes one.` } : read
  }
  const { header, entries, isCutOff } = read
  const history = makeHistory(header)
  for (const entry of entries) history.see(entry)
  history.tell()
  return {
    type: "recording",
    title: named ?? (header.title === "" ? "a recording" : header.title),
    history,
    notice: isCutOff ? "This recording was cut off. It is shown as far as it goes." : undefined
  }
}

/** A recording out of a file's bytes, packed with gzip or not. */
export const recordingIn = async (file: Blob, named?: string): Promise<Opened> => {
  const head = new Uint8Array(await file.slice(0, gzipMagic.length).arrayBuffer())
  const isPacked = gzipMagic.every((byte, index) => head[index] === byte)
  const text = isPacked ? await unpacked(file) : await file.text()
  if (text === undefined) return { refused: "This file is packed, and was cut off or is damaged." }
  return recordingOf(text, named)
}

const gzipMagic = [0x1f, 0x8b]

const unpacked = async (file: Blob): Promise<string | undefined> => {
  try {
    return await new Response(file.stream().pipeThrough(new DecompressionStream("gzip"))).text()
  } catch {
    return undefined
  }
}
