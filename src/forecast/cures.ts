import { annotateArgument, steeringPatch, steeringRequests } from "../kubernetes/steering/steeringRequests.ts"
import { allContainerStatuses, isPodActive } from "../kubernetes/pods/podState.ts"
import { conditionOf } from "../kubernetes/meta/conditions.ts"
import { faultText } from "../faults/faultText.ts"
import { findNewReplicaSet } from "../kubernetes/apps/revisions/findNewReplicaSet.ts"
import { imagesOf, isImageName } from "../kubernetes/pods/containers/images.ts"
import { isNodeReady, kubeletAnnotation } from "../kubernetes/core/nodeStatus.ts"
import { newestRevisionFirst, revisionOf } from "../kubernetes/apps/revisions/revisions.ts"
import { podsOfWorkload } from "../store/ownerLookup.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import { rolloutStatus } from "../kubernetes/apps/rolloutStatus.ts"
import { undoPatch, undoRollout } from "../kubernetes/apps/revisions/undoRollout.ts"
import type { ChangeRequest } from "../kubernetes/meta/changeRequest.ts"
import type { ClusterView } from "../store/objectStore.ts"
import type { Cure } from "./forecast.ts"
import type { Deployment, Node, Pod, ReplicaSet } from "../kubernetes/meta/objects.ts"
import type { Fault } from "../faults/fault.ts"
import type { PodLife } from "../kubernetes/pods/podLife.ts"

/** A change that may help, as it is tried in a copy of the cluster. */
export interface PlayableCure extends Cure {
  /** Is sent to the copy where there is no `request`, since a person has to fill something in. */
  readonly example?: ChangeRequest
  /** Replaces what Pods draw from their behaviour in the copy. */
  readonly changeLife?: (pod: Pod, life: PodLife) => PodLife
}

interface CureWorld {
  readonly view: ClusterView["Service"]
  readonly faults: ReadonlyArray<{ readonly id: string; readonly fault: Fault }>
}

/** To at most this many earlier revisions an undo is offered. */
const undosMax = 3

/** Changes that may help a Deployment, the likeliest first; none for one that is complete on ready nodes. */
export const curesFor = (
  deployment: Deployment,
  { view, faults }: CureWorld
): ReadonlyArray<PlayableCure> => {
  const pods = podsOfWorkload(view, resources.deployments, deployment)
  const nodes = Array.from(view.all(resources.nodes))
  const sickNodes = nodes.filter((node) => isSick(node) && hasPodsOrTurnsAway(node, pods))
  const { state } = rolloutStatus(deployment)
  if (state === "complete" && sickNodes.length === 0) return []
  const replicaSets = view.controlled(resources.replicaSets, deployment.metadata.uid)
  return [
    ...faultCures(deployment, pods, faults),
    ...sickNodes.flatMap((node) => nodeCures(node, faults)),
    ...undoCures(deployment, replicaSets),
    ...imageCures(deployment, pods, faults),
    ...scaleCures(deployment, pods),
    ...steeringCures(deployment),
    ...pauseCures(deployment, state === "complete")
  ]
}

const fieldManager = "fieldManager=charthouse-page"

const deploymentPath = ({ metadata: { namespace = "default", name } }: Deployment): string =>
  `/apis/apps/v1/namespaces/${encodeURIComponent(namespace)}/deployments/${encodeURIComponent(name)}`

const patchOf = (path: string, type: "merge" | "json" | "strategic-merge", body: unknown): ChangeRequest => ({
  method: "PATCH",
  path: `${path}?${fieldManager}`,
  contentType: `application/${type}-patch+json`,
  body
})

const kubectl = (verb: string, { metadata: { namespace, name } }: Deployment, options = ""): string =>
  `kubectl ${verb} deployment/${name}${namespace === undefined || namespace === "default" ? "" : ` -n ${namespace}`}${options}`

