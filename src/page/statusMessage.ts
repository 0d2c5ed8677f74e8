import { errorText } from "../kubernetes/meta/text/errorText.ts"
import type { Signal } from "./signal.ts"

export interface StatusMessage {
  readonly text: string
  readonly refused: boolean
}

/** Calls `done` only on success. */
export const runAction = (
  message: Signal<StatusMessage | undefined>,
  action: Promise<string>,
  done?: () => void
): void =>
  void action.then(
    (text) => {
      message.set({ text, refused: false })
      done?.()
    },
    (error: unknown) => message.set({ text: errorText(error), refused: true })
  )
