import { annotationOf } from "../../src/kubernetes/apps/revisions/revisions.ts"
import { completedRevisionAnnotation } from "../../src/kubernetes/steering/steeringNames.ts"
import { conditionOf } from "../../src/kubernetes/meta/conditions.ts"
import { decodedStrategyOf } from "../../src/steering/decodeStrategy.ts"
import {
  hasBeenComplete,
  hasPodsToDelete,
  templateHashOf
} from "../../src/kubernetes/steering/steeringObservation.ts"
import { hasSteps } from "../../src/kubernetes/steering/stepPlan.ts"
import { isApproved } from "../../src/kubernetes/steering/podApproval.ts"
import { isPodActive } from "../../src/kubernetes/pods/podState.ts"
import { podsAllowedByStep } from "../../src/kubernetes/steering/rolloutSteps.ts"
import { recordOf } from "../../src/kubernetes/steering/steeringRecord.ts"
import { resolveFenceposts } from "../../src/kubernetes/apps/rolloutBounds.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import type { Change } from "../../src/store/objectStore.ts"
import type { ClusterService } from "../cluster/testCluster.ts"
import type { Deployment, Pod, ReplicaSet } from "../../src/kubernetes/meta/objects.ts"

const isAvailable = (pod: Pod): boolean =>
  isPodActive(pod) && conditionOf(pod.status.conditions, "Ready")?.status === "True"

const imageIn = ({ spec }: Deployment | ReplicaSet): string => spec.template.spec?.containers[0]?.image ?? ""

export interface SteeredWatch {
  readonly violations: () => ReadonlyArray<string>
  /** The image of the revision that was last complete. */
  readonly stableImage: () => string
  /**
   * Until as many Pods as desired are available: Kubernetes does not keep the floor when a template changes while
   * ReplicaSets still count Pods that they delete, nor when a Deployment is scaled down.
   */
  readonly excuseFloor: () => void
  /** Its Pods go with it, unless they are orphaned. */
  readonly noteDeletion: (isOrphaning: boolean) => void
}

/**
 * What must hold at every change of a steered Deployment of the name `web`.
 *
 * F  No available Pod is told to stop, unless as many as desired stay available.
 * C  No more Pods are active than desired + surge.
 * A  No Pod is approved beyond the step.
 * U  A rollout goes back only to the revision that was last complete.
 */
export const watchSteering = (cluster: ClusterService, where: () => string): SteeredWatch => {
  const { view } = cluster
  const violations: Array<string> = []
  let stableImage = ""
  let isFloorExcused = false
  const add = (text: string): void => void violations.push(`${where()} ${text}`)
  const web = (): Deployment | undefined => view.get(resources.deployments, "default/web")
  const replicaSets = (deployment: Deployment): ReadonlyArray<ReplicaSet> =>
    view.controlled(resources.replicaSets, deployment.metadata.uid)
  const podsIn = (replicaSet: ReplicaSet): ReadonlyArray<Pod> =>
    view.controlled(resources.pods, replicaSet.metadata.uid).filter(isPodActive)
  const checkPod = ({ type, object, old }: Change): void => {
    const deployment = web()
    const [pod, before] = [object as Pod, old as Pod | undefined]
    if (deployment === undefined) return
    const family = replicaSets(deployment)
    const pods = family.flatMap(podsIn)
    const { replicas } = deployment.spec
    const isStopped = before !== undefined && isAvailable(before) && (type === "DELETED" || !isPodActive(pod))
    const available = pods.filter(isAvailable).length
    if (available >= replicas && !hasPodsToDelete({ replicaSets: family })) isFloorExcused = false
    if (isStopped && available < replicas && !isFloorExcused) add(`F ${available} available < ${replicas}`)
    const ceiling = replicas + resolveFenceposts(deployment).surgeMax
    if (before === undefined && type === "ADDED" && pods.length > ceiling)
      add(`C ${pods.length} Pods > ${ceiling}`)
    const isNewlyApproved =
      type !== "DELETED" && isApproved(pod) && before !== undefined && !isApproved(before)
    if (isNewlyApproved) checkApproval(deployment, family, pod)
  }
  const checkApproval = (deployment: Deployment, family: ReadonlyArray<ReplicaSet>, pod: Pod): void => {
    const owner = family.find(({ metadata }) => metadata.uid === pod.metadata.ownerReferences?.[0]?.uid)
    const record = recordOf(deployment)
    const settings = decodedStrategyOf(deployment)?.strategy?.settings
    if (owner === undefined || hasBeenComplete(owner) || !hasSteps(settings)) return
    if (record === undefined || record.hash !== templateHashOf(owner)) {
      add(`A ${pod.metadata.name} of no present rollout`)
      return
    }
    const isAlone = family.every((it) => it === owner || it.spec.replicas === 0)
    if (record.step === undefined || isAlone) return
    const allowed = podsAllowedByStep(settings, record.step, deployment.spec.replicas)
    const approved = podsIn(owner).filter(isApproved).length
    if (allowed !== undefined && approved > allowed) add(`A ${approved} approved > ${allowed}`)
  }
  const checkDeployment = ({ object, old }: Change): void => {
    const [deployment, before] = [object as Deployment, old as Deployment | undefined]
    if (before === undefined) return
    if (deployment.spec.replicas < before.spec.replicas) isFloorExcused = true
    const undone = recordOf(deployment)?.undone?.length ?? 0
    const undoneBefore = recordOf(before)?.undone?.length ?? 0
    if (undone > undoneBefore && imageIn(deployment) !== stableImage)
      add(`U went back to ${imageIn(deployment)}, and ${stableImage} was last complete`)
  }
  const noteCompletion = ({ object, old }: Change): void => {
    const [replicaSet, before] = [object as ReplicaSet, old as ReplicaSet | undefined]
    const mark = annotationOf(replicaSet, completedRevisionAnnotation)
    const isNew =
      hasBeenComplete(replicaSet) && (before && annotationOf(before, completedRevisionAnnotation)) !== mark
    if (isNew) stableImage = imageIn(replicaSet)
  }
  cluster.onChange((change) => {
    if (change.resource === resources.pods && change.object.metadata.labels?.["app"] === "web")
      checkPod(change)
    if (change.resource === resources.deployments) checkDeployment(change)
    if (change.resource === resources.replicaSets && change.type !== "DELETED") noteCompletion(change)
  })
  return {
    violations: () => violations,
    stableImage: () => stableImage,
    excuseFloor: () => {
      isFloorExcused = true
    },
    noteDeletion: (isOrphaning) => {
      isFloorExcused = true
      if (!isOrphaning) stableImage = ""
    }
  }
}
