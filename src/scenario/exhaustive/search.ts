import { activeOf, askedOf, availableOf, presentOf, readyOf, stoppingOf, unreadyOf } from "./brood.ts"
import { chapterIdOf, failuresOf } from "./moves.ts"
import { circleIn } from "./circles.ts"
import { makeEdges } from "./edges.ts"
import { makeStateTable } from "./stateTable.ts"
import type { Broken } from "../ledger/violations.ts"
import type { Chapter, Chapters } from "./chapters.ts"
import type { Moves, Visitor } from "./moves.ts"
import type { Packed } from "./brood.ts"
import type { StateTable } from "./stateTable.ts"
import type { Step } from "./step.ts"
import type { World } from "./beginning.ts"

/** What must hold in every state, whoever is to blame. */
export interface Invariant {
  /** As it was asked for. */
  readonly text: string
  /** The sums, where it does not hold. */
  readonly broken: (counts: Counts) => string | undefined
}

/** What is so in one state. */
export interface Counts {
  readonly desired: number
  /** Pods that are there and not on their way out. */
  readonly pods: number
  readonly available: number
}

/** Where something was first found: with no fewer steps is it ever reached. */
export interface Finding {
  /** The state in which it is so, or from which the step is made. */
  readonly state: number
  /** The step that breaks a rule; undefined where the state itself does. */
  readonly step: Step | undefined
  /** States that follow it and lead back to it, again and again. */
  readonly round?: ReadonlyArray<number>
  readonly sums: string
  readonly broken: string
}

/** All that a search came to. */
export interface Search {
  readonly table: StateTable
  readonly transitions: number
  /** How many Pods are asked for at the beginning. */
  readonly askedBefore: number
  /** Whether every state was seen; otherwise there are more than were allowed. */
  readonly isWhole: boolean
  /** The first break of each rule. */
  readonly rules: ReadonlyMap<Broken["rule"], Finding>
  /** The first break of each invariant, by its place. */
  readonly invariants: ReadonlyMap<number, Finding>
  /** Where nothing more can happen though the rollout is not over. */
  readonly deadEnd: Finding | undefined
  /** A state to which things come back, again and again. */
  readonly circle: Finding | undefined
  /** The fewest available and the most Pods, by how many failures there were. */
  readonly extremes: ReadonlyArray<Extremes>
}

export interface Extremes {
  readonly available: { readonly fewest: number; readonly state: number }
  readonly pods: { readonly most: number; readonly state: number }
  /** The most with those that are on their way out, where they are counted. */
  readonly present: number
  /** The most of one ReplicaSet that are on their way out. */
  readonly stopping: number
}

/**
 * Visits every state that can be reached, breadth first, so that whatever is found is found by a shortest way. Each
 * state is expanded once; rules are judged at every step, invariants in every state.
 */
export const search = (options: {
  readonly begin: World
  readonly moves: Moves
  readonly chapters: Chapters
  readonly invariants: ReadonlyArray<Invariant>
  readonly statesMax: number
}): Search => {
  const { begin, moves, chapters, invariants, statesMax } = options
  const table = makeStateTable()
  const edges = makeEdges()
  const rules = new Map<Broken["rule"], Finding>()
  const brokenInvariants = new Map<number, Finding>()
  const extremes: Array<Extremes> = []
  let deadEnd: Finding | undefined
  let at = 0
  const visitor: Visitor = {
    reach: (first, second, tale) => edges.add(table.add(first, second, tale, at)),
    broken: (broken, step) => {
      if (!rules.has(broken.rule)) rules.set(broken.rule, { ...broken, state: at, step })
    }
  }
  table.add(begin.first, begin.second, begin.tale, -1)
  for (; at < table.count() && table.count() <= statesMax; at += 1) {
    const [first, second, tale] = [table.first(at), table.second(at), table.third(at)]
    const chapter = chapters.at(chapterIdOf(tale))
    const available = availableOf(first) + availableOf(second)
    const pods = activeOf(first) + activeOf(second)
    const present = presentOf(first) + presentOf(second)
    const stopping = Math.max(stoppingOf(first), stoppingOf(second))
    note(extremes, failuresOf(tale), { at, available, pods, present, stopping })
    for (const [place, invariant] of invariants.entries()) {
      if (brokenInvariants.has(place)) continue
      const sums = invariant.broken({ desired: chapter.deployment.spec.replicas, pods, available })
      if (sums !== undefined)
        brokenInvariants.set(place, { state: at, step: undefined, sums, broken: invariant.text })
    }
    edges.begin()
    const isFree = moves.from(first, second, tale, visitor)
    if (!isFree && deadEnd === undefined && !isOver(chapter, first, second))
      deadEnd = stuckIn(chapter, at, first, second)
  }
  const isWhole = at === table.count()
  const round = isWhole ? circleIn(edges, table.count()) : undefined
  return {
    table,
    transitions: edges.count(),
    askedBefore: askedOf(begin.first) + askedOf(begin.second),
    isWhole,
    rules,
    invariants: brokenInvariants,
    deadEnd,
    circle: round === undefined ? undefined : goingRound(round),
    extremes
  }
}

const goingRound = (round: ReadonlyArray<number>): Finding => ({
  state: round[0] ?? 0,
  step: undefined,
  round,
  sums: `its last ${round.length} steps can be taken again and again`,
  broken: "every order leads to the end of the rollout"
})

interface Sighting {
  readonly at: number
  readonly available: number
  readonly pods: number
  readonly present: number
  readonly stopping: number
}

const note = (extremes: Array<Extremes>, failures: number, now: Sighting): void => {
  const { at, available, pods, present, stopping } = now
  const before = extremes[failures]
  const isFewer = before === undefined || available < before.available.fewest
  const isMore = before === undefined || pods > before.pods.most
  if (!isFewer && !isMore && present <= before.present && stopping <= before.stopping) return
  extremes[failures] = {
    available: isFewer ? { fewest: available, state: at } : before.available,
    pods: isMore ? { most: pods, state: at } : before.pods,
    present: Math.max(present, before?.present ?? 0),
    stopping: Math.max(stopping, before?.stopping ?? 0)
  }
}

/** The end: what is said is so, and nothing is left of what was before. A paused rollout goes as far as it may. */
const isOver = (chapter: Chapter, first: Packed, second: Packed): boolean => {
  const { deployment, isComplete, next } = chapter
  if (deployment.spec.paused === true) return true
  const [present, former] = next === 1 ? [second, first] : [first, second]
  const { replicas } = deployment.spec
  return (
    isComplete &&
    next !== -1 &&
    askedOf(present) === replicas &&
    availableOf(present) === replicas &&
    unreadyOf(present) + readyOf(present) === 0 &&
    askedOf(former) + activeOf(former) === 0
  )
}

const stuckIn = ({ deployment, next }: Chapter, state: number, first: Packed, second: Packed): Finding => {
  const [present, former] = next === 1 ? [second, first] : [first, second]
  return {
    state,
    step: undefined,
    sums:
      `nothing more happens with ${availableOf(present)} of ${deployment.spec.replicas} new Pods available` +
      ` and ${activeOf(former)} old ones there`,
    broken: "every order leads to the end of the rollout"
  }
}
