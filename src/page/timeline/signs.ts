import { firstAfter } from "./stacks.ts"
import { inLanes } from "../../drawing/lanes.ts"
import { timeText } from "./words.ts"
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
export interface Band {
  readonly id: string
  readonly number: number
  readonly x: number
  readonly width: number
  readonly text: string
  /** With its times. */
  readonly words: string
  readonly lane: number
  readonly textX: number
  readonly isBefore: boolean
}

const [letterWidth, lettersMax, lanesMax, narrowest] = [6.2, 48, 4, 3]

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
  const bars = seen.map(({ id, text, beganNumber, beganMillis, endedMillis }) => {
    const x = scale.x(beganMillis)
    const width = Math.max(narrowest, scale.x(endedMillis ?? scale.endMillis) - x)
    const short = text.length > lettersMax ? `${text.slice(0, lettersMax - 1)}…` : text
    const length = short.length * letterWidth
    const isBefore = x + length > range[1]
    const textX = isBefore ? Math.max(range[0] + length, Math.min(range[1], x + width)) : x
    const until = endedMillis === undefined ? "on" : `to ${timeText(endedMillis)}`
    const words = `${text}, from ${timeText(beganMillis)} ${until}`
    return { id, number: beganNumber, x, width, text: short, words, isBefore, textX, length }
  })
  const laid = inLanes(bars, ({ x, width, isBefore, textX, length }) =>
    isBefore
      ? [Math.min(x, textX - length), Math.max(x + width, textX)]
      : [x, Math.max(x + width, x + length) + 8]
  )
  const bands = laid.flatMap(({ thing, lane }) => (lane < lanesMax ? [{ ...thing, lane }] : []))
  return {
    bands,
    lanes: Math.max(-1, ...bands.map(({ lane }) => lane)) + 1,
    untold: laid.length - bands.length
  }
}
