import { explainContainer, explainPod } from "../../explain/objects/explainPod.ts"
import { explainNode } from "../../explain/objects/explainNode.ts"
import { explainReplicaSet } from "../../explain/objects/explainReplicaSet.ts"
import { explainRollout } from "../../explain/objects/explainRollout.ts"
import { explainDaemonSet } from "../../explain/workloads/explainDaemonSet.ts"
import { explainAutoscaler } from "../../explain/workloads/explainAutoscaler.ts"
import { explainJob } from "../../explain/workloads/explainJob.ts"
import { explainCronJob } from "../../explain/workloads/explainCronJob.ts"
import { explainStatefulSet } from "../../explain/workloads/explainStatefulSet.ts"
import { explainSteering } from "../../explain/workloads/explainSteering.ts"
import { placementInputIn } from "../fleet/deadlock.ts"
import { controllerUid, ownedPods, replicaSetsOf } from "../history/fleet.ts"
import type { Deployment, KubeObject, Node, Pod, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { DaemonSet } from "../../kubernetes/apps/daemonSets/daemonSetTypes.ts"
import type { Autoscaler } from "../../kubernetes/autoscaling/autoscalerTypes.ts"
import type { Job } from "../../kubernetes/batch/jobs/jobTypes.ts"
import type { CronJob } from "../../kubernetes/batch/cronJobs/cronJobTypes.ts"
import type { StatefulSet } from "../../kubernetes/apps/statefulSets/statefulSetTypes.ts"
import type { StateExplanation } from "../../explain/objects/stateExplanation.ts"
import type { Fleet } from "../history/fleet.ts"
import type { PageAddress } from "../pageAddress.ts"
import { normalizeEvent } from "../../kubernetes/meta/normalizeEvent.ts"
import type { NormalizedEvent } from "../../kubernetes/meta/normalizeEvent.ts"

interface ExplanationTime {
  readonly nowMillis: number
  readonly lastCompleteRevision?: number | undefined
}

/**
 * `object` of a container is its Pod, of a steering chart its Deployment. The page shows health instead of `isWell`.
 */
export const explanationOf = (
  { kind, name }: PageAddress,
  object: KubeObject,
  fleet: Fleet,
  { nowMillis, lastCompleteRevision }: ExplanationTime
): Omit<StateExplanation, "isWell"> => {
  switch (kind) {
    case "Deployment":
      return explainDeployment(object as Deployment, fleet, { nowMillis, lastCompleteRevision })
    case "Steering":
      return explainSteering(object as Deployment)
    case "ReplicaSet":
      return explainReplicaSet({ replicaSet: object as ReplicaSet, ...podsOfOwner(object, fleet), nowMillis })
    case "StatefulSet":
      return explainStatefulSet({
        statefulSet: object as StatefulSet,
        ...podsOfOwner(object, fleet),
        nowMillis
      })
    case "DaemonSet":
      return explainDaemonSet({ daemonSet: object as DaemonSet, ...podsOfOwner(object, fleet), nowMillis })
    case "Job":
      return explainJob({ job: object as Job, ...podsOfOwner(object, fleet), nowMillis })
    case "CronJob":
      return explainCronJob({ cronJob: object as CronJob, jobs: jobsOf(object, fleet), nowMillis })
    case "HorizontalPodAutoscaler":
      return explainAutoscaler(object as Autoscaler)
    case "Node": {
      const pods = [...fleet.pods.values()].filter(({ spec }) => spec.nodeName === object.metadata.name)
      return explainNode({ node: object as Node, pods, nowMillis })
    }
    case "Pod":
    case "Container": {
      const pod = object as Pod
      const node = [...fleet.nodes.values()].find(({ metadata }) => metadata.name === pod.spec.nodeName)
      const input = { pod, events: warningsOf([pod], fleet), node, nowMillis }
      return kind === "Pod"
        ? explainPod(input)
        : explainContainer({ ...input, name: name.split("/").at(-1) ?? "" })
    }
  }
}

const explainDeployment = (
  deployment: Deployment,
  fleet: Fleet,
  { nowMillis, lastCompleteRevision }: ExplanationTime
) => {
  const replicaSets = replicaSetsOf(deployment, fleet)
  const pods = replicaSets.flatMap((it) => ownedPods(it, fleet))
  const events = warningsOf([deployment, ...replicaSets, ...pods], fleet)
  const nodes = fleet.nodes.values()
  const { sentences, steering, ...explained } = explainRollout({
    deployment,
    replicaSets,
    pods,
    events,
    // Namespaces are not recorded.
    namespace: undefined,
    nodes,
    readPlacementInput: () => placementInputIn(fleet),
    lastCompleteRevision,
    nowMillis
  })
  // The page shows steering elsewhere.
  return { ...explained, sentences: sentences.filter((it) => !steering.includes(it)) }
}

const jobsOf = ({ metadata }: KubeObject, fleet: Fleet): ReadonlyArray<Job> =>
  [...fleet.jobs.values()].filter((job) => controllerUid(job) === metadata.uid)

const podsOfOwner = (owner: KubeObject, fleet: Fleet) => {
  const pods = ownedPods(owner, fleet)
  return { pods, events: warningsOf([owner, ...pods], fleet), nodes: fleet.nodes.values() }
}

const warningsOf = (objects: ReadonlyArray<KubeObject>, fleet: Fleet): ReadonlyArray<NormalizedEvent> =>
  objects.flatMap(({ metadata }) =>
    [...(fleet.eventsOf.get(metadata.uid)?.values() ?? [])]
      .map(normalizeEvent)
      .filter(({ type }) => type === "Warning")
  )
