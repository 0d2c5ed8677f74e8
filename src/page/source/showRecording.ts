import { errorText } from "../../kubernetes/meta/text/errorText.ts"
import type { Signal } from "../signal.ts"
import type { StatusMessage } from "../statusMessage.ts"
import type { OpenResult, PageSource } from "./pageSource.ts"

interface Shown {
  readonly source: Signal<PageSource | undefined>
  readonly message: Signal<StatusMessage | undefined>
}

let requests = 0

/** Shows a recording or why it cannot be read. Returns false if another source was chosen meanwhile. */
export const showRecording = async (
  { source, message: statusMessage }: Shown,
  name: string,
  result: Promise<OpenResult>
): Promise<boolean> => {
  const [request, previousSource] = [(requests += 1), source.get()]
  const recording = await result.catch((error: unknown) => ({ refused: errorText(error) }))
  if (request !== requests || source.get() !== previousSource) return false
  if ("refused" in recording) {
    statusMessage.set({ text: `${name}: ${recording.refused}`, refused: true })
    return false
  }
  statusMessage.set(undefined)
  source.set(recording)
  return true
}
