import { missedBetween } from "../relist.ts"
import { stateOf } from "./copies.ts"
import { makeUnderway } from "./underway.ts"
import type { Later } from "../later.ts"
import type { Change, ClusterView } from "../objectStore.ts"
import type { Replica, ReplicaState } from "../replica.ts"
import type { Audience } from "./audience.ts"
import type { Copies } from "./copies.ts"
import type { UnderwayState } from "./underway.ts"

type View = ClusterView["Service"]

/** When changes are delivered to one view. */
export interface Hearing {
  /** The objects as of the latest delivered change; the store itself, as long as no fault delays changes. */
  readonly heard: () => View
  /** Subscribes to the store, once. */
  readonly attend: () => void
  readonly attendQuotas: () => void
  readonly delay: (millis: number) => () => void
  readonly drop: () => () => void
  readonly underway: () => number
  readonly save: () => HearingState | undefined
  readonly restore: (state: HearingState) => void
}

export interface HearingState extends UnderwayState {
  readonly heard: ReplicaState
}

export const makeHearing = (options: {
  readonly present: View
  readonly later: Later
  readonly copies: Copies
  readonly audience: Audience
  /** Called after each delivery, and when the view begins or stops to differ from the store. */
  readonly onHeard: () => void
}): Hearing => {
  const { present, later, copies, audience, onHeard } = options
  const delays: Array<number> = []
  let drops = 0
  /** Set while the view differs from the store. */
  let heard: Replica | undefined

  const hear = (change: Change): void => {
    heard?.apply(change)
    audience.tell(change)
    onHeard()
  }
  const underway = makeUnderway({ later, arrive: hear })
  const attend = once(() =>
    present.subscribe((change) => {
      if (heard === undefined) audience.tell(change)
      else if (drops === 0) underway.send(change, Math.max(...delays))
    })
  )
  const attendQuotas = once(() =>
    present.quotas.subscribe((key) => {
      if (heard === undefined) audience.tellQuota(key)
    })
  )
  const hearBy = (replica: Replica): void => {
    attend()
    heard = replica
    heard.quotas.subscribe(audience.tellQuota)
    onHeard()
  }
  const fallBehind = (): void => {
    if (heard === undefined) hearBy(copies.of(present))
  }
  /** After the last delay or drop: delivers pending changes at once, and then what was dropped. */
  const catchUp = (): void => {
    if (drops > 0 || heard === undefined) return
    underway.hurry()
    for (const change of missedBetween(heard.view, present)) hear(change)
    if (delays.length > 0) return
    // Subscribers may have written in response.
    underway.hurry()
    heard = undefined
    onHeard()
  }
  return {
    heard: () => heard?.view ?? present,
    attend,
    attendQuotas,
    delay: (millis) => {
      fallBehind()
      delays.push(millis)
      return () => {
        delays.splice(delays.indexOf(millis), 1)
        if (delays.length === 0) catchUp()
      }
    },
    drop: () => {
      fallBehind()
      drops += 1
      return () => {
        drops -= 1
        catchUp()
      }
    },
    underway: underway.size,
    save: () => (heard === undefined ? undefined : { heard: stateOf(heard), ...underway.save() }),
    restore: (state) => {
      hearBy(copies.restored(state.heard))
      underway.restore(state)
    }
  }
}

const once = (subscribe: () => unknown): (() => void) => {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    subscribe()
  }
}
