import { errorText } from "../../kubernetes/meta/text/errorText.ts"
import type { Signal } from "../signal.ts"
import type { StatusMessage } from "../statusMessage.ts"
import type { OpenResult, PageSource } from "./pageSource.ts"

interface ShownSignals {
  readonly source: Signal<PageSource | undefined>
  readonly message: Signal<StatusMessage | undefined>
}

/** Counts the calls: only the recording that was opened last is shown. */
let openCount = 0

/** False if the recording cannot be read, or the source has changed. */
export const showRecording = async (
  { source, message }: ShownSignals,
  name: string,
  result: Promise<OpenResult>
): Promise<boolean> => {
  const [ownCount, previousSource] = [(openCount += 1), source.get()]
  const recording = await result.catch((error: unknown) => ({ problem: errorText(error) }))
  if (ownCount !== openCount || source.get() !== previousSource) return false
  if ("problem" in recording) {
    message.set({ text: `${name}: ${recording.problem}`, isError: true })
    return false
  }
  message.set(undefined)
  source.set(recording)
  return true
}
