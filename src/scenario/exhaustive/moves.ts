import { asking, one, readyOf, availableOf } from "./brood.ts"
import { makeDeploymentTurns } from "./deploymentTurn.ts"
import { makeReplicaSetTurns } from "./replicaSetTurn.ts"
import { podEvents } from "./podEvents.ts"
import type { Broken } from "../ledger/violations.ts"
import type { Packed } from "./brood.ts"
import type { Chapter, Chapters } from "./chapters.ts"
import type { PlayedChart } from "./emitted.ts"
import type { DeploymentOutcome } from "./deploymentTurn.ts"
import type { Waiting } from "./deploymentWrites.ts"
import type { Step } from "./step.ts"

/** Is told of every step that may come next, and of the rules that it breaks. */
export interface Visitor {
  readonly reach: (first: Packed, second: Packed, tale: Tale, step: Step) => void
  readonly broken: (broken: Broken, step: Step) => void
}

/** A chapter and how many failures there were, as one number. */
export type Tale = number

const chapterBits = 24
export const taleOf = (chapter: Chapter, failures: number): Tale => chapter.id | (failures << chapterBits)
export const chapterIdOf = (tale: Tale): number => tale & (2 ** chapterBits - 1)
export const failuresOf = (tale: Tale): number => tale >>> chapterBits

/** Everything that may happen next in a small world. */
export interface Moves {
  /** Visits each; tells whether any of them happens by itself, without another failure. */
  readonly from: (first: Packed, second: Packed, tale: Tale, visitor: Visitor) => boolean
  readonly looks: () => number
}

export const makeMoves = (options: {
  readonly chapters: Chapters
  readonly deployment: PlayedChart
  readonly replicaSet: PlayedChart
  readonly tracksStopping: boolean
  readonly failuresMax: number
}): Moves => {
  const { chapters, tracksStopping, failuresMax } = options
  const deployments = makeDeploymentTurns(options.deployment, chapters, { seesPods: tracksStopping })
  const replicaSets = makeReplicaSetTurns(options.replicaSet, chapters, { tracksStopping })
  const events = podEvents({ tracksStopping })

  /** What a ReplicaSet may do next, and its Pods; the other one stays as it is. */
  const fromBrood = (
    chapter: Chapter,
    slot: 0 | 1,
    first: Packed,
    second: Packed,
    failures: number,
    to: Visitor
  ) => {
    const packed = slot === 0 ? first : second
    const reach = (next: Packed, tale: Tale, step: Step): void => {
      if (slot === 0) to.reach(next, second, tale, step)
      else to.reach(first, next, tale, step)
    }
    const outcomes = replicaSets.of(chapter, slot, packed)
    for (const outcome of outcomes) {
      for (const broken of outcome.broken) to.broken(broken, outcome.step)
      reach(outcome.packed, taleOf(outcome.chapter, failures), outcome.step)
    }
    let isFree = outcomes.length > 0
    const isWaiting = chapter.isWaiting[slot]
    for (const { mayHappen, change, step } of events[slot]) {
      if ((step.isFailure && failures === failuresMax) || !mayHappen(packed, isWaiting)) continue
      if (!step.isFailure) isFree = true
      reach(packed + change, taleOf(chapter, step.isFailure ? failures + 1 : failures), step)
    }
    return isFree
  }

  const fromDeployment = (chapter: Chapter, first: Packed, second: Packed, failures: number, to: Visitor) => {
    const outcomes = deployments.of(chapter, first, second)
    for (const outcome of outcomes) {
      const { step } = outcome
      for (const broken of outcome.broken) to.broken(broken, step)
      if (outcome.judge !== undefined)
        for (const broken of outcome.judge([first, second])) to.broken(broken, step)
      const tale = taleOf(outcome.chapter, failures)
      const nextFirst = afterTurn(outcome, 0, first)
      const nextSecond = afterTurn(outcome, 1, second)
      if (outcome.waiting === undefined) to.reach(nextFirst, nextSecond, tale, step)
      else if (outcome.waiting.slot === 0)
        for (const it of waited(outcome.waiting, nextFirst)) to.reach(it, nextSecond, tale, step)
      else for (const it of waited(outcome.waiting, nextSecond)) to.reach(nextFirst, it, tale, step)
    }
    return outcomes.length > 0
  }

  return {
    looks: () => deployments.looks() + replicaSets.looks(),
    from: (first, second, tale, visitor) => {
      const chapter = chapters.at(chapterIdOf(tale))
      const failures = failuresOf(tale)
      let isFree = fromDeployment(chapter, first, second, failures, visitor)
      if (chapter.replicaSets[0] !== undefined)
        isFree = fromBrood(chapter, 0, first, second, failures, visitor) || isFree
      if (chapter.replicaSets[1] !== undefined)
        isFree = fromBrood(chapter, 1, first, second, failures, visitor) || isFree
      return isFree
    }
  }
}

/** A ReplicaSet that was deleted takes its Pods along. */
const afterTurn = ({ chapter, asked }: DeploymentOutcome, slot: 0 | 1, packed: Packed): Packed =>
  chapter.replicaSets[slot] === undefined ? 0 : asking(packed, asked[slot])

/**
 * Pods that no longer have to wait are available at once; where they have to wait for longer, any of those that are
 * available may not have been ready for so long.
 */
const waited = ({ isLonger }: Waiting, packed: Packed): ReadonlyArray<Packed> => {
  if (!isLonger) return [packed + readyOf(packed) * (one.available - one.ready)]
  return Array.from(
    { length: availableOf(packed) + 1 },
    (_, count) => packed + count * (one.ready - one.available)
  )
}
