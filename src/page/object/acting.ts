import { kubeletAnnotation } from "../../domain/nodeStatus.ts"
import { revisionOf } from "../../domain/revisions.ts"
import { withTemplateOf } from "../../domain/rollback.ts"
import type { Connection } from "../source/connection.ts"
import type { Deployment, ReplicaSet } from "../../domain/objects.ts"
import type { Place } from "../place.ts"

/** What can be done from the page. Each is a request that any client could make; it rejects in the server's words. */

const mergePatch = "application/merge-patch+json"
const strategicPatch = "application/strategic-merge-patch+json"
const jsonPatch = "application/json-patch+json"

const deploymentPath = ({ metadata }: Deployment): string =>
  `/apis/apps/v1/namespaces/${encodeURIComponent(metadata.namespace ?? "")}/deployments/${encodeURIComponent(metadata.name)}`

/** Who wrote it stands in the object's managedFields. */
const manager = "fieldManager=charthouse-page"

export const setImage = async (
  connection: Connection,
  deployment: Deployment,
  { container, image }: { readonly container: string; readonly image: string }
): Promise<string> => {
  const body = { spec: { template: { spec: { containers: [{ name: container, image }] } } } }
  await patch(connection, deploymentPath(deployment), body, strategicPatch)
  return `container ${container} of ${deployment.metadata.name} is to run ${image}`
}

export const scale = async (
  connection: Connection,
  deployment: Deployment,
  replicas: number
): Promise<string> => {
  await patch(connection, `${deploymentPath(deployment)}/scale`, { spec: { replicas } }, mergePatch)
  return `${deployment.metadata.name} is to have ${replicas} Pods`
}

export const setPaused = async (
  connection: Connection,
  deployment: Deployment,
  paused: boolean
): Promise<string> => {
  await patch(connection, deploymentPath(deployment), { spec: { paused } }, mergePatch)
  return `${deployment.metadata.name} is ${paused ? "paused" : "resumed"}`
}

/**
 * Goes back to the revision before, as `kubectl rollout undo` does.
 *
 * Source: staging/src/k8s.io/kubectl/pkg/polymorphichelpers/rollback.go (DeploymentRollbacker).
 */
export const undo = async (
  connection: Connection,
  deployment: Deployment,
  replicaSets: ReadonlyArray<ReplicaSet>
): Promise<string> => {
  const [, previous] = [...replicaSets].sort((a, b) => Number((revisionOf(b) ?? 0n) - (revisionOf(a) ?? 0n)))
  if (previous === undefined) throw new Error(`${deployment.metadata.name} has no revision before this one.`)
  const { metadata, spec } = withTemplateOf(deployment, previous)
  const body = [
    { op: "replace", path: "/spec/template", value: spec.template },
    { op: "replace", path: "/metadata/annotations", value: metadata.annotations ?? {} }
  ]
  await patch(connection, deploymentPath(deployment), body, jsonPatch)
  return `${deployment.metadata.name} goes back to revision ${revisionOf(previous) ?? "?"}`
}

export const killPod = async (connection: Connection, { namespace, name }: Place): Promise<string> => {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`
  await connection.ask("DELETE", path)
  return `Pod ${name} is told to stop`
}

/** A node whose kubelet has stopped is lost to its cluster after a while. */
export const setKubelet = async (
  connection: Connection,
  node: string,
  state: "running" | "stopped"
): Promise<string> => {
  const body = { metadata: { annotations: { [kubeletAnnotation]: state } } }
  await patch(connection, `/api/v1/nodes/${encodeURIComponent(node)}`, body, mergePatch)
  return state === "stopped" ? `the kubelet of ${node} has stopped` : `the kubelet of ${node} runs again`
}

const patch = (connection: Connection, path: string, body: unknown, contentType: string): Promise<unknown> =>
  connection.ask("PATCH", `${path}?${manager}`, { body, contentType })
