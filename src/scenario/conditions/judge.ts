import { parseCondition } from "./parseCondition.ts"
import { isOfLosses, losingIn, lossTurns, reasonsAgainst } from "./evaluate.ts"
import type { Reason } from "./evaluate.ts"
import type { Key } from "../../domain/objects.ts"
import type { Condition, StoryWorld } from "../stories/story.ts"

/** A condition that can be asked again and again. */
export interface Judge {
  readonly text: string
  /** Why it does not hold at the moment; nothing where it does. */
  readonly reasons: (world: StoryWorld) => ReadonlyArray<Reason>
  /** The Service whose lost requests are more than it allows; left out where it speaks of none. */
  readonly losing?: (world: StoryWorld) => Key | undefined
  /**
   * What becomes so of it and stays so while requests are lost, where it may hold for a moment alone; left out where
   * that is not known.
   */
  readonly turns?: (world: StoryWorld) => ReadonlyArray<() => boolean>
}

/** All reasons in a line; undefined where there is none. */
export const whyNot = (judge: Judge, world: StoryWorld): string | undefined => {
  const reasons = judge.reasons(world)
  return reasons.length === 0 ? undefined : reasons.map(({ why }) => why).join("; ")
}

/**
 * Makes a condition ready to be asked. A line that does not parse never holds, and says why; a predicate without a name
 * goes by its place in the story.
 */
export const judgeOf = (condition: Condition, place?: string): Judge => {
  if (typeof condition === "function") return judgeOfPredicate(condition, place)
  const read = parseCondition(condition)
  if (read.problems.length > 0) {
    const why = read.problems.map(({ message }) => message).join("; ")
    return { text: condition, reasons: () => [{ subject: "", why }] }
  }
  const speaksOfLosses = read.clauses.some(isOfLosses)
  return {
    text: condition,
    reasons: (world) => reasonsAgainst(read, world),
    ...(speaksOfLosses
      ? { losing: (world) => losingIn(read, world), turns: (world) => lossTurns(read, world) }
      : {})
  }
}

/** What a predicate throws is why it does not hold: it must not harm the cluster that it looks at. */
const judgeOfPredicate = (holds: (world: StoryWorld) => unknown, place: string | undefined): Judge => {
  const text = predicateText(holds, place)
  const against = (why: string): ReadonlyArray<Reason> => [{ subject: "", why: `${text} ${why}` }]
  const reasons = (world: StoryWorld): ReadonlyArray<Reason> => {
    try {
      const answer = holds(world)
      if (answer === true) return []
      return against(answer === false ? "does not hold" : `${notAnswered} ${answerText(answer)}`)
    } catch (error) {
      return against(`failed: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  /** Whether it spoke of requests when it was last asked, and of nothing but the ledger. */
  let speaksOfLosses = true
  return {
    text,
    reasons,
    // Time passes before what comes next has happened in the ledger, and in the view it has: who reads that is asked
    // when it has happened in both.
    losing: (world) => {
      if (!speaksOfLosses) return undefined
      const asked = overheard(world)
      const isBroken = reasons(asked.world).length > 0
      speaksOfLosses = asked.services.size > 0 && !asked.readsView()
      return isBroken && speaksOfLosses ? [...asked.services][0] : undefined
    }
  }
}

/** A world that notes what somebody asks it for. */
const overheard = (world: StoryWorld) => {
  const services = new Set<Key>()
  let readsView = false
  const { ledger } = world
  return {
    services,
    readsView: () => readsView,
    world: {
      get view() {
        readsView = true
        return world.view
      },
      nowMillis: world.nowMillis,
      sinceMillis: world.sinceMillis,
      ledger: {
        ...ledger,
        ofService: (key: Key) => {
          services.add(key)
          return ledger.ofService(key)
        }
      }
    }
  }
}

/** A predicate by its name, or by its place in the story. */
export const predicateText = ({ name }: { readonly name: string }, place?: string): string => {
  if (!nameless.has(name)) return `predicate ${name}`
  return place === undefined ? "a predicate" : `the predicate ${place}`
}

/** JavaScript calls a function without a name by the field that it is written in. */
const nameless: ReadonlySet<string> = new Set(["", "expect", "waitFor", "when"])

const notAnswered = "must answer true or false, and answered"

const answerText = (answer: unknown): string => {
  if (answer instanceof Promise) {
    // Nobody waits for it, and what it fails with is nobody's.
    answer.catch(() => {})
    return "a promise"
  }
  if (typeof answer === "string") return JSON.stringify(answer)
  return typeof answer === "object" && answer !== null ? "an object" : String(answer)
}
