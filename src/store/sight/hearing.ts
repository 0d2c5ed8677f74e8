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

/** What one party hears of what happens, and when. */
export interface Hearing {
  /** As of the last change that was heard of; the present itself, as long as nothing holds changes up. */
  readonly heard: () => View
  /** Takes its place among those who are told of changes; once. */
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
  /** Something was heard, or what is heard is the present again, or no longer. */
  readonly onHeard: () => void
}): Hearing => {
  const { present, later, copies, audience, onHeard } = options
  const delays: Array<number> = []
  let drops = 0
  /** Where what has been heard is not the present. */
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
  /** Where nothing holds news up any more, what was held up comes at once; what was missed, as it has come to be. */
  const catchUp = (): void => {
    if (drops > 0 || heard === undefined) return
    underway.hurry()
    for (const change of missedBetween(heard.view, present)) hear(change)
    if (delays.length > 0) return
    // Who has waited for what was missed may have written since.
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
