import { options } from "preact"
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

/** A button or link that is moved or replaced between press and release would get no click. */
export const holdRenderingWhilePressed = (): void => {
  let isPressed = false
  let heldRender: (() => void) | undefined
  const release = (): void => {
    isPressed = false
    heldRender?.()
    heldRender = undefined
  }
  options.debounceRendering = (render) => {
    if (isPressed) heldRender = render
    else queueMicrotask(render)
  }
  window.addEventListener(
    "pointerdown",
    ({ target }) => (isPressed = target instanceof Element && target.closest("a, button, label") !== null),
    { capture: true }
  )
  // The click follows within the same task.
  window.addEventListener("pointerup", () => setTimeout(release), { capture: true })
  for (const event of ["pointercancel", "blur"]) window.addEventListener(event, release)
}
