import { countText } from "../../kubernetes/meta/text/countText.ts"
import { indexAt } from "../history/lives.ts"
import { revisionWords, rowText, timeText } from "./words.ts"
import type { DrawnHistory } from "./picture.ts"
import type { Row } from "./track.ts"
import type { Track } from "./series.ts"

/** How a Deployment stood at a moment; undefined before it was there. */
export const rowAt = (rows: ReadonlyArray<Row>, moment: number): Row | undefined =>
  rows[indexAt(rows, moment)]

/** The next moment before or after one at which something happened that has a mark. */
export const nextThing = (
  history: Pick<DrawnHistory, "faults" | "notes">,
  tracks: ReadonlyArray<Track>,
  moment: number,
  direction: 1 | -1
): number | undefined => {
  const lists = [...tracks.map(({ happenings }) => happenings), history.notes]
  const ends = history.faults.flatMap(({ beganNumber, endedNumber = beganNumber }) => [
    beganNumber,
    endedNumber
  ])
  const numbers = lists
    .flatMap((list) => neighbour(list, moment, direction) ?? [])
    .concat(ends.filter((number) => (direction > 0 ? number > moment : number < moment)))
  if (numbers.length === 0) return undefined
  return direction > 0 ? Math.min(...numbers) : Math.max(...numbers)
}

const neighbour = (
  list: ReadonlyArray<{ readonly number: number }>,
  moment: number,
  direction: 1 | -1
): number | undefined =>
  direction > 0 ? list[indexAt(list, moment) + 1]?.number : list[indexAt(list, moment - 1)]?.number

/** What a moment was like, in words: first the time, then the numbers, then each revision. */
export const readout = (
  millis: number,
  moment: number,
  track: Track | undefined,
  tracks: ReadonlyArray<Track>
): {
  readonly time: string
  readonly counts: string
  readonly revisions: ReadonlyArray<string>
} => {
  const time = timeText(millis)
  if (track !== undefined) {
    const row = rowAt(track.rows, moment)
    if (row === undefined) return { time, counts: `${track.name} is not there yet`, revisions: [] }
    return { time, counts: rowText(row), revisions: row.byRevision.map(revisionWords) }
  }
  const rows = tracks.flatMap(({ rows: all }) => rowAt(all, moment) ?? [])
  const [available, desired] = [sum(rows, (row) => row.available), sum(rows, (row) => row.desired)]
  const counts = `${available} of ${desired} available in ${countText(rows.length, "Deployment")}`
  return { time, counts, revisions: [] }
}

const sum = (rows: ReadonlyArray<Row>, valueOf: (row: Row) => number): number =>
  rows.reduce((total, row) => total + valueOf(row), 0)
