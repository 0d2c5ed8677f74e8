import { isAtomic, valueOf } from "./stateTree.ts"
import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition, StateValue } from "xstate"
import type { GuardPredicate } from "./guards.ts"
import type { Operation } from "./stepState.ts"

export interface Transition {
  readonly definition: AnyTransitionDefinition
  readonly guard: GuardPredicate | undefined
}

/** The transitions that one event may take, those of inner states first. */
export interface CandidateTree {
  readonly state: AnyStateNode
  readonly inner: ReadonlyArray<CandidateTree>
  readonly candidates: ReadonlyArray<Transition>
}

/** What each history state remembers, by its id. */
export type ChartHistory = Readonly<Record<string, ReadonlyArray<AnyStateNode>>>

export const emptyHistory: ChartHistory = Object.freeze({})

export interface MicrostepPlan {
  /** The enabled transitions, without those that a conflicting one excludes. */
  readonly transitions: ReadonlyArray<AnyTransitionDefinition>
  /** All enabled transitions, with the excluded ones. */
  readonly enabled: ReadonlyArray<AnyTransitionDefinition>
  readonly operations: ReadonlyArray<Operation>
  readonly next: Configuration
  readonly historyChanges: ChartHistory | undefined
}

/** A node of the tree of plans: the transitions of a plan are the path to it. */
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
  /** The transitions without an event of each active atomic state and of its ancestors. */
  readonly eventless: ReadonlyArray<ReadonlyArray<Transition>>
  /** By event type, or by the wildcard that matches it; null: no state handles the event. */
  readonly candidatesByEvent = new Map<string, CandidateTree | null>()
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
