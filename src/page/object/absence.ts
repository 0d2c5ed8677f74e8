import { clockText } from "../source/time.ts"
import type { History } from "../history/history.ts"
import type { Place } from "../place.ts"

interface Seen {
  readonly told: History
  readonly moment: number | undefined
  readonly millis: number
  /** The server's words, where it knows of no such thing. */
  readonly refused: string | undefined
}

/** Why an object is not there at a moment, in a sentence. */
export const absenceText = (place: Place, { told, moment, millis, refused }: Seen): string => {
  const { kind, name } = place
  const what = `${kind} ${JSON.stringify(name)}`
  if (told.lastOf(place, moment) !== undefined) {
    return moment === undefined
      ? `This ${kind} is gone. What is shown is how it was at the last.`
      : `At ${clockText(millis)} this ${kind} was gone already. What is shown is how it was at the last.`
  }
  if (told.lastOf(place, undefined) !== undefined) return `At ${clockText(millis)} there was no ${what} yet.`
  return refused ?? `No ${what} is here, and none was as far back as is known.`
}
