import type { Kept } from "./kept.ts"
import type { Player } from "./moment/player.ts"
import type { World } from "./world.ts"

type Direction = "ArrowUp" | "ArrowDown" | "ArrowLeft" | "ArrowRight"

/** Arrows go from one thing to the nearest in that direction, Enter opens it; the others are in the help. */
export const hearKeys = (world: World, player: Player, help: Kept<boolean>): void => {
  const keys = keysOf(world, player, help)
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return
    if (event.key === "Escape") return leave(world, player, help)
    if (isWriting(event.target) || (event.key === " " && isPressed(event.target))) return
    const act = Object.hasOwn(keys, event.key) ? keys[event.key] : undefined
    if (act !== undefined) {
      event.preventDefault()
      return act()
    }
    if (!isDirection(event.key)) return
    const next = nearest(event.key)
    if (next === undefined) return
    event.preventDefault()
    next.focus()
    next.scrollIntoView({ block: "nearest", inline: "nearest" })
  })
}

const keysOf = (
  { source }: World,
  player: Player,
  help: Kept<boolean>
): Readonly<Record<string, () => void>> => {
  const shown = (act: () => void) => () => source.get() !== undefined && act()
  return {
    "?": () => help.set(true),
    " ": shown(player.toggle),
    ",": shown(() => player.step(-1)),
    ".": shown(() => player.step(1)),
    "[": shown(() => player.leap(-1)),
    "]": shown(() => player.leap(1)),
    "<": () => player.accelerate(-1),
    ">": () => player.accelerate(1),
    Home: shown(player.toBegin),
    End: shown(player.toEnd)
  }
}

/** Out of the innermost: the help, the past of a living cluster, the object. */
const leave = ({ source, moment, go }: World, player: Player, help: Kept<boolean>): void => {
  if (help.get()) return help.set(false)
  if (source.get()?.type === "living" && moment.get() !== undefined) return player.toEnd()
  go(undefined)
}

/** What Space presses by itself. */
const isPressed = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest("button, summary, [role=button]") !== null

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