const undoCures = (
  deployment: Deployment,
  replicaSets: ReadonlyArray<ReplicaSet>
): ReadonlyArray<PlayableCure> => {
  if (deployment.spec.paused === true) return []
  const newest = findNewReplicaSet(deployment, replicaSets)
  return [...replicaSets]
    .sort(newestRevisionFirst)
    .filter((it) => it.metadata.uid !== newest?.metadata.uid)
    .slice(0, undosMax)
    .flatMap((replicaSet) => {
      const revision = revisionOf(replicaSet)
      if (revision === undefined || revision === 0n) return []
      const result = undoRollout(deployment, replicaSets, Number(revision))
      if ("why" in result || result.next === deployment) return []
      return [
        {
          id: `undo-${revision}`,
          title: `Undo to revision ${revision} (${imagesOf(replicaSet)})`,
          command: kubectl("rollout undo", deployment, ` --to-revision=${revision}`),
          request: patchOf(deploymentPath(deployment), "json", undoPatch(result.next))
        }
      ]
    })
}

const pullReasons = ["ImagePullBackOff", "ErrImagePull", "ErrImageNeverPull", "InvalidImageName"]

/** Sets another image for a container whose image cannot be pulled. Tries it with an image that can. */
const imageCures = (
  deployment: Deployment,
  pods: ReadonlyArray<Pod>,
  faults: CureWorld["faults"]
): ReadonlyArray<PlayableCure> => {
  if (deployment.spec.paused === true) return []
  const { containers = [], initContainers = [] } = deployment.spec.template.spec ?? {}
  const unpulled = new Set(
    pods.filter(isPodActive).flatMap((pod) =>
      allContainerStatuses(pod)
        .filter(({ state }) => pullReasons.includes(state?.waiting?.reason ?? ""))
        .map(({ image }) => image)
    )
  )
  const isFault = (image: string): boolean =>
    faults.some(({ fault }) => fault.fault === "pullFails" && fault.image === image)
  return [
    ...containers.map((it) => ({ ...it, field: "containers" })),
    ...initContainers.map((it) => ({ ...it, field: "initContainers" }))
  ].flatMap(({ name, image = "", field }) => {
    if (!unpulled.has(image) || isFault(image)) return []
    const pullable = pullableImage(image)
    const body = { spec: { template: { spec: { [field]: [{ name, image: pullable }] } } } }
    return [
      {
        id: `image-${name}`,
        title: `Set an image of ${name} that can be pulled`,
        command: kubectl("set image", deployment, ` ${name}=IMAGE`),
        example: patchOf(deploymentPath(deployment), "strategic-merge", body),
        changeLife: (pod: Pod, life: PodLife) => withPullable(pod, life, pullable)
      }
    ]
  })
}

/** Another tag of the same repository, so that the same behaviours match it; another image if the name is invalid. */
const pullableImage = (image: string): string => {
  const repository = image.replace(/@.*$/u, "").replace(/:[^/:]*$/u, "")
  const fixed = `${repository}:pullable`
  return isImageName(fixed) ? fixed : "registry.example/image:pullable"
}

const withPullable = (pod: Pod, life: PodLife, image: string): PodLife => {
  const { containers, initContainers = [] } = pod.spec
  const names = [...containers, ...initContainers].filter((it) => it.image === image).map(({ name }) => name)
  if (names.length === 0) return life
  const pullable = Object.fromEntries(
    names.map((name) => [name, { ...(life.containers[name] ?? life.otherContainers), pullFailures: 0 }])
  )
  return { ...life, containers: { ...life.containers, ...pullable } }
}

const isSick = (node: Node): boolean =>
  !isNodeReady(node) || isStopped(node) || node.spec.unschedulable === true

const isStopped = ({ metadata }: Node): boolean => metadata.annotations?.[kubeletAnnotation] === "stopped"

/** Whether a node holds the rollout up: it has Pods of the Deployment, or is cordoned while Pods find no place. */
const hasPodsOrTurnsAway = (node: Node, pods: ReadonlyArray<Pod>): boolean =>
  isNodeReady(node) && !isStopped(node)
    ? pods.some(isUnschedulable)
    : pods.some(({ spec }) => spec.nodeName === node.metadata.name)

const isUnschedulable = (pod: Pod): boolean =>
  conditionOf(pod.status.conditions, "PodScheduled")?.reason === "Unschedulable"

