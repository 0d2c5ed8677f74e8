import type { Resize } from "../../../src/kubernetes/apps/rollingUpdate.ts"

/** `web-v1 8->6, web-v3 3->5`, one part for each resize; `nothing` for an empty plan. */
export const planText = (resizes: ReadonlyArray<Resize>): string =>
  resizes.length === 0
    ? "nothing"
    : resizes
        .map(
          ({ replicaSet, replicasFrom, replicasTo }) =>
            `${replicaSet.metadata.name} ${replicasFrom}->${replicasTo}`
        )
        .join(", ")
