import { CompiledChart } from "./chart.ts"
import { AssignArgs, restoreChild } from "./childActors.ts"
import { schedulingClockOf } from "./schedulingClock.ts"
import { reasonsToInterpret } from "./interpreted.ts"
import { Macrostep } from "./macrostep.ts"
import { ObservedMacrostep } from "./observedMacrostep.ts"
import { emptyHistory } from "./configuration.ts"
import { noChildren, StepState } from "./stepState.ts"
import {
  CompiledSnapshot,
  configurationKey,
  restoreConfiguration,
  restoreHistory,
  toPersistedSnapshot,
  withActors
} from "./snapshot.ts"
import type {
  ActorLogic,
  AnyActorLogic,
  AnyActorRef,
  AnyActorScope,
  AnyEventObject,
  AnyStateMachine,
  EmittedFrom,
  EventFrom,
  EventObject,
  InputFrom,
  Snapshot,
  SnapshotFrom,
  StateValue
} from "xstate"
import type { ChartObserver } from "./observedMacrostep.ts"
import type { PersistedChild } from "./childActors.ts"
import type { LogicOf } from "./stepState.ts"

export type CompiledLogic<M extends AnyStateMachine = AnyStateMachine> = ActorLogic<
  SnapshotFrom<M> & Snapshot<unknown>,
  EventFrom<M> & EventObject,
  InputFrom<M>,
  AnyActorScope["system"],
  EmittedFrom<M>
>

/** `reasons` names each part of XState that compiled charts do not have, with its state. */
export class ChartNotCompiled extends Error {
  override readonly name = "ChartNotCompiled"
  readonly reasons: ReadonlyArray<string>

  constructor(machineId: string, reasons: ReadonlyArray<string>) {
    super(`the chart "${machineId}" is not compiled: ${reasons.join("; ")}`)
    this.reasons = reasons
  }
}

const charts = new WeakMap<AnyStateMachine, CompiledChart>()

const chartOf = (machine: AnyStateMachine): CompiledChart => {
  const existing = charts.get(machine)
  if (existing !== undefined) return existing
  const chart = new CompiledChart(machine)
  charts.set(machine, chart)
  return chart
}

/**
 * Compiles a machine to actor logic that behaves like it. `observer` gets every macrostep of its actors and their
 * children. Throws `ChartNotCompiled`.
 */
export const compile = <M extends AnyStateMachine>(
  machine: M,
  observer?: ChartObserver
): CompiledLogic<M> => {
  const reasons = reasonsToInterpret(machine)
  if (reasons.length > 0) throw new ChartNotCompiled(machine.id, reasons)
  return new ChartLogic(chartOf(machine), observer) as unknown as CompiledLogic<M>
}

export const compileIfPossible = (machine: AnyStateMachine, observer?: ChartObserver): AnyActorLogic =>
  reasonsToInterpret(machine).length > 0 ? machine : compile(machine, observer)

const partlyInterpreted = new WeakMap<AnyStateMachine, boolean>()

export const isPartlyInterpreted = (machine: AnyStateMachine): boolean => {
  const existing = partlyInterpreted.get(machine)
  if (existing !== undefined) return existing
  // A chart may spawn itself: then this value ends the recursion.
  partlyInterpreted.set(machine, false)
  const children = Object.values(machine.implementations.actors as Readonly<Record<string, AnyActorLogic>>)
  const result =
    reasonsToInterpret(machine).length > 0 ||
    children.some((child) => isMachine(child) && isPartlyInterpreted(child))
  partlyInterpreted.set(machine, result)
  return result
}

const isMachine = (logic: AnyActorLogic): logic is AnyStateMachine =>
  "implementations" in logic && "root" in logic

interface PersistedChart {
  readonly status: CompiledSnapshot["status"]
  readonly output?: unknown
  readonly error?: unknown
  readonly value: StateValue
  readonly context: unknown
  readonly children: Readonly<Record<string, PersistedChild>>
  readonly historyValue?: Readonly<Record<string, ReadonlyArray<{ readonly id: string }>>>
}

/** All logic of one machine shares its compiled chart; each has its own observer. */
class ChartLogic {
  readonly #chart: CompiledChart
  readonly #observer: ChartObserver | undefined
  readonly #logicByName = new Map<string, AnyActorLogic>()
  readonly #compiledByMachine = new WeakMap<AnyActorLogic, AnyActorLogic>()

  constructor(chart: CompiledChart, observer: ChartObserver | undefined) {
    this.#chart = chart
    this.#observer = observer
  }

  get id(): string {
    return this.#chart.machine.id
  }

