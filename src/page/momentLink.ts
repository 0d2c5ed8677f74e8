import { pageHash } from "./pageAddress.ts"
import { storedToken } from "./token.ts"
import type { PageState } from "./pageState.ts"

type LinkedState = Pick<PageState, "history" | "moment" | "selected">

/**
 * The address of what the page shows at this moment. `pageUrl` is the page's without a fragment. That of a living
 * cluster has the token, without which the page learns nothing.
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

/** Says in the status line what was copied. */
export const copyMomentLink = async (state: PageState): Promise<void> => {
  const token = state.source.get()?.type === "living" ? storedToken() : undefined
  const link = momentLink(state, { pageUrl: location.href.split("#")[0] ?? "", token })
  try {
    await navigator.clipboard.writeText(link)
  } catch {
    state.message.set({ text: `The browser lets the page copy nothing. The link: ${link}`, refused: true })
    return
  }
  const tokenText =
    token === undefined ? "" : " It has the page's token, which lets others change the cluster."
  state.message.set({ text: `The link to this moment is copied.${tokenText}`, refused: false })
}
