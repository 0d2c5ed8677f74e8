import { isFinished, isReady } from "../domain/pods.ts"
import { resources } from "../domain/kinds.ts"
import { rolloutStatus } from "../domain/rolloutStatus.ts"
import type { Deployment, KubeObject, Pod, ReplicaSet } from "../domain/objects.ts"
import type { ClusterView } from "../store/objectStore.ts"

/** What was started and is waited for: a Deployment, ReplicaSet or Pod of a file. */
export interface Started {
  readonly resource: StartedResource
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

type StartedResource = typeof resources.deployments | typeof resources.replicaSets | typeof resources.pods

export const isStartedResource = (resource: string): resource is StartedResource =>
  resource === resources.deployments || resource === resources.replicaSets || resource === resources.pods

/**
 * Where something that was started has come to. `paused` has come as far as it can before it is resumed; what is
 * `superseded` will never be over, since somebody has begun another revision on top of it.
 */
export interface Standing {
  readonly outcome: "waiting" | "complete" | "failed" | "paused" | "deleted" | "superseded"
  readonly message: string
}

/** ReplicaSets and Pods have no deadline of their own; here they get the one a Deployment has by default. */
const deadlineDefaultMillis = 600_000

export const standingOf = (
  view: ClusterView["Service"],
  { resource, namespace, name, uid }: Started,
  waitedMillis: number
): Standing => {
  const object = view.get(resource, `${namespace}/${name}`)
  if (object === undefined || object.metadata.uid !== uid) {
    return { outcome: "deleted", message: "object has been deleted" }
  }
  if (resource === resources.deployments) return deploymentStanding(view, object as Deployment)
  const { isThere, message } =
    resource === resources.replicaSets ? replicaSetStanding(object as ReplicaSet) : podStanding(object as Pod)
  if (isThere) return { outcome: "complete", message }
  return { outcome: waitedMillis < deadlineDefaultMillis ? "waiting" : "failed", message }
}

const deploymentStanding = (view: ClusterView["Service"], deployment: Deployment): Standing => {
  const { state, message } = rolloutStatus(deployment)
  if (state !== "waiting" || deployment.spec.paused !== true) return { outcome: state, message }
  const replicaSets = view.controlled(resources.replicaSets, deployment.metadata.uid)
  const isStill = isObserved(deployment) && replicaSets.every((it) => replicaSetStanding(it).isThere)
  const { updatedReplicas = 0 } = deployment.status
  return isStill
    ? { outcome: "paused", message: `paused with ${updatedReplicas} of ${deployment.spec.replicas} updated` }
    : { outcome: "waiting", message }
}

const replicaSetStanding = (replicaSet: ReplicaSet) => {
  const { spec, status } = replicaSet
  const { replicas, availableReplicas = 0 } = status
  return {
    isThere: isObserved(replicaSet) && replicas === spec.replicas && availableReplicas === spec.replicas,
    message: `${availableReplicas} of ${spec.replicas} replicas are available`
  }
}

const podStanding = (pod: Pod) => ({
  isThere: isReady(pod) || isFinished(pod),
  message: isReady(pod) ? "the Pod is ready" : `the Pod is ${pod.status.phase}`
})

const isObserved = ({
  metadata,
  status
}: KubeObject & { readonly status: { readonly observedGeneration?: number } }) =>
  (status.observedGeneration ?? 0) >= (metadata.generation ?? 0)
