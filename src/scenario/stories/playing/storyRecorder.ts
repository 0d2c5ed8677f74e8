import { normalizeEvent } from "../../../kubernetes/meta/normalizeEvent.ts"
import { objectKeyOf } from "../../../kubernetes/meta/objects.ts"
import { resources } from "../../../kubernetes/meta/kinds.ts"
import { makeRunDigest } from "./runDigest.ts"
import { makeOwnerHistory } from "./ownerHistory.ts"
import { makeRecentChanges } from "./recentChanges.ts"
import type { Cluster } from "../../../cluster/cluster.ts"
import type { Deployment, Key } from "../../../kubernetes/meta/objects.ts"
import type { Change } from "../../../store/objectStore.ts"
import type { WriterName } from "../../../runtime/reconciler/currentWriter.ts"
import type { EventLine } from "../storyRun.ts"
import type { Ledger } from "../../ledger/ledger.ts"
import type { OwnerHistory } from "./ownerHistory.ts"
import type { RecentChanges } from "./recentChanges.ts"
import type { NormalizedEvent } from "../../../kubernetes/meta/normalizeEvent.ts"

export interface StoryRecorder {
  /** Forgets events and recent changes, and counts writes anew. */
  readonly restart: () => void
  readonly digest: () => string
  readonly events: () => ReadonlyArray<EventLine>
  readonly writes: () => number
  readonly totalWrites: () => number
  /** Includes deleted Deployments, in their last state. */
  readonly deployments: ReadonlyMap<Key, { readonly deployment: Deployment; readonly isDeleted: boolean }>
  readonly recentChanges: RecentChanges
  readonly onNextChange: (wake: () => void) => void
}

export const makeStoryRecorder = (options: {
  readonly cluster: Pick<Cluster["Service"], "onChange" | "nowMillis" | "view">
  readonly ledger: Ledger
  readonly writesMax: number
  /** Called, perhaps repeatedly, after twice `writesMax` writes, or very many writes of one object in an instant. */
  readonly onEndless: () => void
}): StoryRecorder => {
  const { cluster, ledger, writesMax, onEndless } = options
  const digest = makeRunDigest()
  const recentChanges = makeRecentChanges()
  const deployments = new Map<Key, { readonly deployment: Deployment; readonly isDeleted: boolean }>()
  const owners = makeOwnerHistory()
  const writesAtInstant = new Map<string, number>()
  let instantMillis = -Infinity
  let events: Array<EventLine> = []
  /** Each write has a version of its own, also a heartbeat, which `onChange` leaves out. */
  const { version } = cluster.view
  const firstVersion = version()
  let beginVersion = firstVersion
  let beginMillis = 0
  let listeners: Array<() => void> = []

  const writes = (): number => version() - beginVersion
  const observe = (change: Change, writer: WriterName): void => {
    const atMillis = cluster.nowMillis()
    const { type, resource, object } = change
    if (resource === resources.leases) return
    ledger.observe(change, atMillis, writer)
    digest.observe(change, atMillis)
    if (atMillis !== instantMillis) {
      instantMillis = atMillis
      writesAtInstant.clear()
    }
    const count = (writesAtInstant.get(object.metadata.uid) ?? 0) + 1
    writesAtInstant.set(object.metadata.uid, count)
    if (count === writesPerInstantMax || writes() >= 2 * writesMax) onEndless()
    owners.observe(change)
    if (resource === resources.deployments)
      deployments.set(objectKeyOf(object), {
        deployment: object as Deployment,
        isDeleted: type === "DELETED"
      })
    if (resource === resources.events) {
      if (type !== "DELETED") events.push(eventLine(normalizeEvent(object), owners, atMillis - beginMillis))
    } else recentChanges.observe(change, atMillis)
    if (listeners.length === 0) return
    const wakes = listeners
    listeners = []
    for (const wake of wakes) wake()
  }
  cluster.onChange(observe, { skipsHeartbeats: true })
  return {
    restart: () => {
      beginMillis = cluster.nowMillis()
      events = []
      beginVersion = version()
      recentChanges.begin(beginMillis)
    },
    digest: digest.text,
    events: () => events,
    writes,
    totalWrites: () => version() - firstVersion,
    deployments,
    recentChanges,
    onNextChange: (wake) => void listeners.push(wake)
  }
}

/** Controllers react to an instant's changes with far fewer writes. */
const writesPerInstantMax = 5000

const eventLine = (event: NormalizedEvent, owners: OwnerHistory, atMillis: number): EventLine => {
  const { type, reason, message, involvedObject } = event
  const { kind = "", name = "" } = involvedObject
  const deployment = owners.deploymentOf(involvedObject)
  return {
    atMillis,
    type,
    reason,
    object: `${kind}/${name}`,
    ...(deployment === undefined ? {} : { deployment }),
    message
  }
}
