import { eventlessTransitions, noTransitions } from "./enabledTransitions.ts"
import { stopChildren } from "./childActors.ts"
import { CompiledSnapshot, ObservedSnapshot, observedSnapshotOf } from "./snapshot.ts"
import type { AnyEventObject, AnyTransitionDefinition } from "xstate"
import type { CompiledChart } from "./chart.ts"
import type { ChartHistory, Configuration, MicrostepPlan, Transition } from "./configuration.ts"
import type { ObservedMacrostep } from "./observedMacrostep.ts"
import type { StepState } from "./stepState.ts"

export class Macrostep {
  readonly #chart: CompiledChart
  readonly #state: StepState
  readonly #observed: ObservedMacrostep | undefined
  #configuration: Configuration
  #history: ChartHistory
  /** Undefined if no snapshot was made since the last change. */
  #snapshot: CompiledSnapshot | undefined
  /** Undefined if no observer has got a snapshot since the last change. */
  #observedSnapshot: ObservedSnapshot | undefined

  constructor(
    chart: CompiledChart,
    state: StepState,
    from: {
      readonly configuration: Configuration
      readonly history: ChartHistory
      readonly snapshot?: CompiledSnapshot
    },
    observed: ObservedMacrostep | undefined
  ) {
    this.#chart = chart
    this.#state = state
    this.#observed = observed
    this.#configuration = from.configuration
    this.#history = from.history
    this.#snapshot = from.snapshot
  }

  get snapshot(): CompiledSnapshot {
    const { status, output, error, context, children } = this.#state
    return (this.#snapshot ??= new CompiledSnapshot({
      chart: this.#chart,
      configuration: this.#configuration,
      status,
      output,
      error,
      context,
      children,
      historyValue: this.#history,
      observed: this.#observedSnapshot
    }))
  }

  end(status: "stopped" | "error", error?: unknown): CompiledSnapshot {
    const state = this.#state
    stopChildren(state)
    state.status = status
    state.error = error
    this.#forgetSnapshot()
    this.#report([])
    return this.snapshot
  }

  begin(): CompiledSnapshot {
    this.#carryOut(this.#chart.initialPlan)
    return this.#runToCompletion()
  }

  handle(event: AnyEventObject): CompiledSnapshot {
    // As in XState, this event takes no transition of its own.
    if (event.type === "xstate.init") return this.#runToCompletion()
    const transitions = this.#enabledBy(event)
    if (transitions.length === 0 && event.type.startsWith("xstate.error.actor"))
      return this.end("error", (event as AnyEventObject & { readonly error: unknown }).error)
    this.#take(transitions, { isEventless: false })
    return this.#runToCompletion()
  }

  #runToCompletion(): CompiledSnapshot {
    const state = this.#state
    const { maxIterations } = this.#chart
    let mayEnableEventless = true
    let iterations = 0
    while (state.status === "active") {
      iterations += 1
      if (iterations > maxIterations) throw new Error(loopMessage(maxIterations))
      const eventless = mayEnableEventless ? this.#enabledEventless() : noTransitions
      if (eventless.length > 0) {
        mayEnableEventless = this.#take(eventless, { isEventless: true })
        continue
      }
      const raised = state.raisedEvents.shift()
      if (raised === undefined) break
      state.event = raised
      this.#take(this.#enabledBy(raised), { isEventless: false })
      mayEnableEventless = true
    }
    if (state.status !== "active") this.#stopChildrenOfEnded()
    return this.snapshot
  }

  /** The last snapshot of an ended actor still has its children, as XState's does. */
  #stopChildrenOfEnded(): void {
    const last = this.snapshot
    stopChildren(this.#state)
    this.#snapshot = last
  }

  /** Returns whether the microstep changed the snapshot. */
  #take(enabled: ReadonlyArray<Transition>, { isEventless }: { readonly isEventless: boolean }): boolean {
    if (enabled.length === 0) {
      this.#report(noTransitions)
      return false
    }
    const plan = this.#chart.planOf(this.#configuration, enabled, this.#history)
    const hasChanged = this.#carryOut(plan)
    // As in XState: reports the eventless transitions that are taken, but all others that are enabled.
    this.#report(isEventless ? plan.transitions : plan.enabled)
    return hasChanged
  }

  #carryOut({ operations, next, historyChanges }: MicrostepPlan): boolean {
    const state = this.#state
    state.hasChanged = next !== this.#configuration || historyChanges !== undefined
    for (const operation of operations) operation(state)
    this.#configuration = next
    if (historyChanges !== undefined) this.#history = { ...this.#history, ...historyChanges }
    if (state.hasChanged) this.#forgetSnapshot()
    return state.hasChanged
  }

  #report(transitions: ReadonlyArray<AnyTransitionDefinition>): void {
    const observed = this.#observed
    if (observed === undefined) return
    const { event, status, context } = this.#state
    this.#observedSnapshot ??=
      this.#snapshot === undefined
        ? new ObservedSnapshot({
            status,
            context,
            historyValue: this.#history,
            configuration: this.#configuration
          })
        : observedSnapshotOf(this.#snapshot)
    observed.addMicrostep({ event, transitions, snapshot: this.#observedSnapshot })
  }

  #forgetSnapshot(): void {
    this.#snapshot = undefined
    this.#observedSnapshot = undefined
  }

  #enabledBy(event: AnyEventObject): ReadonlyArray<Transition> {
    return this.#chart.enabledBy(this.#configuration, { context: this.#state.context, event })
  }

  #enabledEventless(): ReadonlyArray<Transition> {
    const { eventless } = this.#configuration
    if (eventless.length === 0) return noTransitions
    return eventlessTransitions(eventless, { context: this.#state.context, event: this.#state.event })
  }
}

const loopMessage = (max: number): string =>
  `Infinite loop detected: the machine has processed more than ${max} microsteps without reaching a stable state. This usually happens when there's a cycle of transitions (e.g., eventless transitions or raised events causing state A -> B -> C -> A).`
