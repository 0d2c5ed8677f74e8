import { makeClusterHistory } from "../history/clusterHistory.ts"
import { readRecording } from "../../recording/readRecording.ts"
import type { ClusterHistory } from "../history/clusterHistory.ts"

export interface OpenedRecording {
  readonly type: "recording"
  readonly title: string
  readonly history: ClusterHistory
  /** Says that the recording is incomplete. */
  readonly notice: string | undefined
}

/** `live`: the cluster of the server that serves the page. */
export type PageSource = { readonly type: "live" } | OpenedRecording

export type OpenResult = OpenedRecording | { readonly problem: string }

export const parseRecording = (text: string, title?: string): OpenResult => {
  const result = readRecording(text)
  if ("problem" in result) {
    const isOtherFormat = !text.trimStart().startsWith("{")
    return isOtherFormat
      ? { problem: `${result.problem}. This is not a recording: charthouse record makes one.` }
      : result
  }
  const { header, entries, isCutOff } = result
  const history = makeClusterHistory(header)
  for (const entry of entries) history.add(entry)
  history.publish()
  return {
    type: "recording",
    title: title ?? (header.title === "" ? "a recording" : header.title),
    history,
    notice: isCutOff ? "This recording is incomplete. The page shows it up to its last entry." : undefined
  }
}

export const readRecordingFile = async (file: Blob, title?: string): Promise<OpenResult> => {
  const head = new Uint8Array(await file.slice(0, gzipMagic.length).arrayBuffer())
  const isGzip = gzipMagic.every((byte, index) => head[index] === byte)
  const text = isGzip ? await gunzip(file) : await file.text()
  if (text === undefined) return { problem: "This compressed file is incomplete or damaged." }
  return parseRecording(text, title)
}

const gzipMagic = [0x1f, 0x8b]

const gunzip = async (file: Blob): Promise<string | undefined> => {
  try {
    return await new Response(file.stream().pipeThrough(new DecompressionStream("gzip"))).text()
  } catch {
    return undefined
  }
}
