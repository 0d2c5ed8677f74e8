import { placeIn } from "./place.ts"
import type { World } from "./world.ts"

/** Whoever goes from one object to another stays at the moment that was chosen. */
export const hearLinks = ({ go }: World): void => {
  document.addEventListener("click", (event) => {
    const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey
    if (!isPlain || event.defaultPrevented || !(event.target instanceof Element)) return
    const href = event.target.closest("a[href^='#/']")?.getAttribute("href")
    const place = href === undefined || href === null ? undefined : placeIn(href)
    if (place === undefined) return
    event.preventDefault()
    go(place)
  })
}
