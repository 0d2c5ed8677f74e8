import type { Node } from "../../meta/objects.ts"
import type { PodToPlace, PlacementWorld } from "../placementFilter.ts"

/** What scores are computed from, besides the Pod and the nodes that it fits on. */
export interface ScoreFacts {
  readonly world: PlacementWorld
  /** All nodes of the cluster. */
  readonly nodes: ReadonlyArray<Node>
}

/**
 * A score of 0 to 100 for each of the `fitting` nodes, those that passed all filters; undefined if the Pod has nothing
 * to compare by.
 */
export type NodeScorer = (
  pod: PodToPlace,
  fitting: ReadonlyArray<Node>,
  facts: ScoreFacts
) => ReadonlyArray<number> | undefined
