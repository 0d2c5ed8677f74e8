import { parseCondition } from "./parseCondition.ts"
import { reasonsAgainst } from "./evaluate.ts"
import type { Reason } from "./evaluate.ts"
import type { Condition, StoryWorld } from "../stories/story.ts"

/** A condition that can be asked again and again. */
export interface Judge {
  readonly text: string
  /** Why it does not hold at the moment; nothing where it does. */
  readonly reasons: (world: StoryWorld) => ReadonlyArray<Reason>
}

/** All reasons in a line; undefined where there is none. */
export const whyNot = (judge: Judge, world: StoryWorld): string | undefined => {
  const reasons = judge.reasons(world)
  return reasons.length === 0 ? undefined : reasons.map(({ why }) => why).join("; ")
}

/** Makes a condition ready to be asked. A line that does not parse never holds, and says why. */
export const judgeOf = (condition: Condition): Judge => {
  if (typeof condition === "function") return judgeOfPredicate(condition)
  const parsed = parseCondition(condition)
  if (parsed.ok) return { text: condition, reasons: (world) => reasonsAgainst(parsed.value, world) }
  const why = parsed.problems.map(({ message }) => message).join("; ")
  return { text: condition, reasons: () => [{ subject: "", why }] }
}

/** What a predicate throws is why it does not hold: it must not harm the cluster that it looks at. */
const judgeOfPredicate = (holds: (world: StoryWorld) => boolean): Judge => {
  const text = holds.name === "" ? "a predicate" : `predicate ${holds.name}`
  return {
    text,
    reasons: (world) => {
      try {
        return holds(world) ? [] : [{ subject: "", why: `${text} does not hold` }]
      } catch (error) {
        const words = error instanceof Error ? error.message : String(error)
        return [{ subject: "", why: `${text} failed: ${words}` }]
      }
    }
  }
}
