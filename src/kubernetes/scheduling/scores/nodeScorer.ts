import type { Node } from "../../meta/objects.ts"
import type { PodToPlace, NodeInfos } from "../placementFilter.ts"

export interface ScoreFacts {
  readonly nodeInfos: NodeInfos
  readonly nodes: ReadonlyArray<Node>
}

/** Scores from 0 to 100; undefined if the Pod has no preference. */
export type NodeScorer = (
  pod: PodToPlace,
  fitting: ReadonlyArray<Node>,
  facts: ScoreFacts
) => ReadonlyArray<number> | undefined
