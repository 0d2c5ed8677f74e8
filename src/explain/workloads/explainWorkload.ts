import { explainDaemonSet } from "./explainDaemonSet.ts"
import { explainJob } from "./explainJob.ts"
import { explainRollout } from "../objects/explainRollout.ts"
import { explainStatefulSet } from "./explainStatefulSet.ts"
import { placementInputOf } from "../../store/placementInput.ts"
import { podsOfDeployment } from "../../store/ownerLookup.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { normalizeEvent } from "../../kubernetes/meta/normalizeEvent.ts"
import type { ClusterView } from "../../store/objectStore.ts"
import type { DaemonSet } from "../../kubernetes/apps/daemonSets/daemonSetTypes.ts"
import type { Deployment } from "../../kubernetes/meta/objects.ts"
import type { Job } from "../../kubernetes/batch/jobs/jobTypes.ts"
import type { StateExplanation } from "../objects/stateExplanation.ts"
import type { StatefulSet } from "../../kubernetes/apps/statefulSets/statefulSetTypes.ts"
import type { Strategy } from "../../../machines/strategies/strategy.ts"
import type { Workload, WorkloadResource } from "../../kubernetes/apps/workloadStatus.ts"

export const explainWorkload = (
  resource: WorkloadResource,
  workload: Workload,
  view: ClusterView["Service"],
  { strategies, nowMillis }: { readonly strategies: ReadonlyArray<Strategy>; readonly nowMillis: number }
): Pick<StateExplanation, "sentences"> => {
  const { namespace = "default", uid } = workload.metadata
  const events = Array.from(view.all(resources.events), normalizeEvent)
  const nodes = view.all(resources.nodes)
  if (resource === resources.deployments) {
    const deployment = workload as Deployment
    return explainRollout({
      deployment,
      replicaSets: view.controlled(resources.replicaSets, uid),
      pods: podsOfDeployment(view, deployment),
      events,
      nodes,
      readPlacementInput: () => placementInputOf(view),
      namespace: view.get(resources.namespaces, namespace),
      strategies,
      nowMillis
    })
  }
  const input = { pods: view.controlled(resources.pods, uid), events, nodes, nowMillis }
  switch (resource) {
    case resources.statefulSets:
      return explainStatefulSet({ statefulSet: workload as StatefulSet, ...input })
    case resources.daemonSets:
      return explainDaemonSet({ daemonSet: workload as DaemonSet, ...input })
    case resources.jobs:
      return explainJob({ job: workload as Job, ...input })
  }
}
