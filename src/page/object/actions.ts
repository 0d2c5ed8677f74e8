import { annotateArgument, steeringPatch } from "../../kubernetes/steering/steeringRequests.ts"
import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { kubeletStateAnnotation } from "../../kubernetes/core/nodeStatus.ts"
import { newestRevisionFirst, revisionOf } from "../../kubernetes/apps/revisions/revisions.ts"
import { timestampOf } from "../../kubernetes/meta/amounts/timestamps.ts"
import { undoRevision } from "../../kubernetes/apps/controllerRevisions/undoRevision.ts"
import { undoPatch, undoRollout } from "../../kubernetes/apps/revisions/undoRollout.ts"
import type { WorkloadWithTemplate } from "../../forecast/cureRequests.ts"
import type { ServerConnection } from "../source/connection.ts"
import type { ControllerRevision } from "../../kubernetes/apps/controllerRevisions/controllerRevisions.ts"
import type { CronJob } from "../../kubernetes/batch/cronJobs/cronJobTypes.ts"
import type { DaemonSet } from "../../kubernetes/apps/daemonSets/daemonSetTypes.ts"
import type { Deployment, KubeObject, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { Job } from "../../kubernetes/batch/jobs/jobTypes.ts"
import type { StatefulSet } from "../../kubernetes/apps/statefulSets/statefulSetTypes.ts"
import type { PageAddress } from "../pageAddress.ts"
import type { AnnotationRequest } from "../../kubernetes/steering/steeringRequests.ts"

/** Ordinary API requests that reject with the server's message. */

const mergePatch = "application/merge-patch+json"
const strategicPatch = "application/strategic-merge-patch+json"
const jsonPatch = "application/json-patch+json"

const resourcesOfKinds: Readonly<Record<string, readonly [groupVersion: string, resource: string]>> = {
  Deployment: ["apps/v1", "deployments"],
  StatefulSet: ["apps/v1", "statefulsets"],
  DaemonSet: ["apps/v1", "daemonsets"],
  Job: ["batch/v1", "jobs"],
  CronJob: ["batch/v1", "cronjobs"]
}

const namespacePath = ({ kind, metadata }: KubeObject): string => {
  const [groupVersion = ""] = resourcesOfKinds[kind] ?? []
  return `/apis/${groupVersion}/namespaces/${encodeURIComponent(metadata.namespace ?? "")}`
}

const workloadPath = (workload: KubeObject): string => {
  const [, resource = ""] = resourcesOfKinds[workload.kind] ?? []
  return `${namespacePath(workload)}/${resource}/${encodeURIComponent(workload.metadata.name)}`
}

const fieldManagerQuery = "fieldManager=charthouse-page"

export const setImage = async (
  connection: ServerConnection,
  workload: WorkloadWithTemplate,
  { container, image }: { readonly container: string; readonly image: string }
): Promise<string> => {
  const body = { spec: { template: { spec: { containers: [{ name: container, image }] } } } }
  await patch(connection, workloadPath(workload), body, strategicPatch)
  return `container ${container} of ${workload.metadata.name} gets the image ${image}`
}

/** Refuses what is no number, which JSON would send as null. */
export const scaleWorkload = async (
  connection: ServerConnection,
  workload: Deployment | StatefulSet,
  replicasText: string
): Promise<string> => {
  const replicas = replicasText.trim() === "" ? NaN : Number(replicasText)
  if (Number.isNaN(replicas)) throw new Error("spec.replicas: Required value")
  await patch(connection, `${workloadPath(workload)}/scale`, { spec: { replicas } }, mergePatch)
  return `${workload.metadata.name} is scaled to ${replicas} Pods`
}

/** Replaces all Pods as `kubectl rollout restart` does. */
export const restartWorkload = async (
  connection: ServerConnection,
  workload: WorkloadWithTemplate,
  atMillis: number
): Promise<string> => {
  const annotations = { "kubectl.kubernetes.io/restartedAt": timestampOf(atMillis) }
  await patch(
    connection,
    workloadPath(workload),
    { spec: { template: { metadata: { annotations } } } },
    mergePatch
  )
  return `${workload.metadata.name} is restarted`
}

export const setSuspended = async (
  connection: ServerConnection,
  workload: Job | CronJob,
  suspend: boolean
): Promise<string> => {
  await patch(connection, workloadPath(workload), { spec: { suspend } }, mergePatch)
  return `${workload.metadata.name} is ${suspend ? "suspended" : "resumed"}`
}

export const setPaused = async (
  connection: ServerConnection,
  deployment: Deployment,
  paused: boolean
): Promise<string> => {
  await patch(connection, workloadPath(deployment), { spec: { paused } }, mergePatch)
  return `${deployment.metadata.name} is ${paused ? "paused" : "resumed"}`
}

/** Sets or removes an annotation as `kubectl annotate --overwrite` does. */
export const requestSteering = async (
  connection: ServerConnection,
  deployment: Deployment,
  request: AnnotationRequest
): Promise<string> => {
  await patch(connection, workloadPath(deployment), steeringPatch(request), mergePatch)
  return `${deployment.metadata.name} is annotated: ${annotateArgument(request)}`
}

/**
 * The server is read, since recordings omit parts of a template. Source:
 * kubectl/pkg/polymorphichelpers/rollback.go (DeploymentRollbacker).
 */
const undoDeployment = async (
  connection: ServerConnection,
  shownDeployment: Deployment,
  toRevision: number | undefined
): Promise<string> => {
  const path = workloadPath(shownDeployment)
  const [deployment, { items }] = (await Promise.all([
    connection.request("GET", path),
    connection.request("GET", `${namespacePath(shownDeployment)}/replicasets`)
  ])) as [Deployment, { readonly items: ReadonlyArray<ReplicaSet> }]
  const { uid, name } = deployment.metadata
  const replicaSets = items.filter((it) => controllerOf(it)?.uid === uid).sort(newestRevisionFirst)
  const result = undoRollout(deployment, replicaSets, toRevision)
  if ("refusal" in result) throw new Error(result.refusal.replace(/^error: /, ""))
  const [, previous] = replicaSets
  const revision = toRevision ?? (previous === undefined ? undefined : revisionOf(previous))
  if (result.updatedObject === deployment)
    return `${name} stays as it is: it already has the template of revision ${revision ?? "?"}`
  await patch(connection, path, undoPatch(result.updatedObject), jsonPatch)
  return `${name} is rolled back to revision ${revision ?? "?"}`
}

const undoControllerRevision = async (
  connection: ServerConnection,
  shownWorkload: StatefulSet | DaemonSet,
  toRevision: number | undefined
): Promise<string> => {
  const path = workloadPath(shownWorkload)
  const [owner, { items }] = (await Promise.all([
    connection.request("GET", path),
    connection.request("GET", `${namespacePath(shownWorkload)}/controllerrevisions`)
  ])) as [StatefulSet | DaemonSet, { readonly items: ReadonlyArray<ControllerRevision> }]
  const { uid, name } = owner.metadata
  const result = undoRevision(
    owner,
    items.filter((it) => controllerOf(it)?.uid === uid),
    toRevision
  )
  if ("refusal" in result) throw new Error(result.refusal.replace(/^error: /, ""))
  const { revision, hasPresentTemplate } = result
  if (hasPresentTemplate)
    return `${name} stays as it is: it already has the template of revision ${revision.revision}`
  await patch(connection, path, revision.data, strategicPatch)
  return `${name} is rolled back to revision ${revision.revision}`
}

/** Rolls back to the previous revision by default. */
export const undoWorkloadRollout = (
  connection: ServerConnection,
  workload: WorkloadWithTemplate,
  toRevision: number | undefined
): Promise<string> =>
  workload.kind === "Deployment"
    ? undoDeployment(connection, workload as Deployment, toRevision)
    : undoControllerRevision(connection, workload as StatefulSet | DaemonSet, toRevision)

export const killPod = async (
  connection: ServerConnection,
  { namespace, name }: PageAddress
): Promise<string> => {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`
  await connection.request("DELETE", path)
  return `Pod ${name} is being deleted`
}

/** The node becomes unreachable when its lease is not renewed. */
export const setKubeletState = async (
  connection: ServerConnection,
  node: string,
  state: "running" | "stopped"
): Promise<string> => {
  const body = { metadata: { annotations: { [kubeletStateAnnotation]: state } } }
  await patch(connection, `/api/v1/nodes/${encodeURIComponent(node)}`, body, mergePatch)
  return state === "stopped" ? `the kubelet of ${node} has stopped` : `the kubelet of ${node} runs again`
}

const patch = (
  connection: ServerConnection,
  path: string,
  body: unknown,
  contentType: string
): Promise<unknown> => connection.request("PATCH", `${path}?${fieldManagerQuery}`, { body, contentType })
