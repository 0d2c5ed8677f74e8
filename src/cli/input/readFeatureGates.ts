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
  const gates = parseFeatureGates(text)
  return typeof gates === "string"
    ? Effect.fail(badInput(`invalid argument ${JSON.stringify(text)} for "--feature-gates" flag: ${gates}`))
    : Effect.succeed({ featureGates: gates })
}
