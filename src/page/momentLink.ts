import { pageHash } from "./pageAddress.ts"
import type { PageAddress } from "./pageAddress.ts"
import type { Signal } from "./signal.ts"

/** The parts of the page's state that a link names. */
interface LinkedState {
  readonly history: Pick<Signal<{ readonly endNumber: number }>, "get">
  readonly moment: Pick<Signal<number | undefined>, "get">
  readonly selected: Pick<Signal<PageAddress | undefined>, "get">
}

/**
 * The address of what the page shows at this moment. `pageUrl` is the page's own, without a fragment. The link to a
 * living cluster has the token, without which the server refuses the page.
 */
export const momentLink = (
  { history, moment, selected }: LinkedState,
  { pageUrl, token }: { readonly pageUrl: string; readonly token: string | undefined }
): string => {
  const hash = pageHash(selected.get(), moment.get() ?? history.get().endNumber)
  return token === undefined
    ? `${pageUrl}${hash}`
    : `${pageUrl}#token=${encodeURIComponent(token)}&${hash.slice(1)}`
}
