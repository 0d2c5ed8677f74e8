import type { AnyMachineSnapshot, AnyStateNode } from "xstate"
import type { Microstep } from "./recordedStep.ts"

/** XState's type says less, but every recorded actor runs a statechart. */
export const snapshotAfter = ({ snapshot }: Microstep): AnyMachineSnapshot => snapshot as AnyMachineSnapshot

/** A state's path in its chart, `rollout.routing`; empty for the chart itself. */
export const statePath = (node: AnyStateNode): string => node.path.join(".")

/** The active atomic and final states, in chart order. */
export const activeLeaves = (snapshot: AnyMachineSnapshot): ReadonlyArray<AnyStateNode> => {
  const nodes: ReadonlyArray<AnyStateNode> = snapshot._nodes
  return nodes.filter(({ type }) => type === "atomic" || type === "final").sort((a, b) => a.order - b.order)
}

export const activeStatePaths = (snapshot: AnyMachineSnapshot | undefined): ReadonlyArray<string> =>
  snapshot === undefined ? [] : activeLeaves(snapshot).map(statePath)
