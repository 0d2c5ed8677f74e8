import { isPartlyInterpreted } from "../../compiler/compile.ts"
import { isInterpreted } from "./actorState.ts"
import type { AnyActorRef, AnyMachineSnapshot, EventObject } from "xstate"
import type { ChartObserver, ObservedMacrostep } from "../../compiler/observedMacrostep.ts"

/**
 * XState's inspection reports the end of a child after its parent's macrostep, so `sendToChild` holds the
 * report of a child's last macrostep back.
 */
export class MacrostepReports implements ChartObserver {
  onMacrostep: ChartObserver["onMacrostep"]
  #receivingChild: AnyActorRef | undefined
  #heldMacrostep: ObservedMacrostep | undefined

  attach(report: (macrostep: ObservedMacrostep) => void): void {
    this.onMacrostep = (macrostep) => {
      const { actor, status } = macrostep
      if (actor === this.#receivingChild && status !== "active") this.#heldMacrostep = macrostep
      else report(macrostep)
    }
  }

  sendToChild(child: AnyActorRef, event: EventObject): void {
    this.#receivingChild = child
    child.send(event)
    this.#receivingChild = undefined
    const ending = this.#heldMacrostep
    this.#heldMacrostep = undefined
    if (ending !== undefined) {
      this.onMacrostep?.(ending)
    }
  }
}

export const usesInterpreter = (root: AnyActorRef): boolean => {
  if (isInterpreted(root)) return true
  // An actor that could not be restored has no chart.
  const { machine } = root.getSnapshot() as Partial<AnyMachineSnapshot>
  return machine !== undefined && isPartlyInterpreted(machine)
}
