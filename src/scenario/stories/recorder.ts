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

/** Writes down what happens in a story's cluster, from its first moment on. */
export interface Recorder {
  /** From now on events and writes count. */
  readonly begin: () => void
  readonly digest: () => string
  readonly events: () => ReadonlyArray<EventLine>
  /** Writes since the beginning, whoever made them. */
  readonly writes: () => number
  /** With those from before the beginning. */
  readonly writesInAll: () => number
  /** Every Deployment that was there, as it was last. */
  readonly deployments: ReadonlyMap<Key, { readonly deployment: Deployment; readonly isGone: boolean }>
  readonly recent: Recent
  /** Called once, after the next change. */
  readonly onNext: (wake: () => void) => void
}

export const makeRecorder = (options: {
  readonly cluster: Pick<Cluster["Service"], "onChange" | "nowMillis">
  readonly ledger: Ledger
  /**
   * An instant that never ends: an object that is written so often at one that nobody can mean it, or so many writes in
   * all that nobody waits for the instant's end. Told once; what is called ends the cluster.
   */
  readonly writesMax: number
  readonly onEndless: () => void
}): Recorder => {
  const { cluster, ledger, writesMax, onEndless } = options
  const digest = makeDigest()
  const recent = makeRecent()
  const deployments = new Map<Key, { readonly deployment: Deployment; readonly isGone: boolean }>()
  const owners = makeOwners()
  const atInstant = new Map<string, number>()
  let instantMillis = -Infinity
  let events: Array<EventLine> = []
  let writes = 0
  let writesBefore = 0
  let sinceMillis = 0
  let waiting: Array<() => void> = []

  const see = (change: Change, by: Writer): void => {
    const atMillis = cluster.nowMillis()
    ledger.see(change, atMillis, by)
    digest.see(change, atMillis)
    writes += 1
    const { type, resource, object } = change
    if (atMillis !== instantMillis) {
      instantMillis = atMillis
      atInstant.clear()
    }
    const often = (atInstant.get(object.metadata.uid) ?? 0) + 1
    atInstant.set(object.metadata.uid, often)
    if (often === oftenMax || writes === 2 * writesMax) onEndless()
    owners.see(change)
    if (resource === resources.deployments)
      deployments.set(keyOf(object), { deployment: object as Deployment, isGone: type === "DELETED" })
    if (resource === resources.events) {
      if (type !== "DELETED") events.push(eventLine(wholeEvent(object), owners, atMillis - sinceMillis))
    } else recent.see(change, atMillis)
    if (waiting.length === 0) return
    const wakes = waiting
    waiting = []
    for (const wake of wakes) wake()
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
    onNext: (wake) => void waiting.push(wake)
  }
}

/** Controllers look at what has come of an instant's changes a few times, whatever their number. */
const oftenMax = 5000

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
