import { createContext } from "preact"
import { memo } from "preact/compat"
import { symbol, symbolCircle, symbolDiamond, symbolTriangle } from "d3-shape"
import { roundToTenth } from "../../drawing/roundToTenth.ts"
import { useContext } from "preact/hooks"
import type { Sign } from "./signs.ts"
import type { SignLane } from "./picture.ts"

export type Choose = (moment: number | undefined) => void

/** What is said of a mark while it is looked at. */
export interface Told {
  readonly x: number
  readonly y: number
  readonly lines: ReadonlyArray<string>
}

/** Where marks say what they are when somebody comes near; undefined when nobody does any more. */
export const Telling = createContext<(told: Told | undefined) => void>(() => undefined)

interface SignsProps {
  readonly label: string
  readonly kind: "note" | "condition" | "event"
  readonly lane: SignLane
  readonly choose: Choose
}

/** Marks beside each other: the pointer, the keyboard and whoever reads the page aloud learn what each is. */
export const SignsView = memo(({ label, kind, lane, choose }: SignsProps) => {
  const tell = useContext(Telling)
  const { y, signs } = lane
  if (signs.length === 0) return null
  return (
    <g role="group" aria-label={`${label}: ${signs.length}`} class={`signs ${kind}`}>
      {signs.map((sign) => {
        const { x, number, count, isBad, label: letters, lines } = sign
        const told = (): void => tell({ x, y, lines })
        return (
          <g
            key={number}
            class="sign"
            data-bad={isBad}
            data-sign
            role="button"
            tabindex={-1}
            aria-label={lines.join("; ")}
            transform={`translate(${roundToTenth(x)},${y})`}
            onPointerEnter={told}
            onPointerLeave={() => tell(undefined)}
            onFocus={told}
            onBlur={() => tell(undefined)}
            onClick={() => choose(number)}
            onKeyDown={(event: KeyboardEvent) => {
              if (event.key !== "Enter" && event.key !== " ") return
              event.preventDefault()
              choose(number)
            }}
          >
            <rect x="-7" y="-10" width="14" height="20" class="room" />
            <path d={shapeOf(kind, sign)} />
            {!isBad && letters !== "" && (
              <text y="4" text-anchor="middle">
                {letters}
              </text>
            )}
            {count > 1 && kind !== "event" && <path class="more" d="M-4,10h8" />}
          </g>
        )
      })}
    </g>
  )
})

const shapes = {
  good: { note: [symbolCircle, 200], condition: [symbolDiamond, 60], event: [symbolCircle, 22] },
  bad: { note: [symbolTriangle, 90], condition: [symbolTriangle, 64], event: [symbolTriangle, 46] }
} as const

const shapeOf = (kind: SignsProps["kind"], { isBad }: Sign): string => {
  const [shape, size] = shapes[isBad ? "bad" : "good"][kind]
  return symbol(shape, size).digits(1)() ?? ""
}
