import { momentLink } from "./momentLink.ts"
import { storedToken } from "./token.ts"
import type { PageState } from "./pageState.ts"

export const copyMomentLink = async (state: PageState): Promise<void> => {
  const token = state.source.get()?.type === "live" ? storedToken() : undefined
  const link = momentLink(state, { pageUrl: location.href.split("#")[0] ?? "", token })
  try {
    await navigator.clipboard.writeText(link)
  } catch {
    state.message.set({ text: `The browser lets the page copy nothing. The link: ${link}`, isError: true })
    return
  }
  const tokenText =
    token === undefined ? "" : " It has the page's token, which lets others change the cluster."
  state.message.set({ text: `The link to this moment is copied.${tokenText}`, isError: false })
}
