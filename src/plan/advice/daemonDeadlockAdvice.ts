import { hasPlacementDeadlock } from "./proposal.ts"
import type { DaemonSet } from "../../kubernetes/apps/daemonSets/daemonSetTypes.ts"
import type { Proposal } from "./proposal.ts"
import type { RolloutFigures } from "../rolloutFigures.ts"

/** An old Pod that goes first makes room for the new one of its node. */
export const daemonDeadlockAdvice = (
  { metadata, spec }: DaemonSet,
  figures: RolloutFigures
): Proposal | undefined =>
  hasPlacementDeadlock(figures)
    ? {
        text:
          `maxSurge: ${spec.updateStrategy?.rollingUpdate?.maxSurge} lets no old Pod go before the new one of its node is ` +
          "available, and the node does not take it beside the old one. Say maxSurge: 0, maxUnavailable: 1: a node has " +
          "no Pod while it is replaced",
        change: {
          kind: "DaemonSet",
          namespace: metadata.namespace ?? "default",
          name: metadata.name,
          fields: { spec: { updateStrategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } } }
        }
      }
    : undefined
