import { isPartlyInterpreted } from "../../compiler/compile.ts"
import { isInterpreted } from "./actorState.ts"
import type { AnyActorRef, AnyMachineSnapshot, EventObject } from "xstate"
import type { ChartObserver, ObservedMacrostep } from "../../compiler/observedMacrostep.ts"

/**
 * Reports macrosteps in the order of XState's inspection: an actor that has ended is reported after its parent has
 * handled that. So only a child that gets a delayed event can be reported too early: others end while their parent
 * handles an event of its own.
 */
export class MacrostepReports implements ChartObserver {
  onMacrostep: ChartObserver["onMacrostep"]
  /** The child that handles a delayed event. */
  #receiver: AnyActorRef | undefined
  #ending: ObservedMacrostep | undefined

  attach(report: (macrostep: ObservedMacrostep) => void): void {
    this.onMacrostep = (macrostep) => {
      const { actor, status } = macrostep
      if (actor === this.#receiver && status !== "active") this.#ending = macrostep
      else report(macrostep)
    }
  }

  sendToChild(child: AnyActorRef, event: EventObject): void {
    this.#receiver = child
    child.send(event)
    this.#receiver = undefined
    const ending = this.#ending
    this.#ending = undefined
    if (ending !== undefined) {
      this.onMacrostep?.(ending)
    }
  }
}

/** Whether XState's inspection is needed to observe all charts of an object's actor. */
export const needsInspection = (root: AnyActorRef): boolean => {
  if (isInterpreted(root)) return true
  // An actor that could not be restored has no chart.
  const { machine } = root.getSnapshot() as Partial<AnyMachineSnapshot>
  return machine !== undefined && isPartlyInterpreted(machine)
}
