import { readRecordingFile } from "./pageSource.ts"
import type { OpenResult } from "./pageSource.ts"

const recordingMediaType = "application/vnd.charthouse.recording"

export interface EmbeddedRecording {
  readonly title: string
  readonly open: () => Promise<OpenResult>
}

/** The recordings of a single-file page: gzip in base64. */
export const embeddedRecordings = (): ReadonlyArray<EmbeddedRecording> =>
  [...document.querySelectorAll<HTMLScriptElement>(`script[type="${recordingMediaType}"]`)].map(
    (script, index) => {
      const title = script.dataset["title"] ?? `recording ${index + 1}`
      return { title, open: () => openEmbedded(script, title) }
    }
  )

const openEmbedded = async (script: HTMLScriptElement, title: string): Promise<OpenResult> => {
  const bytes = bytesOf(script.textContent)
  if (bytes === undefined)
    return { problem: `${title}: the recording in this page is incomplete or damaged.` }
  return readRecordingFile(new Blob([bytes]), title)
}

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return Uint8Array.from(atob(base64.trim()), (letter) => letter.charCodeAt(0))
  } catch {
    return undefined
  }
}
