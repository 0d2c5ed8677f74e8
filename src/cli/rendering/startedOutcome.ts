import { isPodFinished, isPodReady } from "../../kubernetes/pods/podState.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { rolloutStatus } from "../../kubernetes/apps/rolloutStatus.ts"
import type { Deployment, KubeObject, Pod, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { ClusterView } from "../../store/objectStore.ts"

/** A Deployment, ReplicaSet or Pod that `charthouse run -f` or `charthouse up -f` has applied. */
export interface StartedObject {
  readonly resource: StartedResource
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

type StartedResource = typeof resources.deployments | typeof resources.replicaSets | typeof resources.pods

export const isStartedResource = (resource: string): resource is StartedResource =>
  resource === resources.deployments || resource === resources.replicaSets || resource === resources.pods

/** `paused`: complete as far as a paused Deployment can be. `superseded`: another writer began a new revision. */
export interface StartedOutcome {
  readonly outcome: "waiting" | "complete" | "failed" | "paused" | "deleted" | "superseded"
  readonly message: string
}

/** The default progress deadline of a Deployment, for ReplicaSets and Pods, which have none. */
const deadlineDefaultMillis = 600_000

export const startedOutcomeOf = (
  view: ClusterView["Service"],
  { resource, namespace, name, uid }: StartedObject,
  waitedMillis: number
): StartedOutcome => {
  const object = view.get(resource, `${namespace}/${name}`)
  if (object === undefined || object.metadata.uid !== uid) {
    return { outcome: "deleted", message: "object has been deleted" }
  }
  if (resource === resources.deployments) return deploymentOutcome(view, object as Deployment)
  const { isComplete, message } =
    resource === resources.replicaSets ? replicaSetProgress(object as ReplicaSet) : podProgress(object as Pod)
  if (isComplete) return { outcome: "complete", message }
  return { outcome: waitedMillis < deadlineDefaultMillis ? "waiting" : "failed", message }
}

const deploymentOutcome = (view: ClusterView["Service"], deployment: Deployment): StartedOutcome => {
  const { state, message } = rolloutStatus(deployment)
  if (state !== "waiting" || deployment.spec.paused !== true) return { outcome: state, message }
  const replicaSets = view.controlled(resources.replicaSets, deployment.metadata.uid)
  const isPausedCompletely =
    isObserved(deployment) && replicaSets.every((it) => replicaSetProgress(it).isComplete)
  const { updatedReplicas = 0 } = deployment.status
  return isPausedCompletely
    ? { outcome: "paused", message: `paused with ${updatedReplicas} of ${deployment.spec.replicas} updated` }
    : { outcome: "waiting", message }
}

const replicaSetProgress = (replicaSet: ReplicaSet) => {
  const { spec, status } = replicaSet
  const { replicas, availableReplicas = 0 } = status
  return {
    isComplete: isObserved(replicaSet) && replicas === spec.replicas && availableReplicas === spec.replicas,
    message: `${availableReplicas} of ${spec.replicas} replicas are available`
  }
}

const podProgress = (pod: Pod) => ({
  isComplete: isPodReady(pod) || isPodFinished(pod),
  message: isPodReady(pod) ? "the Pod is ready" : `the Pod is ${pod.status.phase}`
})

const isObserved = ({
  metadata,
  status
}: KubeObject & { readonly status: { readonly observedGeneration?: number } }) =>
  (status.observedGeneration ?? 0) >= (metadata.generation ?? 0)
