import { isAtomic, valueOf } from "./stateTree.ts"
import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition, StateValue } from "xstate"
import type { GuardPredicate } from "./guards.ts"
import type { Operation } from "./stepState.ts"

export interface Transition {
  readonly definition: AnyTransitionDefinition
  readonly guard: GuardPredicate | undefined
}

/** The transitions that one event may take in a state, or in a state inside it, which come first. */
export interface Choice {
  readonly state: AnyStateNode
  readonly inner: ReadonlyArray<Choice>
  readonly candidates: ReadonlyArray<Transition>
}

/** The states that each history state leads back to. */
export type ChartHistory = Readonly<Record<string, ReadonlyArray<AnyStateNode>>>

/** Of the snapshots of all charts whose history states were never left: most have none. */
export const emptyHistory: ChartHistory = Object.freeze({})

/** The effects of a microstep, known before it is taken. */
export interface MicrostepPlan {
  /** The transitions that are taken: the enabled ones, without those that a conflicting one excludes. */
  readonly transitions: ReadonlyArray<AnyTransitionDefinition>
  /** All enabled transitions, with the excluded ones. */
  readonly enabled: ReadonlyArray<AnyTransitionDefinition>
  /** The actions of states that are left, of the transitions, and of states that are entered. */
  readonly operations: ReadonlyArray<Operation>
  readonly next: Configuration
  /** The states that history states remember from now on, because their parents are left; undefined if none are. */
  readonly remembered: ChartHistory | undefined
}

/** A tree of plans: the path from its root to a plan are the transitions that are taken. */
export interface PlanNode {
  /** A map, by what the history states remember, if the transitions lead to one. */
  plan: MicrostepPlan | Map<string, MicrostepPlan> | undefined
  readonly next: Map<Transition, PlanNode>
}

/** A set of active states, in the order in which they became active, with all that follows from it. */
export class Configuration {
  readonly states: ReadonlyArray<AnyStateNode>
  readonly value: StateValue
  readonly tags: ReadonlySet<string>
  /** The eventless transitions of each atomic state and its ancestors, for states that have any. */
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
