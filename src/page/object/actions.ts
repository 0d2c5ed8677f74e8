import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { kubeletAnnotation } from "../../kubernetes/core/nodeStatus.ts"
import { newestRevisionFirst, revisionOf } from "../../kubernetes/apps/revisions/revisions.ts"
import { undoPatch, undoRollout } from "../../kubernetes/apps/revisions/undoRollout.ts"
import type { ServerConnection } from "../source/connection.ts"
import type { Deployment, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { PageAddress } from "../pageAddress.ts"

/** The page's actions: ordinary API requests that reject with the server's message. */

const mergePatch = "application/merge-patch+json"
const strategicPatch = "application/strategic-merge-patch+json"
const jsonPatch = "application/json-patch+json"

const namespacePath = ({ metadata }: Deployment): string =>
  `/apis/apps/v1/namespaces/${encodeURIComponent(metadata.namespace ?? "")}`

const deploymentPath = (deployment: Deployment): string =>
  `${namespacePath(deployment)}/deployments/${encodeURIComponent(deployment.metadata.name)}`

const fieldManagerQuery = "fieldManager=charthouse-page"

export const setImage = async (
  connection: ServerConnection,
  deployment: Deployment,
  { container, image }: { readonly container: string; readonly image: string }
): Promise<string> => {
  const body = { spec: { template: { spec: { containers: [{ name: container, image }] } } } }
  await patch(connection, deploymentPath(deployment), body, strategicPatch)
  return `container ${container} of ${deployment.metadata.name} gets the image ${image}`
}

/** JSON has no NaN and would send null, so the text is checked here. */
export const scaleDeployment = async (
  connection: ServerConnection,
  deployment: Deployment,
  replicasText: string
): Promise<string> => {
  const replicas = replicasText.trim() === "" ? NaN : Number(replicasText)
  if (Number.isNaN(replicas)) throw new Error("spec.replicas: Required value")
  await patch(connection, `${deploymentPath(deployment)}/scale`, { spec: { replicas } }, mergePatch)
  return `${deployment.metadata.name} is scaled to ${replicas} Pods`
}

export const setPaused = async (
  connection: ServerConnection,
  deployment: Deployment,
  paused: boolean
): Promise<string> => {
  await patch(connection, deploymentPath(deployment), { spec: { paused } }, mergePatch)
  return `${deployment.metadata.name} is ${paused ? "paused" : "resumed"}`
}

/**
 * Rolls back as `kubectl rollout undo` does: to a revision, or without one to the previous. The objects are read from
 * the server, since a recording leaves out parts of a template.
 * Source: staging/src/k8s.io/kubectl/pkg/polymorphichelpers/rollback.go (DeploymentRollbacker).
 */
export const undo = async (
  connection: ServerConnection,
  shownDeployment: Deployment,
  toRevision: number | undefined
): Promise<string> => {
  const path = deploymentPath(shownDeployment)
  const [deployment, { items }] = (await Promise.all([
    connection.request("GET", path),
    connection.request("GET", `${namespacePath(shownDeployment)}/replicasets`)
  ])) as [Deployment, { readonly items: ReadonlyArray<ReplicaSet> }]
  const { uid, name } = deployment.metadata
  const replicaSets = items.filter((it) => controllerOf(it)?.uid === uid).sort(newestRevisionFirst)
  const result = undoRollout(deployment, replicaSets, toRevision)
  if ("why" in result) throw new Error(result.why.replace(/^error: /, ""))
  const [, previous] = replicaSets
  const revision = toRevision ?? (previous === undefined ? undefined : revisionOf(previous))
  if (result.next === deployment)
    return `${name} stays as it is: it already has the template of revision ${revision ?? "?"}`
  await patch(connection, path, undoPatch(result.next), jsonPatch)
  return `${name} is rolled back to revision ${revision ?? "?"}`
}

export const killPod = async (
  connection: ServerConnection,
  { namespace, name }: PageAddress
): Promise<string> => {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`
  await connection.request("DELETE", path)
  return `Pod ${name} is being deleted`
}

/** A stopped kubelet no longer renews its node's lease, so the node becomes unreachable. */
export const setKubeletState = async (
  connection: ServerConnection,
  node: string,
  state: "running" | "stopped"
): Promise<string> => {
  const body = { metadata: { annotations: { [kubeletAnnotation]: state } } }
  await patch(connection, `/api/v1/nodes/${encodeURIComponent(node)}`, body, mergePatch)
  return state === "stopped" ? `the kubelet of ${node} has stopped` : `the kubelet of ${node} runs again`
}

const patch = (
  connection: ServerConnection,
  path: string,
  body: unknown,
  contentType: string
): Promise<unknown> => connection.request("PATCH", `${path}?${fieldManagerQuery}`, { body, contentType })
