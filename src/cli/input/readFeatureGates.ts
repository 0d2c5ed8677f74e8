import * as Effect from "effect/Effect"
import { badInput } from "./badInput.ts"
import { parseFeatureGates } from "../../kubernetes/meta/featureGates.ts"
import type { BadInput } from "./badInput.ts"
import type { ClusterOptions } from "../../cluster/clusterOptions.ts"

/** Fails with Kubernetes' own error text. */
export const readFeatureGates = (
  text: string | undefined
): Effect.Effect<Pick<ClusterOptions, "featureGates">, BadInput> => {
  if (text === undefined) return Effect.succeed({})
  const gatesOrProblem = parseFeatureGates(text)
  return typeof gatesOrProblem === "string"
    ? Effect.fail(
        badInput(`invalid argument ${JSON.stringify(text)} for "--feature-gates" flag: ${gatesOrProblem}`)
      )
    : Effect.succeed({ featureGates: gatesOrProblem })
}
