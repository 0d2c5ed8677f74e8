import { gunzipSync } from "node:zlib"
import { readRecording } from "../../src/recording/readRecording.ts"
import type { ParsedRecording } from "../../src/recording/readRecording.ts"

/** The texts of a page's recordings, by title. */
export const recordingTextsIn = (page: string): ReadonlyMap<string, string> =>
  new Map(
    [
      ...page.matchAll(/<script type="application\/vnd.charthouse.recording" data-title="([^"]*)">([^<]*)</g)
    ].map(
      ([, title = "", packed = ""]) => [title, gunzipSync(Buffer.from(packed, "base64")).toString()] as const
    )
  )

/** A page's recordings, by title. */
export const recordingsIn = (page: string): ReadonlyMap<string, ParsedRecording> =>
  new Map(
    [...recordingTextsIn(page)].map(([title, text]) => {
      const read = readRecording(text)
      if ("problem" in read) throw new Error(`${title}: ${read.problem}`)
      return [title, read] as const
    })
  )
