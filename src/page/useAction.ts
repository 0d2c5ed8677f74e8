import { runAction } from "./statusMessage.ts"
import { usePageState } from "./pageState.ts"

/** Calls `done` only on success. */
export const useAction = (): ((action: Promise<string>, done?: () => void) => void) => {
  const { message } = usePageState()
  return (action, done) => runAction(message, action, done)
}
