import { copyMomentLink } from "./copyMomentLink.ts"
import { backward, forward } from "./history/moment.ts"
import { togglePinnedMoment } from "./moment/comparison.ts"
import type { Signal } from "./signal.ts"
import type { StoryPlayer } from "./story/storyPlayer.ts"
import type { Player } from "./moment/player.ts"
import type { PageState } from "./pageState.ts"

export interface UserControls {
  readonly player: Player
  readonly story: StoryPlayer
  readonly helpOpen: Signal<boolean>
  readonly paletteOpen: Signal<boolean>
}

type Direction = "ArrowUp" | "ArrowDown" | "ArrowLeft" | "ArrowRight"

/** Arrow keys move the focus to the nearest element with `data-arrow-keys`. */
export const listenForKeys = (state: PageState, controls: UserControls): void => {
  const actions = keyActions(state, controls)
  document.addEventListener("keydown", (event) => {
    if (isPaletteKey(event) && state.source.get() !== undefined) {
      event.preventDefault()
      return controls.paletteOpen.set(!controls.paletteOpen.get())
    }
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return
    if (event.key === "Escape") return closeInnermost(state, controls)
    if (isEditable(event.target) || (event.key === " " && isActivatable(event.target))) return
    const action = Object.hasOwn(actions, event.key) ? actions[event.key] : undefined
    if (action !== undefined) {
      event.preventDefault()
      return action()
    }
    if (!isDirection(event.key)) return
    const next = nearestTo(event.key)
    if (next === undefined) return
    event.preventDefault()
    next.focus()
    next.scrollIntoView({ block: "nearest", inline: "nearest" })
  })
}

const keyActions = (
  state: PageState,
  { player, story, helpOpen }: UserControls
): Readonly<Record<string, () => void>> => {
  const whenSourceOpen = (action: () => void) => () => state.source.get() !== undefined && action()
  return {
    "?": () => helpOpen.set(true),
    "/": () => document.querySelector<HTMLInputElement>("input[type=search]")?.focus(),
    " ": whenSourceOpen(player.toggle),
    s: whenSourceOpen(story.toggle),
    m: whenSourceOpen(() => togglePinnedMoment(state)),
    y: whenSourceOpen(() => void copyMomentLink(state)),
    n: whenSourceOpen(() => story.go(forward)),
    p: whenSourceOpen(() => story.go(backward)),
    ",": whenSourceOpen(() => player.step(backward)),
    ".": whenSourceOpen(() => player.step(forward)),
    "[": whenSourceOpen(() => player.jumpToChange(backward)),
    "]": whenSourceOpen(() => player.jumpToChange(forward)),
    "<": () => player.changeSpeed(-1),
    ">": () => player.changeSpeed(1),
    Home: whenSourceOpen(player.toBegin),
    End: whenSourceOpen(player.toEnd)
  }
}

/** Closes the help, or else leaves the past of a live cluster, or else the selected object. */
const closeInnermost = ({ source, moment, select }: PageState, { player, helpOpen }: UserControls): void => {
  if (helpOpen.get()) return helpOpen.set(false)
  if (source.get()?.type === "live" && moment.get() !== undefined) return player.toEnd()
  select(undefined)
}

const isPaletteKey = ({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean =>
  key.toLowerCase() === "k" && (ctrlKey || metaKey) && !altKey && !shiftKey

const isActivatable = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest("button, summary, [role=button]") !== null

/** Inputs, and the frame in which arrow keys move a chart. */
const isEditable = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest("input, select, textarea, .frame") !== null

const isDirection = (key: string): key is Direction => key in vectors

const vectors: Readonly<Record<Direction, readonly [x: number, y: number]>> = {
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0]
}

/** A distance across the direction counts this many times, so that the next element in a row comes first. */
const asideWeight = 3

const nearestTo = (direction: Direction): HTMLElement | undefined => {
  const candidates = [...document.querySelectorAll<HTMLElement>("[data-arrow-keys]")]
  const focused = document.activeElement
  const origin =
    focused instanceof HTMLElement && focused.dataset["arrowKeys"] !== undefined ? focused : undefined
  if (origin === undefined) return candidates[0]
  const [x, y] = vectors[direction]
  const originBox = origin.getBoundingClientRect()
  let best: HTMLElement | undefined
  let bestDistance = Infinity
  for (const element of candidates) {
    if (element === origin) continue
    const box = element.getBoundingClientRect()
    const [right, down] = [box.left - originBox.left, box.top - originBox.top]
    const along = right * x + down * y
    // Positions in one row or column may differ by a pixel.
    if (along <= 1) continue
    const distance = along + asideWeight * Math.abs(right * y + down * x)
    if (distance < bestDistance) [best, bestDistance] = [element, distance]
  }
  return best
}
