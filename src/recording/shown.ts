import { byKey } from "../domain/objects.ts"
import { resources } from "../domain/kinds.ts"
import type { KubeObject } from "../domain/objects.ts"
import type { ClusterView } from "../store/objectStore.ts"

/** The resources that a recording tells of, and what it calls them: owners before what they own. */
export const shownNames: ReadonlyMap<string, string> = new Map(
  [
    resources.nodes,
    resources.services,
    resources.endpointSlices,
    resources.deployments,
    resources.replicaSets,
    resources.pods,
    resources.events
  ].map((resource) => [resource, resource.replace(/\..*$/, "")])
)

/** Everything of a cluster that a recording shows, in the order in which it is told. */
export const presentIn = (
  view: Pick<ClusterView["Service"], "all">
): ReadonlyArray<readonly [shownAs: string, object: KubeObject]> =>
  [...shownNames].flatMap(([resource, shownAs]) =>
    [...view.all(resource)].sort(byKey).map((object) => [shownAs, object] as const)
  )
