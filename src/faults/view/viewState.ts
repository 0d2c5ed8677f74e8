import type { ClusterView } from "../../store/objectStore.ts"
import type { Replica } from "../../store/replica.ts"

type View = ClusterView["Service"]

/** The store's own view is `present`. The delivered view may be late. A freeze stops the shown view. */
export type ViewState = DeliveryState | Frozen

export type DeliveryState =
  /** Delivers changes at once; reads go to the store. */
  | { readonly type: "present" }
  /** Delivers changes after the longest delay. */
  | ({ readonly type: "late" } & BehindStore)
  /** Delivers no change while any of the `drops` faults lasts. */
  | ({ readonly type: "dropped"; readonly drops: number } & BehindStore)
  | ({ readonly type: "catchingUp" } & BehindStore)

interface BehindStore {
  readonly replica: Replica
  /** One delay for each fault, in milliseconds. */
  readonly delays: ReadonlyArray<number>
}

interface Frozen {
  readonly type: "frozen"
  readonly copy: Replica
  readonly activeFreezes: number
  readonly delivery: DeliveryState
}

export type ViewEvent =
  | { readonly type: "delayBegan" | "delayEnded"; readonly millis: number }
  | { readonly type: "dropBegan" | "dropEnded" | "freezeBegan" | "freezeEnded" | "caughtUp" }

/** `copyOf` copies a view's objects when reads begin to differ from the store. */
export const nextViewState = (
  state: ViewState,
  event: ViewEvent,
  present: View,
  copyOf: (view: View) => Replica
): ViewState => {
  if (event.type === "freezeBegan") {
    return state.type === "frozen"
      ? { ...state, activeFreezes: state.activeFreezes + 1 }
      : { type: "frozen", copy: copyOf(deliveredView(state, present)), activeFreezes: 1, delivery: state }
  }
  if (state.type !== "frozen") return nextDelivery(state, event, () => copyOf(present))
  if (event.type !== "freezeEnded") {
    return { ...state, delivery: nextDelivery(state.delivery, event, () => copyOf(present)) }
  }
  return state.activeFreezes > 1 ? { ...state, activeFreezes: state.activeFreezes - 1 } : state.delivery
}

const nextDelivery = (
  state: DeliveryState,
  event: ViewEvent,
  copyOfPresent: () => Replica
): DeliveryState => {
  const behind = state.type === "present" ? undefined : state
  switch (event.type) {
    case "delayBegan": {
      const { replica = copyOfPresent(), delays = [] } = behind ?? {}
      const late = { replica, delays: [...delays, event.millis] }
      return state.type === "dropped" ? { ...state, ...late } : { type: "late", ...late }
    }
    case "dropBegan": {
      const { replica = copyOfPresent(), delays = [] } = behind ?? {}
      return { type: "dropped", replica, delays, drops: state.type === "dropped" ? state.drops + 1 : 1 }
    }
    case "delayEnded": {
      if (behind === undefined) return state
      const delays = behind.delays.toSpliced(behind.delays.indexOf(event.millis), 1)
      const isLast = delays.length === 0 && behind.type !== "dropped"
      return { ...behind, delays, ...(isLast ? { type: "catchingUp" } : {}) }
    }
    case "dropEnded": {
      if (state.type !== "dropped") return state
      const { replica, delays, drops } = state
      return drops > 1 ? { ...state, drops: drops - 1 } : { type: "catchingUp", replica, delays }
    }
    case "caughtUp": {
      if (state.type !== "catchingUp") return state
      return state.delays.length === 0 ? { type: "present" } : { ...state, type: "late" }
    }
    default:
      return state
  }
}

export const deliveryOf = (state: ViewState): DeliveryState =>
  state.type === "frozen" ? state.delivery : state

export const deliveredView = (state: ViewState, present: View): View => {
  const delivery = deliveryOf(state)
  return delivery.type === "present" ? present : delivery.replica.view
}

export const shownView = (state: ViewState, present: View): View =>
  state.type === "frozen" ? state.copy.view : deliveredView(state, present)
