import { nodesByName } from "../objects/podProblems.ts"
import { placementDeadlockTextIn } from "../../store/placementInput.ts"
import { podsOfDeployment } from "../../store/ownerLookup.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { toRolloutVerdict } from "./workloadVerdict.ts"
import type { ClusterView } from "../../store/objectStore.ts"
import type { Deployment } from "../../kubernetes/meta/objects.ts"
import type { WorkloadVerdict } from "./workloadVerdict.ts"

export const rolloutVerdictInView = (view: ClusterView["Service"], deployment: Deployment): WorkloadVerdict =>
  toRolloutVerdict({
    deployment,
    replicaSets: view.controlled(resources.replicaSets, deployment.metadata.uid),
    pods: podsOfDeployment(view, deployment),
    nodes: nodesByName(view.all(resources.nodes)),
    deadlock: placementDeadlockTextIn(view, deployment)
  })
