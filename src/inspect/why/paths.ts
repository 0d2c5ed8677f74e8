import { guardTerm, guardText } from "../charts/words.ts"
import type { AnyMachineSnapshot, AnyStateNode } from "xstate"
import type { Microstep } from "./recorded.ts"

/** A guard by its name, or by those it is made of. */
export const guardNameOf = (guard: unknown): string | undefined => {
  const term = guardTerm(guard)
  return term === undefined ? undefined : guardText(term)
}

/** Every actor that is recorded runs a chart. */
export const snapshotAfter = ({ snapshot }: Microstep): AnyMachineSnapshot => snapshot as AnyMachineSnapshot

/** The path of a state in its chart, `rollout.routing`; empty for the chart itself. */
export const pathOf = (node: AnyStateNode): string => node.path.join(".")

/** The innermost states that are active, as they stand in the chart. */
export const leavesOf = (snapshot: AnyMachineSnapshot): ReadonlyArray<AnyStateNode> => {
  const nodes: ReadonlyArray<AnyStateNode> = snapshot._nodes
  return nodes.filter(({ type }) => type === "atomic" || type === "final").sort((a, b) => a.order - b.order)
}

export const pathsOf = (snapshot: AnyMachineSnapshot | undefined): ReadonlyArray<string> =>
  snapshot === undefined ? [] : leavesOf(snapshot).map(pathOf)
