import { errorText } from "../kubernetes/meta/text/errorText.ts"

/** Extends the original error, so that test runners still show its diff. */
export const withNote = (error: unknown, note: string): Error => {
  if (!(error instanceof Error) || Object.isFrozen(error)) {
    return new Error(`${errorText(error)}\n\n${note}`, {
      cause: error
    })
  }
  const { message, stack = "" } = error
  const extended = `${message}\n\n${note}`
  Object.defineProperty(error, "message", { value: extended, configurable: true, writable: true })
  const at = message === "" ? -1 : stack.indexOf(message)
  if (at >= 0) error.stack = `${stack.slice(0, at)}${extended}${stack.slice(at + message.length)}`
  return error
}

/** `lastError`: the last error of a waiting assertion. */
export const withLastError = (error: unknown, lastError: Error): Error => {
  const extended = withNote(error, errorText(lastError))
  if (!("actual" in lastError) || !("expected" in lastError)) return extended
  const { actual, expected } = lastError
  return Object.assign(extended, { actual, expected })
}
