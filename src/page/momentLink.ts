import { pageHash } from "./pageAddress.ts"
import type { PageAddress } from "./pageAddress.ts"
import type { Signal } from "./signal.ts"

/** Moments are numbers of entries of the recording. */
interface LinkedState {
  readonly history: Pick<Signal<{ readonly endNumber: number }>, "get">
  readonly moment: Pick<Signal<number | undefined>, "get">
  readonly selected: Pick<Signal<PageAddress | undefined>, "get">
}

/** `pageUrl` has no fragment. Without the token the server of a live cluster refuses the page. */
export const momentLink = (
  { history, moment, selected }: LinkedState,
  { pageUrl, token }: { readonly pageUrl: string; readonly token: string | undefined }
): string => {
  const hash = pageHash(selected.get(), moment.get() ?? history.get().endNumber)
  return token === undefined
    ? `${pageUrl}${hash}`
    : `${pageUrl}#token=${encodeURIComponent(token)}&${hash.slice(1)}`
}
