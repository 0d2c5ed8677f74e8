import { isAtomic, valueOf } from "./stateTree.ts"
import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition, StateValue } from "xstate"
import type { GuardPredicate } from "./guards.ts"
import type { Operation } from "./stepState.ts"

export interface Transition {
  readonly definition: AnyTransitionDefinition
  readonly guard: GuardPredicate | undefined
}

/** Transitions of inner states come first. */
export interface Choice {
  readonly state: AnyStateNode
  readonly inner: ReadonlyArray<Choice>
  readonly candidates: ReadonlyArray<Transition>
}

export type ChartHistory = Readonly<Record<string, ReadonlyArray<AnyStateNode>>>

/** Shared, since most charts have no history. */
export const emptyHistory: ChartHistory = Object.freeze({})

export interface MicrostepPlan {
  /** The enabled transitions, without those that a conflicting one excludes. */
  readonly transitions: ReadonlyArray<AnyTransitionDefinition>
  /** All enabled transitions, with the excluded ones. */
  readonly enabled: ReadonlyArray<AnyTransitionDefinition>
  readonly operations: ReadonlyArray<Operation>
  readonly next: Configuration
  readonly remembered: ChartHistory | undefined
}

/** The taken transitions are the path from the root to a plan. */
export interface PlanNode {
  /** A map by what the history states remember, if a transition leads to a history state. */
  plan: MicrostepPlan | Map<string, MicrostepPlan> | undefined
  readonly next: Map<Transition, PlanNode>
}

/** Active states in the order in which they became active. */
export class Configuration {
  readonly states: ReadonlyArray<AnyStateNode>
  readonly value: StateValue
  readonly tags: ReadonlySet<string>
  readonly eventless: ReadonlyArray<ReadonlyArray<Transition>>
  /** The choice for each event type, or for the wildcard that matches it; null: no state handles the event. */
  readonly choices = new Map<string, Choice | null>()
  readonly plans: PlanNode = { plan: undefined, next: new Map() }

  readonly machine: AnyStateMachine

  constructor(
    root: AnyStateNode,
    states: ReadonlyArray<AnyStateNode>,
    eventlessOf: (state: AnyStateNode) => ReadonlyArray<Transition>
  ) {
    this.machine = root.machine
    this.states = states
    this.value = valueOf(root, states)
    this.tags = new Set(states.flatMap(({ tags }) => tags))
    this.eventless = states
      .filter(isAtomic)
      .map(eventlessOf)
      .filter(({ length }) => length > 0)
  }
}
