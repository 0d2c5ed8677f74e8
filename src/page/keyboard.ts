import type { Place } from "./place.ts"

interface Keys {
  readonly go: (place: Place | undefined) => void
  readonly help: (wanted: boolean) => void
}

type Direction = "ArrowUp" | "ArrowDown" | "ArrowLeft" | "ArrowRight"

/** Arrows go from one thing to the nearest in that direction, Enter opens it, Escape closes, ? says all that. */
export const hearKeys = ({ go, help }: Keys): void => {
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    if (event.key === "Escape") {
      if (document.querySelector("[role=dialog]") === null) go(undefined)
      return help(false)
    }
    if (isWriting(event.target)) return
    if (event.key === "?") return help(true)
    if (!isDirection(event.key)) return
    const next = nearest(event.key)
    if (next === undefined) return
    event.preventDefault()
    next.focus()
    next.scrollIntoView({ block: "nearest", inline: "nearest" })
  })
}

const isWriting = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest("input, select, textarea, .frame") !== null

const isDirection = (key: string): key is Direction => key in vectors

const vectors: Readonly<Record<Direction, readonly [x: number, y: number]>> = {
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0]
}

/** How much further something seems that lies aside. */
const asideWeight = 3

const nearest = (direction: Direction): HTMLElement | undefined => {
  const all = [...document.querySelectorAll<HTMLElement>("[data-nav]")]
  const focused = document.activeElement
  const from = focused instanceof HTMLElement && focused.dataset["nav"] !== undefined ? focused : undefined
  if (from === undefined) return all[0]
  const [x, y] = vectors[direction]
  const start = from.getBoundingClientRect()
  let best: HTMLElement | undefined
  let bestFar = Infinity
  for (const element of all) {
    if (element === from) continue
    const box = element.getBoundingClientRect()
    const [right, down] = [box.left - start.left, box.top - start.top]
    const along = right * x + down * y
    if (along <= 1) continue
    const far = along + asideWeight * Math.abs(right * y + down * x)
    if (far < bestFar) [best, bestFar] = [element, far]
  }
  return best
}
