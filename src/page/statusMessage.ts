import { errorText } from "../kubernetes/meta/text/errorText.ts"
import type { Signal } from "./signal.ts"

export interface StatusMessage {
  readonly text: string
  readonly isError: boolean
}

/** Calls `done` only on success. */
export const runAction = (
  message: Signal<StatusMessage | undefined>,
  action: Promise<string>,
  done?: () => void
): void =>
  void action.then(
    (text) => {
      message.set({ text, isError: false })
      done?.()
    },
    (error: unknown) => message.set({ text: errorText(error), isError: true })
  )
