import { compareByKey } from "../kubernetes/meta/objects.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import type { GroupResource } from "../kubernetes/meta/kinds.ts"
import type { KubeObject } from "../kubernetes/meta/objects.ts"

/** Owners come before what they own. */
export const recordedResources: ReadonlyMap<string, string> = new Map(
  [
    resources.nodes,
    resources.services,
    resources.endpointSlices,
    resources.deployments,
    resources.replicaSets,
    resources.statefulSets,
    resources.daemonSets,
    resources.controllerRevisions,
    resources.cronJobs,
    resources.jobs,
    resources.autoscalers,
    resources.pods,
    resources.events
  ].map((resource) => [resource, resource.replace(/\..*$/, "")])
)

export const recordedObjects = (
  all: (resource: GroupResource) => Iterable<KubeObject>
): ReadonlyArray<readonly [recordedName: string, object: KubeObject]> =>
  [...recordedResources].flatMap(([resource, recordedName]) =>
    [...all(resource)].sort(compareByKey).map((object) => [recordedName, object] as const)
  )

export const recordedObjectCount = (countOf: (resource: GroupResource) => number): number =>
  [...recordedResources.keys()].reduce((sum, resource) => sum + countOf(resource), 0)
