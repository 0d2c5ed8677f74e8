import type { Node } from "../../meta/objects.ts"
import type { PodToPlace, PlacementWorld } from "../placementFilter.ts"

/** What nodes are compared by. */
export interface ScoreFacts {
  readonly world: PlacementWorld
  readonly nodes: ReadonlyArray<Node>
}

/** A score of 0 to 100 for each of the given nodes; undefined if the Pod has nothing to compare by. */
export type NodeScorer = (
  pod: PodToPlace,
  fitting: ReadonlyArray<Node>,
  facts: ScoreFacts
) => ReadonlyArray<number> | undefined
