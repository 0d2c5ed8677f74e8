import { timesText } from "../../domain/counted.ts"
import { formatDuration } from "../../domain/durations.ts"
import { kindOfResource, resources } from "../../domain/kinds.ts"
import { whyNotReady } from "../ledger/reasons.ts"
import type { Change } from "../../store/objectStore.ts"
import { shownName } from "../../domain/shownName.ts"
import type { Pod } from "../../domain/objects.ts"

/** What has moved lately, for whom asks why a story does not come to rest. */
export interface Recent {
  /** What has moved until now is no part of what is asked for. */
  readonly begin: (nowMillis: number) => void
  readonly see: (change: Change, atMillis: number) => void
  /** Which objects have changed the most since they rested, how often, and what is the matter with them. */
  readonly text: (nowMillis: number) => string
}

/** As many objects as are told. */
const toldMax = 3
/** How long ago what moved counts as lately; what has not moved for so long has rested. */
const latelyMillis = 900_000

/** So many objects are known before those that rest are forgotten. */
const knownMin = 1000

interface Moved {
  count: number
  change: Change
  atMillis: number
}

/** What changes for ever by itself, in a world that rests as well. */
const restless: ReadonlySet<string> = new Set([resources.leases, resources.nodes])

export const makeRecent = (): Recent => {
  const known = new Map<string, Moved>()
  let knownMax = knownMin
  let sinceMillis = -Infinity
  const rests = ({ atMillis }: Moved, nowMillis: number): boolean => atMillis < nowMillis - latelyMillis
  const forget = (nowMillis: number): void => {
    for (const [uid, moved] of known) if (rests(moved, nowMillis)) known.delete(uid)
    knownMax = Math.max(knownMin, 2 * known.size)
  }
  return {
    begin: (nowMillis) => {
      known.clear()
      sinceMillis = nowMillis
    },
    see: (change, atMillis) => {
      if (restless.has(change.resource)) return
      const { uid } = change.object.metadata
      const moved = known.get(uid)
      if (moved === undefined) {
        if (known.size >= knownMax) forget(atMillis)
        known.set(uid, { count: 1, change, atMillis })
        return
      }
      moved.count = rests(moved, atMillis) ? 1 : moved.count + 1
      moved.change = change
      moved.atMillis = atMillis
    },
    text: (nowMillis) => {
      const lately = [...known.values()].filter((moved) => !rests(moved, nowMillis))
      const most = lately.sort((a, b) => b.count - a.count || b.atMillis - a.atMillis)
      if (most.length === 0) {
        const isYoung = nowMillis - sinceMillis < latelyMillis
        return `nothing has moved ${isYoung ? "since it began" : `in the last ${formatDuration(latelyMillis)}`}`
      }
      const told = most.slice(0, toldMax).map(({ count, change, atMillis }) => {
        const ago = formatDuration(nowMillis - atMillis)
        const why = change.resource === resources.pods ? whyNotReady(change.object as Pod) : undefined
        return `${labelOf(change)} ${timesText(count)}, last ${ago} ago${why === undefined ? "" : ` (${why})`}`
      })
      const rest = most.length - told.length
      return `what moved: ${told.join("; ")}${rest === 0 ? "" : `; and ${rest} more`}`
    }
  }
}

const labelOf = ({ resource, object }: Change): string =>
  `${kindOfResource(resource)?.singular ?? resource}/${shownName(object.metadata)}`