  getInitialSnapshot(scope: AnyActorScope, input: unknown): CompiledSnapshot {
    const chart = this.#chart
    const { machine, startConfiguration: configuration } = chart
    const state = new StepState(scope, this.#logicOf, { type: "xstate.init", input })
    state.isInitial = true
    const observed = this.#observe(scope, state.event)
    state.observed = observed
    const { context: toContext } = machine.config
    let context: unknown = typeof toContext !== "function" && toContext ? toContext : {}
    let children = noChildren
    try {
      if (typeof toContext === "function") {
        state.context = context
        const args = new AssignArgs(state, machine.id)
        context = {
          ...(toContext as (args: object) => object)({ spawn: args.spawn, input, self: args.self })
        }
        children = args.childrenAfter(children)
      }
      state.context = context
      state.children = children
      const macrostep = new Macrostep(chart, state, { configuration, history: emptyHistory }, observed)
      return this.#finish(state, macrostep.begin(), observed)
    } catch (error) {
      const failed = { status: "error", output: undefined, error, context, children } as const
      return new CompiledSnapshot({ chart, configuration, historyValue: emptyHistory, ...failed })
    }
  }

  transition(snapshot: CompiledSnapshot, event: AnyEventObject, scope: AnyActorScope): CompiledSnapshot {
    if (event.type === "*") throw new Error("An event cannot have the wildcard type ('*')")
    const state = new StepState(scope, this.#logicOf, event)
    const observed = this.#observe(scope, event, snapshot)
    state.observed = observed
    state.context = snapshot.context
    state.children = snapshot.children
    state.status = snapshot.status
    state.output = snapshot.output
    state.error = snapshot.error
    const from = {
      configuration: snapshot[configurationKey],
      history: snapshot.historyValue,
      snapshot
    }
    const macrostep = new Macrostep(this.#chart, state, from, observed)
    try {
      const nextSnapshot = event.type === "xstate.stop" ? macrostep.end("stopped") : macrostep.handle(event)
      return this.#finish(state, nextSnapshot, observed)
    } catch (error) {
      // XState stops an actor that throws, but cancels only the events of its own scheduler.
      schedulingClockOf(scope)?.cancelAll(scope.self)
      throw error
    }
  }

  #observe(
    { self }: AnyActorScope,
    event: AnyEventObject,
    before?: CompiledSnapshot
  ): ObservedMacrostep | undefined {
    return this.#observer?.onMacrostep === undefined ? undefined : new ObservedMacrostep(self, event, before)
  }

  /** Defers what follows all other effects of a macrostep. */
  #finish(
    state: StepState,
    snapshot: CompiledSnapshot,
    observed: ObservedMacrostep | undefined
  ): CompiledSnapshot {
    const { scope } = state
    if (snapshot.status !== "active") state.defer(() => schedulingClockOf(scope)?.cancelAll(scope.self))
    if (observed === undefined) return snapshot
    observed.status = snapshot.status
    state.defer(() => this.#observer?.onMacrostep?.(observed))
    return snapshot
  }

  getPersistedSnapshot(snapshot: CompiledSnapshot, options?: unknown): Snapshot<unknown> {
    return toPersistedSnapshot(snapshot, options)
  }

  restoreSnapshot(persistedSnapshot: unknown, scope: AnyActorScope): CompiledSnapshot {
    const persisted = persistedSnapshot as PersistedChart
    const chart = this.#chart
    const children: Record<string, AnyActorRef> = {}
    for (const [id, child] of Object.entries(persisted.children)) {
      const { src } = child
      const logic = this.#logicOf(src)
      if (logic !== undefined) children[id] = restoreChild(scope, logic, { ...child, id })
    }
    return new CompiledSnapshot({
      chart,
      configuration: restoreConfiguration(chart, persisted.value),
      status: persisted.status,
      output: persisted.output,
      error: persisted.error,
      context: withActors(persisted.context, children),
      children,
      historyValue: restoreHistory(chart.machine, persisted.historyValue)
    })
  }

  /** XState's `createActor` also calls this after a restore: the children of the snapshot start. */
  start({ children }: CompiledSnapshot): void {
    // A child without logic makes an actor fail here, as in XState.
    for (const child of Object.values(children as Readonly<Record<string, AnyActorRef>>)) {
      if ((child.getSnapshot() as Snapshot<unknown>).status === "active") child.start()
    }
  }

  readonly #logicOf: LogicOf = (src) => {
    if (typeof src !== "string") return this.#compiledOf(src)
    const existing = this.#logicByName.get(src)
    if (existing !== undefined) return existing
    const actors = this.#chart.machine.implementations.actors as Readonly<Record<string, AnyActorLogic>>
    const implementation = actors[src]
    if (implementation === undefined) return undefined
    const logic = this.#compiledOf(implementation)
    this.#logicByName.set(src, logic)
    return logic
  }

  #compiledOf(logic: AnyActorLogic): AnyActorLogic {
    if (!isMachine(logic)) return logic
    const existing = this.#compiledByMachine.get(logic)
    if (existing !== undefined) return existing
    const compiled = compileIfPossible(logic, this.#observer)
    this.#compiledByMachine.set(logic, compiled)
    return compiled
  }
}
