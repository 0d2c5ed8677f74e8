import { areAnyFound } from "./planRequests.ts"
import { deploymentKeys, isOf, keysAmong } from "./documentKeys.ts"
import { resources } from "../../domain/kinds.ts"
import type { ManifestDocument } from "../../manifests/manifest.ts"
import type { Predicate } from "./predicates.ts"
import type { PlanWorld } from "./planRun.ts"

/**
 * Why a predicate would never be true, whatever happens, and nobody would know: nothing is there that it measures.
 * `fromOption` is how what runs before is given. Undefined where it can be asked.
 */
export const unmeasured = (
  { measure }: Predicate,
  { from = [], next }: Pick<PlanWorld, "from" | "next">,
  fromOption: string
): string | undefined => {
  if (measure !== "available" && measure !== "lost") return undefined
  const known = new Set(deploymentKeys(from))
  if (!deploymentKeys(next).some((key) => known.has(key)))
    return `${ofNew[measure]}; say ${fromOption} what it follows`
  if (measure === "available") return undefined
  const all = [...from, ...next]
  if (!all.some(isOf(resources.services)))
    return "there is no Service whose requests could be lost; put it into the file"
  if (!areAnyFound(all))
    return "no Service selects the Pods that are rolled out, and none of its requests could be lost"
  const asked = new Set(keysAmong(from, resources.services))
  const isNew = (document: ManifestDocument): boolean =>
    keysAmong([document], resources.services).some((key) => !asked.has(key))
  return areAnyFound(all.filter((document) => !isNew(document)))
    ? undefined
    : "to a Service that is new nobody sends requests yet, and no other selects the Pods that are rolled out; " +
        `put it into what ${fromOption} names, where it is there before`
}

const ofNew = {
  available: "a Deployment that is new has none available to lose",
  lost: "to a Deployment that is new nobody sends requests yet"
}
