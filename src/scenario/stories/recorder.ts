import { wholeEvent } from "../../domain/wholeEvent.ts"
import { keyOf } from "../../domain/objects.ts"
import { resources } from "../../domain/kinds.ts"
import { makeDigest } from "./digest.ts"
import { makeOwners } from "./owners.ts"
import { makeRecent } from "./recent.ts"
import type { Cluster } from "../../cluster.ts"
import type { Deployment, Key } from "../../domain/objects.ts"
import type { Change } from "../../store/objectStore.ts"
import type { Writer } from "../../faults/writing.ts"
import type { EventLine } from "./storyRun.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { Owners } from "./owners.ts"
import type { Recent } from "./recent.ts"
import type { WholeEvent } from "../../domain/wholeEvent.ts"

/** Records a story's changes, from the start of its cluster. */
export interface Recorder {
  readonly begin: () => void
  readonly digest: () => string
  readonly events: () => ReadonlyArray<EventLine>
  readonly writes: () => number
  /** Writes including those before the beginning. */
  readonly writesInAll: () => number
  /** Every Deployment that ever existed, in its last state. */
  readonly deployments: ReadonlyMap<Key, { readonly deployment: Deployment; readonly isGone: boolean }>
  readonly recent: Recent
  readonly onNext: (wake: () => void) => void
}

export const makeRecorder = (options: {
  readonly cluster: Pick<Cluster["Service"], "onChange" | "nowMillis">
  readonly ledger: Ledger
  /**
   * Detects an instant that never ends: one object is written very often at it, or there are far more writes than
   * allowed. `onEndless` is called once and ends the cluster.
   */
  readonly writesMax: number
  readonly onEndless: () => void
}): Recorder => {
  const { cluster, ledger, writesMax, onEndless } = options
  const digest = makeDigest()
  const recent = makeRecent()
  const deployments = new Map<Key, { readonly deployment: Deployment; readonly isGone: boolean }>()
  const owners = makeOwners()
  const writesAtInstant = new Map<string, number>()
  let instantMillis = -Infinity
  let events: Array<EventLine> = []
  let writes = 0
  let writesBefore = 0
  let sinceMillis = 0
  let listeners: Array<() => void> = []

  const see = (change: Change, writer: Writer): void => {
    const atMillis = cluster.nowMillis()
    ledger.see(change, atMillis, writer)
    digest.see(change, atMillis)
    writes += 1
    const { type, resource, object } = change
    if (atMillis !== instantMillis) {
      instantMillis = atMillis
      writesAtInstant.clear()
    }
    const count = (writesAtInstant.get(object.metadata.uid) ?? 0) + 1
    writesAtInstant.set(object.metadata.uid, count)
    if (count === writesPerInstantMax || writes === 2 * writesMax) onEndless()
    owners.see(change)
    if (resource === resources.deployments)
      deployments.set(keyOf(object), { deployment: object as Deployment, isGone: type === "DELETED" })
    if (resource === resources.events) {
      if (type !== "DELETED") events.push(eventLine(wholeEvent(object), owners, atMillis - sinceMillis))
    } else recent.see(change, atMillis)
    if (listeners.length === 0) return
    const called = listeners
    listeners = []
    for (const wake of called) wake()
  }
  cluster.onChange(see)
  return {
    begin: () => {
      sinceMillis = cluster.nowMillis()
      events = []
      writesBefore = writes
      writes = 0
      recent.begin(sinceMillis)
    },
    digest: digest.text,
    events: () => events,
    writes: () => writes,
    writesInAll: () => writesBefore + writes,
    deployments,
    recent,
    onNext: (wake) => void listeners.push(wake)
  }
}

/** Far more writes than controllers need to react to an instant's changes. */
const writesPerInstantMax = 5000

const eventLine = (event: WholeEvent, owners: Owners, atMillis: number): EventLine => {
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
