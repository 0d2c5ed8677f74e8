import { addressInHash } from "./pageAddress.ts"
import type { PageState } from "./pageState.ts"

/** Follows links between objects without leaving the chosen moment. */
export const interceptLinks = ({ select }: PageState): void => {
  document.addEventListener("click", (event) => {
    const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey
    if (!isPlain || event.defaultPrevented || !(event.target instanceof Element)) return
    const href = event.target.closest("a[href^='#/']")?.getAttribute("href")
    const address = href === undefined || href === null ? undefined : addressInHash(href)
    if (address === undefined) return
    event.preventDefault()
    select(address)
  })
}
