import { errorText } from "../../kubernetes/meta/text/errorText.ts"
import { parseCondition } from "./parseCondition.ts"
import {
  comparesLosses,
  findServiceWithLosses,
  lossThresholds,
  conditionFailures
} from "./evaluateCondition.ts"
import type { ConditionFailure } from "./evaluateCondition.ts"
import type { Key } from "../../kubernetes/meta/objects.ts"
import type { StoryCondition, StoryWorld } from "../stories/story.ts"

export interface ConditionCheck {
  readonly text: string
  readonly failures: (world: StoryWorld) => ReadonlyArray<ConditionFailure>
  /** A function may read the clock, so that its result changes without any change of objects. */
  readonly mayReadTime?: boolean
  /** The Service whose losses break the condition; omitted if it reads no losses. */
  readonly serviceWithLosses?: (world: StoryWorld) => Key | undefined
  /** Whether lost requests have reached each limit of the condition. A function's limits are unknown. */
  readonly lossThresholds?: (world: StoryWorld) => ReadonlyArray<() => boolean>
}

const noObjectKey: Key = ""

export const conditionFailureText = (check: ConditionCheck, world: StoryWorld): string | undefined => {
  const failures = check.failures(world)
  return failures.length === 0 ? undefined : failures.map(({ why }) => why).join("; ")
}

/** A condition that cannot be parsed never holds. An anonymous predicate is named by its `path` in the story. */
export const makeConditionCheck = (condition: StoryCondition, path?: string): ConditionCheck => {
  if (typeof condition === "function") return makePredicateCheck(condition, path)
  const parsed = parseCondition(condition)
  if (parsed.problems.length > 0) {
    const why = parsed.problems.map(({ message }) => message).join("; ")
    return { text: condition, failures: () => [{ key: noObjectKey, why }] }
  }
  const readsLosses = parsed.clauses.some(comparesLosses)
  return {
    text: condition,
    failures: (world) => conditionFailures(parsed, world),
    ...(readsLosses
      ? {
          serviceWithLosses: (world) => findServiceWithLosses(parsed, world),
          lossThresholds: (world) => lossThresholds(parsed, world)
        }
      : {})
  }
}

/** A predicate that throws does not hold: its error must not reach the cluster. */
const makePredicateCheck = (
  holds: (world: StoryWorld) => unknown,
  path: string | undefined
): ConditionCheck => {
  const text = predicateText(holds, path)
  const toFailures = (why: string): ReadonlyArray<ConditionFailure> => [
    { key: noObjectKey, why: `${text} ${why}` }
  ]
  const failures = (world: StoryWorld): ReadonlyArray<ConditionFailure> => {
    try {
      const answer = holds(world)
      if (answer === true) return []
      return toFailures(answer === false ? "does not hold" : `${wrongAnswerText} ${answerText(answer)}`)
    } catch (error) {
      return toFailures(`failed: ${errorText(error)}`)
    }
  }
  let readsLosses = true
  return {
    text,
    failures,
    mayReadTime: true,
    // While time passes, the ledger is ahead of the view: predicates that read the view wait for both.
    serviceWithLosses: (world) => {
      if (!readsLosses) return undefined
      const recordedReads = recordReads(world)
      const isBroken = failures(recordedReads.world).length > 0
      readsLosses = recordedReads.services.size > 0 && !recordedReads.readsView()
      return isBroken && readsLosses ? [...recordedReads.services][0] : undefined
    }
  }
}

const recordReads = (world: StoryWorld) => {
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
      loads: world.loads,
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

export const predicateText = ({ name }: { readonly name: string }, path?: string): string => {
  if (!anonymousNames.has(name)) return `predicate ${name}`
  return path === undefined ? "a predicate" : `the predicate ${path}`
}

/** JavaScript gives an anonymous function the name of the field that it is assigned to. */
const anonymousNames: ReadonlySet<string> = new Set(["", "expect", "waitFor", "when"])

const wrongAnswerText = "must answer true or false, and answered"

const answerText = (answer: unknown): string => {
  if (answer instanceof Promise) {
    // Without a handler, a rejection would end the process.
    answer.catch(() => {})
    return "a promise"
  }
  if (typeof answer === "string") return JSON.stringify(answer)
  return typeof answer === "object" && answer !== null ? "an object" : String(answer)
}
