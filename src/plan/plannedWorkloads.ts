import { manifestStrategy } from "../steering/decodeStrategy.ts"
import { draftsAmong } from "./documentKeys.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import { toObjectKey } from "../kubernetes/meta/objects.ts"
import { withBuiltInSteering } from "../../machines/steering/steeringStrategies.ts"
import { workloadReference, workloadsAmong } from "./workloads.ts"
import type { ManifestDocument } from "../manifests/manifestDocument.ts"
import type { SteeringStrategy } from "../../machines/steering/steeringStrategy.ts"
import type { WorkloadReference } from "./workloads.ts"

interface PlannedManifests {
  readonly next: ReadonlyArray<ManifestDocument>
  readonly steering?: ReadonlyArray<SteeringStrategy>
}

/** Leaves out suspended Jobs that are the templates of steered Deployments' hooks. */
export const plannedWorkloads = (input: PlannedManifests): ReadonlyArray<WorkloadReference> => {
  const hookTemplates = hookTemplateIds(input)
  return workloadsAmong(input.next).filter(({ id }) => !hookTemplates.has(id))
}

const hookTemplateIds = ({ next, steering }: PlannedManifests): ReadonlySet<string> => {
  const suspendedJobIds = new Set(
    draftsAmong(next, resources.jobs)
      .filter(({ spec }) => spec.suspend === true)
      .map(({ metadata }) => idOfJob(metadata.namespace, metadata.name))
  )
  if (suspendedJobIds.size === 0) return suspendedJobIds
  const charts = withBuiltInSteering(steering)
  const hookJobIds = next.flatMap((document) => {
    const { strategy, chart } = manifestStrategy(document, charts) ?? {}
    const jobs = chart?.observedNames?.(strategy?.settings).jobs ?? []
    return jobs.map((name) => idOfJob(document.draft.metadata.namespace, name))
  })
  return new Set(hookJobIds.filter((id) => suspendedJobIds.has(id)))
}

const idOfJob = (namespace: string | undefined, name: string): string =>
  workloadReference(resources.jobs, toObjectKey(namespace, name)).id
