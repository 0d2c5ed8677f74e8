import { activePodsOf, availableOf } from "./modelPodCounts.ts"
import { ignoreViolations, objectsIdOf } from "./modelMoves.ts"
import { noParentState } from "./stateTable.ts"
import { rolloutBounds, stopsOldFirst } from "../../../machines/strategies/strategies.ts"
import type { Strategy } from "../../../machines/strategies/strategy.ts"
import type { Deployment } from "../../kubernetes/meta/objects.ts"
import type { LedgerRule } from "../../scenario/ledger/violations.ts"
import type { ModelObjectsTable } from "./modelObjects.ts"
import type { SearchFinding, StateInvariant, SearchResult } from "./searchStates.ts"
import type { ModelMoves, MoveVisitor } from "./modelMoves.ts"
import type { StateTable } from "./stateTable.ts"

/** A statement about every order of events, with the shortest order that breaks it. */
export interface Claim {
  readonly about: ClaimSubject
  readonly says: string
  readonly verdict: "proved" | "broken" | "unproved"
  /** Why even a search of all states would not prove the claim. */
  readonly because: string | undefined
  readonly counterexample: Counterexample | undefined
}

/** `invariant`: a condition given with `--fail-on`. `requests`, `reports`: a user's annotations, and their answers. */
export type ClaimSubject =
  | "ceiling"
  | "floor"
  | "recreate"
  | "paused"
  | "rules"
  | "end"
  | "invariant"
  | "approvals"
  | "requests"
  | "reports"
  | "success"

export interface Counterexample {
  readonly steps: ReadonlyArray<CounterexampleStep>
  /** The comparison that does not hold: `available >= floor: 1 >= 2`. */
  readonly sums: string
  /** The broken rule, as a sentence. */
  readonly broken: string
}

export interface CounterexampleStep {
  /** An actor such as `Deployment` or `a Pod of web-1 (new)`. */
  readonly who: string
  /** An action such as `deleted 2 Pods`. */
  readonly what: string
  readonly available: number
  /** Pods that are neither finished nor terminating. */
  readonly pods: number
}

/** For an order of events that breaks no rule. */
export const noBrokenRule = { sums: "", broken: "" } as const

interface ExploredStates {
  readonly table: StateTable
  readonly moves: ModelMoves
  readonly objectsTable: ModelObjectsTable
}

export const makeCounterexampleFinder =
  (explored: ExploredStates) =>
  ({ state, step, cycle, sums, broken }: SearchFinding): Counterexample => {
    const { table } = explored
    const path: Array<number> = []
    for (let index = state; index !== noParentState; index = table.parent(index)) path.push(index)
    path.reverse()
    // A counterexample with a cycle goes round it once.
    if (cycle !== undefined) path.push(...cycle.slice(1), state)
    const steps = path.slice(1).flatMap((to, index) => {
      const isNextState: IsExpectedMove = (olderCounts, newerCounts, objectsAndFailures) =>
        table.olderCounts(to) === olderCounts &&
        table.newerCounts(to) === newerCounts &&
        table.objectsAndFailures(to) === objectsAndFailures
      return findStep(explored, path[index] ?? 0, isNextState)
    })
    const brokenStep =
      step === undefined
        ? []
        : findStep(explored, state, (_older, _newer, _objectsAndFailures, candidate) => candidate === step)
    return { steps: [...steps, ...brokenStep], sums, broken }
  }

type IsExpectedMove = (...move: Parameters<MoveVisitor["reach"]>) => boolean

const findStep = (
  { table, moves, objectsTable }: ExploredStates,
  fromState: number,
  isExpected: IsExpectedMove
): ReadonlyArray<CounterexampleStep> => {
  const steps: Array<CounterexampleStep> = []
  moves.visitSteps(
    table.olderCounts(fromState),
    table.newerCounts(fromState),
    table.objectsAndFailures(fromState),
    {
      reach: (olderCounts, newerCounts, objectsAndFailures, step) => {
        if (steps.length > 0 || !isExpected(olderCounts, newerCounts, objectsAndFailures, step)) return
        const objects = objectsTable.at(objectsIdOf(objectsAndFailures))
        steps.push({
          who: step.actorText(objects),
          what: step.actionText(objects),
          available: availableOf(olderCounts) + availableOf(newerCounts),
          pods: activePodsOf(olderCounts) + activePodsOf(newerCounts)
        })
      },
      violate: ignoreViolations
    }
  )
  return steps
}

const generalRules: ReadonlyArray<LedgerRule> = [
  "asked",
  "statusSums",
  "statusCounts",
  "revisionsGrow",
  "observedGeneration"
]

export const claimsOf = (options: {
  readonly result: SearchResult
  /** Whether every state was visited, and every terminating Pod fits into the counts of a state. */
  readonly isExact: boolean
  readonly toCounterexample: (finding: SearchFinding) => Counterexample
  readonly next: Deployment
  readonly strategies?: ReadonlyArray<Strategy> | undefined
  readonly invariants: ReadonlyArray<StateInvariant>
  /** Why quotas or nodes may lack room for all Pods. */
  readonly shortage?: string | undefined
}): ReadonlyArray<Claim> => {
  const { result, isExact, toCounterexample, next, strategies, invariants, shortage } = options
  const claim = (
    about: ClaimSubject,
    says: string,
    finding: SearchFinding | undefined,
    because?: string
  ): Claim => ({
    about,
    says,
    verdict: finding !== undefined ? "broken" : isExact && because === undefined ? "proved" : "unproved",
    because: finding === undefined ? because : undefined,
    counterexample: finding === undefined ? undefined : toCounterexample(finding)
  })
  const { replicas, paused } = next.spec
  const { podsMax, availableMin } = rolloutBounds(next, strategies)
  const generalFindings = generalRules.flatMap((rule) => result.brokenRules.get(rule) ?? [])
  const earliestFinding = generalFindings.toSorted((a, b) => a.state - b.state)[0]
  return [
    ...(podsMax === undefined
      ? []
      : [
          claim(
            "ceiling",
            `never more than ${podsMax} Pods asked for (replicas ${replicas} + surge ${podsMax - replicas})` +
              // The rule judges only steps that ask for more Pods, and the rollout may begin above the ceiling.
              (result.specReplicasBefore > podsMax
                ? ` once scaled down from ${result.specReplicasBefore}`
                : ""),
            result.brokenRules.get("ceiling")
          )
        ]),
    ...(availableMin === undefined
      ? []
      : [
          claim(
            "floor",
            `no step of the Deployment's controller takes reported availability below ${availableMin} ` +
              `(replicas ${replicas} - unavailable ${replicas - availableMin})`,
            result.brokenRules.get("floor")
          )
        ]),
    ...(stopsOldFirst(next, strategies)
      ? [
          claim(
            "recreate",
            "no new Pod is asked for while an old one is still there",
            result.brokenRules.get("recreate")
          )
        ]
      : []),
    ...(paused === true
      ? [claim("paused", "the paused rollout goes no further", result.brokenRules.get("paused"))]
      : []),
    claim(
      "rules",
      "no ReplicaSet goes beyond what it is asked for, statuses add up, revisions only grow",
      earliestFinding
    ),
    claim(
      "end",
      paused === true ? "every order comes to rest" : "every order leads to the end of the rollout",
      result.deadEnd ?? result.cycle,
      shortage
    ),
    ...invariants.map((invariant, index) =>
      claim("invariant", invariant.text, result.brokenInvariants.get(index))
    )
  ]
}
