import { guardTypeOf } from "./guards.ts"
import type { AnyStateNode } from "xstate"
import type { CandidateTree, Transition } from "./configuration.ts"
import type { GuardArgs } from "./guards.ts"

export const noTransitions: ReadonlyArray<never> = Object.freeze([])

/** Transitions of inner states come before those of outer ones. */
export const enabledTransitions = (
  tree: CandidateTree | null,
  args: GuardArgs
): ReadonlyArray<Transition> => {
  if (tree === null) return noTransitions
  const enabled: Array<Transition> = []
  addEnabled(tree, args, enabled)
  return enabled
}

/** The result has each transition once: the lists of two states may have one in common. */
export const eventlessTransitions = (
  candidateLists: ReadonlyArray<ReadonlyArray<Transition>>,
  args: GuardArgs
): ReadonlyArray<Transition> => {
  let enabled: Array<Transition> | undefined
  for (const candidates of candidateLists) {
    for (const candidate of candidates) {
      if (candidate.guard !== undefined && !candidate.guard(args)) continue
      if (enabled === undefined) enabled = [candidate]
      else if (!enabled.includes(candidate)) enabled.push(candidate)
      break
    }
  }
  return enabled ?? noTransitions
}

const addEnabled = (
  { state, inner, candidates }: CandidateTree,
  args: GuardArgs,
  enabled: Array<Transition>
): boolean => {
  let isHandled = false
  for (const tree of inner) if (addEnabled(tree, args, enabled)) isHandled = true
  if (isHandled) return true
  for (const candidate of candidates) {
    if (!isEnabled(candidate, args, state)) continue
    enabled.push(candidate)
    return true
  }
  return false
}

const isEnabled = ({ guard, definition }: Transition, args: GuardArgs, { id }: AnyStateNode): boolean => {
  try {
    return guard === undefined || guard(args)
  } catch (error) {
    const name = guardTypeOf(definition.guard)
    const which = name === undefined ? "" : `'${name}' `
    throw new Error(
      `Unable to evaluate guard ${which}in transition for event '${args.event.type}' in state node '${id}':\n${(error as Error).message}`,
      { cause: error }
    )
  }
}
