import { and, not, or } from "xstate"
import type { AnyEventObject, AnyStateMachine } from "xstate"

export interface GuardArgs {
  readonly context: unknown
  readonly event: AnyEventObject
}

export type GuardPredicate = (args: GuardArgs) => boolean

type GuardFunction = (args: GuardArgs, params: unknown) => boolean

interface CombinedGuard {
  readonly check: unknown
  readonly guards?: ReadonlyArray<unknown>
}

const isCombined = (guard: object): guard is CombinedGuard => "check" in guard
const checkOf = (guard: object): unknown => (isCombined(guard) ? guard.check : undefined)

/** XState does not publish these functions, which tell its combined guards apart. */
const checks = { and: checkOf(and([])), or: checkOf(or([])), not: checkOf(not("")) }

export type CompileGuard = (guard: unknown) => GuardPredicate

/** A guard that is not implemented throws when it is evaluated, as in XState. */
export const makeGuardCompiler = ({ implementations }: AnyStateMachine): CompileGuard => {
  const implementationsByName: Readonly<Record<string, unknown>> = implementations.guards

  const compileNamed = (name: string, toParams: (args: GuardArgs) => unknown): GuardPredicate => {
    const implementation = implementationsByName[name]
    // XState's message, with its punctuation.
    if (implementation === undefined)
      return () => {
        throw new Error(`Guard '${name}' is not implemented.'.`)
      }
    if (typeof implementation !== "function" || isCombined(implementation)) return compile(implementation)
    return (args) => (implementation as GuardFunction)(args, toParams(args))
  }
  const compileCombined = ({ check, guards = [] }: CombinedGuard): GuardPredicate => {
    const parts = guards.map(compile)
    if (check === checks.and) return (args) => parts.every((holds) => holds(args))
    if (check === checks.or) return (args) => parts.some((holds) => holds(args))
    if (check !== checks.not) throw new Error("a compiled chart does not take stateIn")
    return (args) => !parts[0]?.(args)
  }
  const compile: CompileGuard = (guard) => {
    if (typeof guard === "string") return compileNamed(guard, noParams)
    if (typeof guard === "function")
      return isCombined(guard) ? compileCombined(guard) : (args) => (guard as GuardFunction)(args, undefined)
    const { type, params } = guard as { readonly type: string; readonly params?: unknown }
    return compileNamed(
      type,
      typeof params === "function" ? (args) => (params as (args: GuardArgs) => unknown)(args) : () => params
    )
  }
  return compile
}

const noParams = (): undefined => undefined

/** Only XState can evaluate `stateIn`. */
export const needsInterpreter = (guard: unknown): boolean => {
  if (typeof guard !== "function" || !isCombined(guard)) return false
  const { check, guards = [] } = guard
  return !Object.values(checks).includes(check) || guards.some(needsInterpreter)
}

export const guardTypeOf = (guard: unknown): string | undefined => {
  if (typeof guard === "string") return guard
  return typeof guard === "object" && guard !== null && "type" in guard ? String(guard.type) : undefined
}
