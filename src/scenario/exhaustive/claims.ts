import { activeOf, availableOf } from "./brood.ts"
import { chapterIdOf } from "./moves.ts"
import { promisesOf } from "../../domain/promises.ts"
import type { Deployment } from "../../domain/objects.ts"
import type { Rule } from "../ledger/violations.ts"
import type { Chapters } from "./chapters.ts"
import type { Finding, Invariant, Search } from "./search.ts"
import type { Moves, Visitor } from "./moves.ts"
import type { StateTable } from "./stateTable.ts"

/** Something that is so in every order, or the shortest order in which it is not. */
export interface Claim {
  readonly about: About
  /** A sentence that is true where it is proved. */
  readonly says: string
  readonly verdict: "proved" | "broken" | "unproved"
  /** Why it cannot be proved, whatever was explored. */
  readonly because: string | undefined
  readonly counterexample: Counterexample | undefined
}

export type About = "ceiling" | "floor" | "recreate" | "paused" | "rules" | "end" | "invariant"

/** A shortest way to what must not be. */
export interface Counterexample {
  readonly steps: ReadonlyArray<ToldStep>
  readonly sums: string
  readonly broken: string
}

/** One step of a counterexample, and what is so after it. */
export interface ToldStep {
  readonly who: string
  readonly what: string
  readonly available: number
  readonly pods: number
}

interface Tale {
  readonly table: StateTable
  readonly moves: Moves
  readonly chapters: Chapters
}

/** Finds the way to something again, step by step. */
export const tellTo =
  (tale: Tale) =>
  ({ state, step, round, sums, broken }: Finding): Counterexample => {
    const { table } = tale
    const way: Array<number> = []
    for (let at = state; at !== -1; at = table.parent(at)) way.push(at)
    way.reverse()
    if (round !== undefined) way.push(...round.slice(1), state)
    const steps = way.slice(1).flatMap((to, index) => {
      const isThere: IsThere = (first, second, chapter) =>
        table.first(to) === first && table.second(to) === second && table.third(to) === chapter
      return toldStep(tale, way[index] ?? 0, isThere)
    })
    const last = step === undefined ? [] : toldStep(tale, state, (_first, _second, _tale, it) => it === step)
    return { steps: [...steps, ...last], sums, broken }
  }

type IsThere = (...reached: Parameters<Visitor["reach"]>) => boolean

/** The first step from a state that leads where it is asked for, and what is so after it. */
const toldStep = (
  { table, moves, chapters }: Tale,
  from: number,
  isThere: IsThere
): ReadonlyArray<ToldStep> => {
  const told: Array<ToldStep> = []
  moves.from(table.first(from), table.second(from), table.third(from), {
    reach: (first, second, tale, step) => {
      if (told.length > 0 || !isThere(first, second, tale, step)) return
      const chapter = chapters.at(chapterIdOf(tale))
      told.push({
        who: step.who(chapter),
        what: step.what(chapter),
        available: availableOf(first) + availableOf(second),
        pods: activeOf(first) + activeOf(second)
      })
    },
    broken: () => {}
  })
  return told
}

/** Rules that no manifest changes: each may break, and all that hold are one claim. */
const generalRules: ReadonlyArray<Rule> = [
  "asked",
  "statusSums",
  "statusCounts",
  "revisionsGrow",
  "observedGeneration"
]

/** What was proved, and what is not so after all. */
export const claimsOf = (options: {
  readonly found: Search
  /** Whether every state was seen as it is. */
  readonly isExact: boolean
  readonly tell: (finding: Finding) => Counterexample
  readonly next: Deployment
  readonly invariants: ReadonlyArray<Invariant>
  /** What there may be too little of for an end. */
  readonly shortage?: string | undefined
}): ReadonlyArray<Claim> => {
  const { found, isExact, tell, next, invariants, shortage } = options
  const claim = (about: About, says: string, finding: Finding | undefined, because?: string): Claim => ({
    about,
    says,
    verdict: finding !== undefined ? "broken" : isExact && because === undefined ? "proved" : "unproved",
    because: finding === undefined ? because : undefined,
    counterexample: finding === undefined ? undefined : tell(finding)
  })
  const { replicas, strategy, paused } = next.spec
  const { podsMax, availableMin } = promisesOf(next)
  const general = generalRules.flatMap((rule) => found.rules.get(rule) ?? [])
  const earliest = general.toSorted((a, b) => a.state - b.state)[0]
  return [
    ...(podsMax === undefined
      ? []
      : [
          claim(
            "ceiling",
            `never more than ${podsMax} Pods asked for (replicas ${replicas} + surge ${podsMax - replicas})` +
              // Steps are judged that ask for more: what was asked for before is nobody's step.
              (found.askedBefore > podsMax ? ` once scaled down from ${found.askedBefore}` : ""),
            found.rules.get("ceiling")
          )
        ]),
    ...(availableMin === undefined
      ? []
      : [
          claim(
            "floor",
            `no step of the Deployment's controller takes reported availability below ${availableMin} ` +
              `(replicas ${replicas} - unavailable ${replicas - availableMin})`,
            found.rules.get("floor")
          )
        ]),
    ...(strategy.type === "Recreate"
      ? [
          claim(
            "recreate",
            "no new Pod is asked for while an old one is still there",
            found.rules.get("recreate")
          )
        ]
      : []),
    ...(paused === true
      ? [claim("paused", "the paused rollout goes no further", found.rules.get("paused"))]
      : []),
    claim(
      "rules",
      "no ReplicaSet goes beyond what it is asked for, statuses add up, revisions only grow",
      earliest
    ),
    claim(
      "end",
      paused === true ? "every order comes to rest" : "every order leads to the end of the rollout",
      found.deadEnd ?? found.circle,
      shortage
    ),
    ...invariants.map((invariant, place) => claim("invariant", invariant.text, found.invariants.get(place)))
  ]
}
