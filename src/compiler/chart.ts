import { Configuration } from "./configuration.ts"
import { ancestorsOf } from "./stateTree.ts"
import { transitionDefinitionsFor, descriptorsOf, matchesWildcard } from "./descriptors.ts"
import { enabledTransitions } from "./enabledTransitions.ts"
import { makeActionCompiler } from "./actions.ts"
import { makeGuardCompiler } from "./guards.ts"
import { planInitialStep, planMicrostep } from "./microstepPlan.ts"
import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition, StateValue } from "xstate"
import type { ChartHistory, CandidateTree, MicrostepPlan, PlanNode, Transition } from "./configuration.ts"
import type { EventDescriptors } from "./descriptors.ts"
import type { GuardArgs } from "./guards.ts"
import type { PlanContext } from "./microstepPlan.ts"

/** A machine with its compiled actions, guards and microstep plans, each made on first use and kept. */
export class CompiledChart {
  readonly machine: AnyStateMachine
  readonly maxIterations: number
  readonly #planContext: PlanContext
  readonly #compileGuard: ReturnType<typeof makeGuardCompiler>
  readonly #transitions = new Map<AnyTransitionDefinition, Transition>()
  readonly #configurations = new Map<string, Configuration>()
  #initialPlan: MicrostepPlan | undefined
  #descriptors: EventDescriptors | undefined

  constructor(machine: AnyStateMachine) {
    this.machine = machine
    this.maxIterations = machine.options.maxIterations ?? Infinity
    this.#compileGuard = makeGuardCompiler(machine)
    this.#planContext = {
      root: machine.root,
      compileAction: makeActionCompiler(machine, this.#compileGuard),
      configurationOf: (states) => this.configurationOf(states)
    }
  }

  /** The configuration before the initial states are entered. */
  get startConfiguration(): Configuration {
    return this.configurationOf([this.machine.root])
  }

  get initialPlan(): MicrostepPlan {
    return (this.#initialPlan ??= planInitialStep(this.#planContext))
  }

  /** The order of the states counts, as in XState's snapshots. */
  configurationOf(states: ReadonlyArray<AnyStateNode>): Configuration {
    const key = states.map(({ order }) => order).join()
    const existing = this.#configurations.get(key)
    if (existing !== undefined) return existing
    const configuration = new Configuration(this.machine.root, states, (state) => this.#eventlessOf(state))
    this.#configurations.set(key, configuration)
    return configuration
  }

  #eventlessOf(state: AnyStateNode): ReadonlyArray<Transition> {
    return [state, ...ancestorsOf(state)]
      .flatMap(({ always = [] }) => always)
      .map((definition) => this.#transitionOf(definition))
  }

  #transitionOf(definition: AnyTransitionDefinition): Transition {
    const existing = this.#transitions.get(definition)
    if (existing !== undefined) return existing
    const { guard } = definition
    const transition = { definition, guard: guard === undefined ? undefined : this.#compileGuard(guard) }
    this.#transitions.set(definition, transition)
    return transition
  }

  /** Null if no active state handles the event. */
  candidatesFor(configuration: Configuration, eventType: string): CandidateTree | null {
    const { candidatesByEvent } = configuration
    const existing = candidatesByEvent.get(eventType)
    if (existing !== undefined) return existing
    const descriptor = this.#descriptorOf(eventType)
    if (descriptor === undefined) return null
    const treeOfDescriptor = candidatesByEvent.get(descriptor)
    if (treeOfDescriptor !== undefined) return treeOfDescriptor
    const tree = this.#candidatesBelow(this.machine.root, configuration.value, descriptor) ?? null
    candidatesByEvent.set(descriptor, tree)
    return tree
  }

  /**
   * The type itself if a state names it, else the most specific wildcard. All types that match a wildcard share its
   * tree, since there is no limit to types such as `xstate.done.actor.ID`.
   */
  #descriptorOf(eventType: string): string | undefined {
    const { named, wildcards } = (this.#descriptors ??= descriptorsOf(this.machine.root))
    return named.has(eventType)
      ? eventType
      : wildcards.find((descriptor) => matchesWildcard(eventType, descriptor))
  }

  #candidatesBelow(
    state: AnyStateNode,
    value: StateValue | undefined,
    eventType: string
  ): CandidateTree | undefined {
    const states = state.states as Readonly<Record<string, AnyStateNode>>
    const keys = typeof value === "string" ? [value] : Object.keys(value ?? {})
    const inner = keys.flatMap((key) => {
      const child = states[key]
      const below = typeof value === "string" ? undefined : value?.[key]
      return child === undefined ? [] : (this.#candidatesBelow(child, below, eventType) ?? [])
    })
    const candidates = transitionDefinitionsFor(state, eventType).map((definition) =>
      this.#transitionOf(definition)
    )
    return inner.length === 0 && candidates.length === 0 ? undefined : { state, inner, candidates }
  }

  enabledBy(configuration: Configuration, args: GuardArgs): ReadonlyArray<Transition> {
    return enabledTransitions(this.candidatesFor(configuration, args.event.type), args)
  }

  planOf(
    configuration: Configuration,
    transitions: ReadonlyArray<Transition>,
    history: ChartHistory
  ): MicrostepPlan {
    let node = configuration.plans
    for (const transition of transitions) {
      let next = node.next.get(transition)
      if (next === undefined) node.next.set(transition, (next = { plan: undefined, next: new Map() }))
      node = next
    }
    const { plan } = node
    if (plan instanceof Map) {
      const key = historyKey(history)
      const existing = plan.get(key)
      if (existing !== undefined) return existing
    } else if (plan !== undefined) return plan
    return this.#makePlan(node, configuration, transitions, history)
  }

  #makePlan(
    node: PlanNode,
    configuration: Configuration,
    transitions: ReadonlyArray<Transition>,
    history: ChartHistory
  ): MicrostepPlan {
    const definitions = transitions.map(({ definition }) => definition)
    const { plan, readsHistory } = planMicrostep(this.#planContext, configuration, definitions, history)
    if (!readsHistory) node.plan = plan
    else {
      const plans = node.plan instanceof Map ? node.plan : new Map<string, MicrostepPlan>()
      node.plan = plans.set(historyKey(history), plan)
    }
    return plan
  }
}

const historyKey = (history: ChartHistory): string =>
  Object.entries(history)
    .map(([id, states]) => `${id}:${states.map(({ order }) => order).join()}`)
    .join(";")
