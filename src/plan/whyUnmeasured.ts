import { isAnyPodSelected } from "./seeds/rolloutRequests.ts"
import { isOfResource, keysAmong } from "./documentKeys.ts"
import { workloadsAmong } from "./workloads.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import type { ManifestDocument } from "../manifests/manifestDocument.ts"
import type { Predicate } from "./predicates.ts"
import type { PlanInput } from "./seeds/playSeed.ts"

/** The text mentions `fromOption`, the option for what runs before. */
export const whyUnmeasured = (
  { measure }: Predicate,
  { from = [], next }: Pick<PlanInput, "from" | "next">,
  { fromOption }: { readonly fromOption: string }
): string | undefined => {
  if (measure !== "available" && measure !== "lost") return undefined
  const idsBefore = new Set(workloadsAmong(from).map(({ id }) => id))
  if (!workloadsAmong(next).some(({ id }) => idsBefore.has(id)))
    return `${newWorkloadProblems[measure]}; say with ${fromOption} what runs before`
  if (measure === "available") return undefined
  const documents = [...from, ...next]
  if (!documents.some(isOfResource(resources.services)))
    return "there is no Service whose requests could be lost; put it into the file"
  if (!isAnyPodSelected(documents))
    return "no Service selects the Pods that are rolled out, and none of its requests could be lost"
  const servicesBefore = new Set(keysAmong(from, resources.services))
  const isNew = (document: ManifestDocument): boolean =>
    keysAmong([document], resources.services).some((key) => !servicesBefore.has(key))
  return isAnyPodSelected(documents.filter((document) => !isNew(document)))
    ? undefined
    : "no client sends requests to a new Service yet, and no other selects the Pods that are rolled out; " +
        `put it into ${fromOption} as well, so that it exists before`
}

export const whyNeverMeasured = (
  { measure, workloads }: Predicate,
  documents: ReadonlyArray<ManifestDocument>
): string | undefined => {
  if (workloads === undefined) return undefined
  const isNamed = (document: ManifestDocument): boolean =>
    workloadsAmong([document]).some(({ id }) => workloads.has(id))
  const namedDocuments = documents.filter(isNamed)
  if (measure === "available" && namedDocuments.every(isOfResource(resources.jobs)))
    return "the Pods of a Job end, and are never counted as available"
  const services = documents.filter(isOfResource(resources.services))
  return measure === "lost" && !isAnyPodSelected([...services, ...namedDocuments])
    ? "no Service selects their Pods, so that no request can be lost"
    : undefined
}

const newWorkloadProblems = {
  available: "a workload that is new has no available Pods to lose",
  lost: "no client sends requests to a new workload yet"
}
