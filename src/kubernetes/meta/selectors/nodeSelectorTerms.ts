import { matchesSelector } from "./labelSelectors.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { Node } from "../objects.ts"

/** Source: nodeaffinity.go. */
export const matchesNodeSelector = (
  { nodeSelectorTerms }: Readonly<Core.NodeSelector>,
  node: Pick<Node, "metadata">
): boolean => nodeSelectorTerms.some((term) => matchesNodeTerm(term, node))

/** A term without requirements matches no node. */
export const matchesNodeTerm = (
  { matchExpressions = [], matchFields = [] }: Readonly<Core.NodeSelectorTerm>,
  { metadata }: Pick<Node, "metadata">
): boolean =>
  matchExpressions.length + matchFields.length > 0 &&
  matchesSelector({ matchExpressions }, metadata.labels) &&
  matchesSelector({ matchExpressions: matchFields }, { "metadata.name": metadata.name })
