import { isAtomic, statesOfValue } from "../../compiler/stateTree.ts"
import type { AnyStateNode } from "xstate"
import type { ChartSnapshot } from "./recordedStep.ts"

/** A path such as `rollout.routing`; empty for the chart itself. */
export const statePath = (node: AnyStateNode): string => node.path.join(".")

export const activeStates = ({ machine, value }: ChartSnapshot): ReadonlyArray<AnyStateNode> =>
  statesOfValue(machine.root, value)

export const activeLeaves = (snapshot: ChartSnapshot): ReadonlyArray<AnyStateNode> =>
  activeStates(snapshot)
    .filter(isAtomic)
    .sort((one, other) => one.order - other.order)

export const activeStatePaths = (snapshot: ChartSnapshot | undefined): ReadonlyArray<string> =>
  snapshot === undefined ? [] : activeLeaves(snapshot).map(statePath)
