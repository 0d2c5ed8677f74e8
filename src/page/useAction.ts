import { errorText } from "../kubernetes/meta/text/errorText.ts"
import { usePageState } from "./pageState.ts"

/** Calls `done` only on success. */
export const useAction = (): ((action: Promise<string>, done?: () => void) => void) => {
  const { message } = usePageState()
  return (action, done) => {
    action.then(
      (text) => {
        message.set({ text, refused: false })
        done?.()
      },
      (error: unknown) => message.set({ text: errorText(error), refused: true })
    )
  }
}
