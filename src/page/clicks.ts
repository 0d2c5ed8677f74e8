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

const pressable = "a, button, label, [role=button], [role=option]"
/** The click of a finger or a pen comes in a later task than its `pointerup`. */
const tapMillis = 100

/** A button or link that is moved or replaced between press and release would get no click. */
export const holdRenderingWhilePressed = (): void => {
  let isPressed = false
  let heldRender: (() => void) | undefined
  let releaseTimer: number | undefined
  const release = (): void => {
    clearTimeout(releaseTimer)
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
    ({ button, target }) => {
      // The next press of a double tap may begin before the release of the first is over.
      clearTimeout(releaseTimer)
      isPressed = button === 0 && target instanceof Element && target.closest(pressable) !== null
      if (!isPressed) release()
    },
    { capture: true }
  )
  window.addEventListener(
    "pointerup",
    ({ pointerType }) => {
      clearTimeout(releaseTimer)
      releaseTimer = window.setTimeout(release, pointerType === "mouse" ? 0 : tapMillis)
    },
    { capture: true }
  )
  // The release of a press that opens a menu may go to the menu.
  for (const event of ["pointercancel", "contextmenu", "blur"]) window.addEventListener(event, release)
}
