import { timesText } from "../../../kubernetes/meta/text/countText.ts"
import { formatDuration } from "../../../kubernetes/meta/amounts/durations.ts"
import { kindOfResource, resources } from "../../../kubernetes/meta/kinds.ts"
import { whyNotReady } from "../../ledger/notReadyReason.ts"
import type { Change } from "../../../store/objectStore.ts"
import { displayName } from "../../../kubernetes/meta/text/displayName.ts"
import type { Pod } from "../../../kubernetes/meta/objects.ts"

export interface RecentChanges {
  /** Forgets changes before the steps of the story. */
  readonly begin: (nowMillis: number) => void
  readonly observe: (change: Change, atMillis: number) => void
  readonly text: (nowMillis: number) => string
}

const shownMax = 3
/** Changes within this period are recent; an object without any has settled. */
const recentMillis = 900_000

/** Settled objects are only dropped once more objects than this are tracked. */
const trackedMin = 1000

interface TrackedObject {
  count: number
  change: Change
  atMillis: number
}

/** Objects of these resources change even in an idle cluster. */
const ignoredResources: ReadonlySet<string> = new Set([resources.leases, resources.nodes])

export const makeRecentChanges = (): RecentChanges => {
  const tracked = new Map<string, TrackedObject>()
  let trackedMax = trackedMin
  let beginMillis = -Infinity
  const hasSettled = ({ atMillis }: TrackedObject, nowMillis: number): boolean =>
    atMillis < nowMillis - recentMillis
  const dropSettled = (nowMillis: number): void => {
    for (const [uid, object] of tracked) if (hasSettled(object, nowMillis)) tracked.delete(uid)
    // Doubled, so that settled objects are rarely searched.
    trackedMax = Math.max(trackedMin, 2 * tracked.size)
  }
  return {
    begin: (nowMillis) => {
      tracked.clear()
      beginMillis = nowMillis
    },
    observe: (change, atMillis) => {
      if (ignoredResources.has(change.resource)) return
      const { uid } = change.object.metadata
      const object = tracked.get(uid)
      if (object === undefined) {
        if (tracked.size >= trackedMax) dropSettled(atMillis)
        tracked.set(uid, { count: 1, change, atMillis })
        return
      }
      object.count = hasSettled(object, atMillis) ? 1 : object.count + 1
      object.change = change
      object.atMillis = atMillis
    },
    text: (nowMillis) => {
      const unsettled = [...tracked.values()].filter((object) => !hasSettled(object, nowMillis))
      const mostChanged = unsettled.sort((a, b) => b.count - a.count || b.atMillis - a.atMillis)
      if (mostChanged.length === 0) {
        const hasJustStarted = nowMillis - beginMillis < recentMillis
        return `nothing has moved ${hasJustStarted ? "since it began" : `in the last ${formatDuration(recentMillis)}`}`
      }
      const texts = mostChanged.slice(0, shownMax).map(({ count, change, atMillis }) => {
        const ago = formatDuration(nowMillis - atMillis)
        const why = change.resource === resources.pods ? whyNotReady(change.object as Pod) : undefined
        return `${objectTextOf(change)} ${timesText(count)}, last ${ago} ago${why === undefined ? "" : ` (${why})`}`
      })
      const omittedCount = mostChanged.length - texts.length
      return `what moved: ${texts.join("; ")}${omittedCount === 0 ? "" : `; and ${omittedCount} more`}`
    }
  }
}

const objectTextOf = ({ resource, object }: Change): string =>
  `${kindOfResource(resource)?.singular ?? resource}/${displayName(object.metadata)}`
