import type { LaggingView, SightState } from "../store/laggingView.ts"
import type { Memory } from "./memory.ts"

/** Carries on what somebody sees of the cluster that is not the present, and what is on its way to them. */
export const carrySight = (memory: Memory, name: string, sight: LaggingView): void =>
  memory.carry<SightState>(name, {
    save: () => {
      const state = sight.save()
      return state?.next === undefined ? state : { ...state, next: memory.placeOf(state.next) }
    },
    restore: sight.restore
  })
