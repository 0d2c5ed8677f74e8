import { spawnOptionRefused, unknownActionType } from "./actions.ts"
import { needsInterpreter } from "./guards.ts"
import { xstateReleaseReasons } from "./xstateShape.ts"
import { selfAndDescendants } from "./stateTree.ts"
import type { AnyStateMachine, AnyStateNode } from "xstate"

/** The unsupported parts of XState that a machine uses, each with its state; empty if the machine is compiled. */
export const reasonsToInterpret = (machine: AnyStateMachine): ReadonlyArray<string> => {
  const existing = reasonsByMachine.get(machine)
  if (existing !== undefined) return existing
  const { guards, actions } = machine.implementations
  const reasons = [
    ...xstateReleaseReasons,
    ...selfAndDescendants(machine.root).flatMap(stateReasons),
    ...Object.entries(guards).flatMap(([name, guard]) => guardReasons(guard, `guard "${name}"`)),
    ...Object.entries(actions).flatMap(([name, action]) => actionReasons(action, `action "${name}"`))
  ]
  reasonsByMachine.set(machine, reasons)
  return reasons
}

const reasonsByMachine = new WeakMap<AnyStateMachine, ReadonlyArray<string>>()

const stateReasons = (node: AnyStateNode): ReadonlyArray<string> => {
  const { id, invoke, entry, exit, transitions, always = [], initial, config } = node
  const where = `state "${id}"`
  const definitions = [...transitions.values()].flat().concat(always)
  const actions = [...entry, ...exit, ...initial.actions, ...definitions.flatMap((it) => it.actions)]
  return [
    ...(invoke.length > 0 ? [`invoke in ${where}`] : []),
    ...((config as { readonly route?: unknown }).route !== undefined ? [`route in ${where}`] : []),
    ...definitions.flatMap(({ guard }) => guardReasons(guard, where)),
    ...actions.flatMap((action) => actionReasons(action, where))
  ]
}

const guardReasons = (guard: unknown, where: string): ReadonlyArray<string> =>
  needsInterpreter(guard) ? [`stateIn in ${where}`] : []

const actionReasons = (action: unknown, where: string): ReadonlyArray<string> => {
  const type = unknownActionType(action)
  const option = spawnOptionRefused(action)
  return [
    ...(type === undefined ? [] : [`the action ${type} in ${where}`]),
    ...(option === undefined ? [] : [`spawnChild with ${option} in ${where}`])
  ]
}