const nodeCures = (node: Node, faults: CureWorld["faults"]): ReadonlyArray<PlayableCure> => {
  const { name } = node.metadata
  const path = `/api/v1/nodes/${encodeURIComponent(name)}`
  const fault = faults.find(({ fault }) => "node" in fault && fault.node === name)
  if (fault !== undefined)
    return [endFault(fault.id, isNodeReady(node) ? `Take ${name} back` : `Bring ${name} back`)]
  if (isStopped(node)) {
    const body = { metadata: { annotations: { [kubeletAnnotation]: "running" } } }
    const command = `kubectl annotate node ${name} ${kubeletAnnotation}=running --overwrite`
    return [
      { id: `node-${name}`, title: `Bring ${name} back`, command, request: patchOf(path, "merge", body) }
    ]
  }
  if (node.spec.unschedulable !== true) return []
  const request = patchOf(path, "merge", { spec: { unschedulable: false } })
  return [{ id: `node-${name}`, title: `Uncordon ${name}`, command: `kubectl uncordon ${name}`, request }]
}

const endFault = (id: string, title: string): PlayableCure => ({
  id,
  title,
  command: `charthouse fault end ${id}`,
  request: { method: "DELETE", path: `/charthouse/v1/faults/${encodeURIComponent(id)}` }
})

/** Ends faults that affect the Deployment, but for faults of nodes, which `nodeCures` ends. */
const faultCures = (
  deployment: Deployment,
  pods: ReadonlyArray<Pod>,
  faults: CureWorld["faults"]
): ReadonlyArray<PlayableCure> =>
  faults.flatMap(({ id, fault }) => {
    if ("node" in fault) return []
    const images = pods.flatMap(({ spec }) => spec.containers.map(({ image }) => image))
    if (fault.fault === "pullFails" && !images.includes(fault.image)) return []
    if ("pods" in fault && isOfOtherDeployment(fault.pods, deployment)) return []
    return [endFault(id, `End the fault: ${faultText(fault)}`)]
  })

const isOfOtherDeployment = (
  choice: { readonly namespace?: string; readonly deployment?: string },
  { metadata }: Deployment
): boolean =>
  (choice.deployment !== undefined && choice.deployment !== metadata.name) ||
  (choice.namespace !== undefined && choice.namespace !== (metadata.namespace ?? "default"))

/** Scales a Deployment whose Pods find no place, or are refused, down to the Pods that are available. */
const scaleCures = (deployment: Deployment, pods: ReadonlyArray<Pod>): ReadonlyArray<PlayableCure> => {
  const { availableReplicas: available = 0, conditions } = deployment.status
  const isRefused = conditionOf(conditions, "ReplicaFailure")?.status === "True"
  if (available === 0 || available >= deployment.spec.replicas) return []
  if (!isRefused && !pods.some(isUnschedulable)) return []
  return [
    {
      id: "scale",
      title: `Scale to ${available}`,
      command: kubectl("scale", deployment, ` --replicas=${available}`),
      request: patchOf(deploymentPath(deployment), "merge", { spec: { replicas: available } })
    }
  ]
}

/** The requests that the steering of the Deployment follows, such as a promotion. */
const steeringCures = (deployment: Deployment): ReadonlyArray<PlayableCure> =>
  steeringRequests(deployment).map((it) => ({
    id: `steering-${it.id}`,
    title: it.title,
    command: kubectl("annotate", deployment, ` ${annotateArgument(it)}`),
    request: patchOf(deploymentPath(deployment), "merge", steeringPatch(it))
  }))

const pauseCures = (deployment: Deployment, isComplete: boolean): ReadonlyArray<PlayableCure> => {
  const paused = deployment.spec.paused === true
  if (isComplete && !paused) return []
  return [
    {
      id: paused ? "resume" : "pause",
      title: paused ? "Resume" : "Pause",
      command: kubectl(paused ? "rollout resume" : "rollout pause", deployment),
      request: patchOf(deploymentPath(deployment), "merge", { spec: { paused: !paused } })
    }
  ]
}
