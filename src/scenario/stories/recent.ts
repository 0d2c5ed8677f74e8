import { timesText } from "../../domain/counted.ts"
import { formatDuration } from "../../domain/durations.ts"
import { keyOf } from "../../domain/objects.ts"
import { kindOfResource, resources } from "../../domain/kinds.ts"
import { whyNotReady } from "../ledger/reasons.ts"
import type { Change } from "../../store/objectStore.ts"
import { shownName } from "../../domain/shownName.ts"
import type { Pod } from "../../domain/objects.ts"

/** What has moved lately, for whom asks why a story does not come to rest. */
export interface Recent {
  readonly see: (change: Change, atMillis: number) => void
  /** Which objects changed the most among the latest changes, how often, and what is the matter with them. */
  readonly text: (nowMillis: number) => string
}

/** As many of the latest changes as are looked at. */
const changesMax = 500
/** As many objects as are told. */
const toldMax = 3
/** How long ago what moved counts as lately. */
const latelyMillis = 900_000

/** What changes for ever by itself, in a world that rests as well. */
const restless: ReadonlySet<string> = new Set([resources.leases, resources.nodes])

export const makeRecent = (): Recent => {
  let latest: Array<{ readonly change: Change; readonly atMillis: number }> = []
  return {
    see: (change, atMillis) => {
      if (restless.has(change.resource)) return
      latest.push({ change, atMillis })
      if (latest.length >= 2 * changesMax) latest = latest.slice(-changesMax)
    },
    text: (nowMillis) => {
      const counts = new Map<string, { count: number; change: Change; atMillis: number }>()
      for (const { change, atMillis } of latest.slice(-changesMax)) {
        if (atMillis < nowMillis - latelyMillis) continue
        const id = `${change.resource} ${keyOf(change.object)}`
        counts.set(id, { count: (counts.get(id)?.count ?? 0) + 1, change, atMillis })
      }
      const most = [...counts.values()].sort((a, b) => b.count - a.count || b.atMillis - a.atMillis)
      if (most.length === 0) return `nothing has moved in the last ${formatDuration(latelyMillis)}`
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
