import { createContext } from "preact"
import { runAction } from "./statusMessage.ts"
import { useContext } from "preact/hooks"
import { usePageState } from "./pageState.ts"
import type { PreviewConnection } from "./object/previewConnection.ts"

/** Set while actions are played in a copy of the cluster. */
export const PreviewContext = createContext<PreviewConnection | undefined>(undefined)

/** `done` is called only on success, not after a preview. */
export const useAction = (): ((action: Promise<string>, done?: () => void) => void) => {
  const { message } = usePageState()
  const preview = useContext(PreviewContext)
  return (action, done) =>
    preview === undefined ? runAction(message, action, done) : runAction(message, preview.outcomeOf(action))
}
