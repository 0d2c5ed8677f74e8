import { layOutBars } from "../../drawing/bars.ts"
import { firstAfter } from "./stacks.ts"
import { timeText } from "./words.ts"
import type { Bar } from "../../drawing/bars.ts"
import type { SeenFault } from "../history/marking.ts"
import type { Row } from "./track.ts"
import type { TimeScale } from "../../drawing/timeScale.ts"

/** Something that has a moment and can be said. */
interface Told {
  readonly number: number
  readonly atMillis: number
  readonly isBad: boolean
  readonly text: string
  /** What stands in its mark. */
  readonly label?: string
}

/** A mark of a drawing: several things where they would lie on each other. */
export interface Sign {
  readonly x: number
  /** Of the first of them, or of the first bad one: what is shown when it is chosen. */
  readonly number: number
  readonly count: number
  readonly isBad: boolean
  readonly label: string
  /** With their times; not all of them where there are many. */
  readonly lines: ReadonlyArray<string>
}

const linesMax = 6

/** Things in order, as marks that do not touch each other. */
export const signsOf = <A extends Told>(
  told: ReadonlyArray<A>,
  scale: TimeScale,
  width: number,
  isWanted: (told: A) => boolean = () => true
): ReadonlyArray<Sign> => {
  const signs: Array<Sign> = []
  let index = firstAfter(told, scale.beginMillis - 1)
  while (index < told.length) {
    const first = told[index]
    if (first === undefined || first.atMillis > scale.endMillis) break
    if (!isWanted(first)) {
      index += 1
      continue
    }
    const x = scale.x(first.atMillis)
    const isLast = x + width >= scale.x(scale.endMillis)
    const edgeMillis = isLast ? Infinity : scale.millisAt(x + width)
    const [bad, good]: [Array<Told>, Array<Told>] = [[], []]
    let [count, number] = [0, first.number]
    for (; index < told.length; index += 1) {
      const it = told[index]
      if (it === undefined || it.atMillis > scale.endMillis) break
      if (it.atMillis >= edgeMillis && it.atMillis > first.atMillis) break
      if (!isWanted(it)) continue
      count += 1
      if (it.isBad && bad.length === 0) number = it.number
      const some = it.isBad ? bad : good
      if (some.length < linesMax) some.push(it)
    }
    // What is bad is told first where not all can be told.
    const shown = [...bad, ...good].slice(0, linesMax).sort((a, b) => a.number - b.number)
    const lines = shown.map(({ atMillis, text }) => `${timeText(atMillis)} ${text}`)
    if (count > shown.length) lines.push(`and ${count - shown.length} more`)
    signs.push({ x, number, count, isBad: bad.length > 0, label: first.label ?? "", lines })
  }
  return signs
}

/** Where another revision became the one that is wanted. */
export interface Flag {
  readonly x: number
  readonly revision: string
}

/** How far a revision's number may come after the template it is of, in rows: one that comes back has another first. */
const lookAheadMax = 60

export const flagsOf = (rows: ReadonlyArray<Row>, scale: TimeScale): ReadonlyArray<Flag> => {
  const flags: Array<Flag> = []
  let next: string | undefined
  for (const [index, row] of rows.entries()) {
    if (row.atMillis > scale.endMillis) break
    if (row.next === next || row.next === undefined) continue
    next = row.next
    // Of those before the beginning the last is the one that is wanted then.
    if (row.atMillis <= scale.beginMillis) flags.length = 0
    flags.push({ x: scale.x(row.atMillis), revision: revisionAfter(rows, index, next) })
  }
  return flags
}

const revisionAfter = (rows: ReadonlyArray<Row>, index: number, uid: string): string => {
  let revision = ""
  for (let at = index; at < index + lookAheadMax; at += 1) {
    const row = rows[at]
    if (row?.next !== uid) break
    revision = row.byRevision.find((it) => it.uid === uid)?.revision ?? revision
  }
  return revision
}

/** A fault over the stretch that it lasts. */
export interface Band extends Omit<Bar<SeenFault>, "thing"> {
  readonly id: string
  /** With its times. */
  readonly words: string
}

const room = { lanesMax: 4, lettersMax: 48, letterWidth: 6.2, gap: 8 }

/** The bands of faults, in lanes in which no name stands on another; `untold` have no room. */
export const bandsOf = (
  faults: ReadonlyArray<SeenFault>,
  scale: TimeScale,
  range: readonly [from: number, to: number]
): { readonly bands: ReadonlyArray<Band>; readonly lanes: number; readonly untold: number } => {
  const seen = faults.filter(
    ({ beganMillis, endedMillis = Infinity }) =>
      beganMillis <= scale.endMillis && endedMillis >= scale.beginMillis
  )
  const { bars, ...laid } = layOutBars(seen, { scale, range, ...room })
  return {
    bands: bars.map(({ thing, ...bar }) => ({ ...bar, id: thing.id, words: wordsOf(thing) })),
    ...laid
  }
}

const wordsOf = ({ text, beganMillis, endedMillis }: SeenFault): string => {
  const until = endedMillis === undefined ? "on" : `to ${timeText(endedMillis)}`
  return `${text}, from ${timeText(beganMillis)} ${until}`
}
