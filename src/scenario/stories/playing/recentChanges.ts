import { timesText } from "../../../kubernetes/meta/text/countText.ts"
import { formatDuration } from "../../../kubernetes/meta/amounts/durations.ts"
import { kindOfResource, resources } from "../../../kubernetes/meta/kinds.ts"
import { whyNotReady } from "../../ledger/notReadyReason.ts"
import type { Change } from "../../../store/objectStore.ts"
import { displayName } from "../../../kubernetes/meta/text/displayName.ts"
import type { Pod } from "../../../kubernetes/meta/objects.ts"

/** The objects that changed last, to explain why a story does not settle. */
export interface RecentChanges {
  readonly begin: (nowMillis: number) => void
  readonly observe: (change: Change, atMillis: number) => void
  /** The objects with the most recent changes: how many, and why the object is not ready. */
  readonly text: (nowMillis: number) => string
}

const objectsShown = 3
/** Changes within this period are recent; an object without any has settled. */
const recentMillis = 900_000

/** Settled objects are dropped only above this number of objects. */
const trackedMin = 1000

interface TrackedObject {
  count: number
  change: Change
  atMillis: number
}

/** Resources that change all the time even when a cluster is idle. */
const ignoredResources: ReadonlySet<string> = new Set([resources.leases, resources.nodes])

export const makeRecentChanges = (): RecentChanges => {
  const tracked = new Map<string, TrackedObject>()
  let trackedMax = trackedMin
  let sinceMillis = -Infinity
  const hasSettled = ({ atMillis }: TrackedObject, nowMillis: number): boolean =>
    atMillis < nowMillis - recentMillis
  const dropSettled = (nowMillis: number): void => {
    for (const [uid, object] of tracked) if (hasSettled(object, nowMillis)) tracked.delete(uid)
    trackedMax = Math.max(trackedMin, 2 * tracked.size)
  }
  return {
    begin: (nowMillis) => {
      tracked.clear()
      sinceMillis = nowMillis
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
      const recent = [...tracked.values()].filter((object) => !hasSettled(object, nowMillis))
      const most = recent.sort((a, b) => b.count - a.count || b.atMillis - a.atMillis)
      if (most.length === 0) {
        const hasJustStarted = nowMillis - sinceMillis < recentMillis
        return `nothing has moved ${hasJustStarted ? "since it began" : `in the last ${formatDuration(recentMillis)}`}`
      }
      const texts = most.slice(0, objectsShown).map(({ count, change, atMillis }) => {
        const ago = formatDuration(nowMillis - atMillis)
        const why = change.resource === resources.pods ? whyNotReady(change.object as Pod) : undefined
        return `${labelOf(change)} ${timesText(count)}, last ${ago} ago${why === undefined ? "" : ` (${why})`}`
      })
      const rest = most.length - texts.length
      return `what moved: ${texts.join("; ")}${rest === 0 ? "" : `; and ${rest} more`}`
    }
  }
}

const labelOf = ({ resource, object }: Change): string =>
  `${kindOfResource(resource)?.singular ?? resource}/${displayName(object.metadata)}`
