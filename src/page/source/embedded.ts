import { recordingIn } from "./source.ts"
import type { Opened } from "./source.ts"

const type = "application/vnd.charthouse.recording"

/** A recording that lies in the document; it is read when it is asked for. */
export interface Embedded {
  readonly title: string
  readonly open: () => Promise<Opened>
}

/** The recordings that a page in one file has in it: gzip, in base64. */
export const embeddedRecordings = (): ReadonlyArray<Embedded> =>
  [...document.querySelectorAll<HTMLScriptElement>(`script[type="${type}"]`)].map((script, index) => {
    const title = script.dataset["title"] ?? `recording ${index + 1}`
    return { title, open: () => opened(script, title) }
  })

const opened = async (script: HTMLScriptElement, title: string): Promise<Opened> => {
  const bytes = bytesOf(script.textContent)
  if (bytes === undefined) return { refused: `${title}: what lies in this page was cut off or is damaged.` }
  return recordingIn(new Blob([bytes]), title)
}

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return Uint8Array.from(atob(base64.trim()), (letter) => letter.charCodeAt(0))
  } catch {
    return undefined
  }
}
