import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { kubeletAnnotation } from "../../kubernetes/core/nodeStatus.ts"
import { newestRevisionFirst, revisionOf } from "../../kubernetes/apps/revisions/revisions.ts"
import { undoRollout } from "../../kubernetes/apps/revisions/undoRollout.ts"
import type { Connection } from "../source/connection.ts"
import type { Deployment, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { Place } from "../place.ts"

/** What can be done from the page. Each is a request that any client could make; it rejects in the server's words. */

const mergePatch = "application/merge-patch+json"
const strategicPatch = "application/strategic-merge-patch+json"
const jsonPatch = "application/json-patch+json"

const namespacePath = ({ metadata }: Deployment): string =>
  `/apis/apps/v1/namespaces/${encodeURIComponent(metadata.namespace ?? "")}`

const deploymentPath = (deployment: Deployment): string =>
  `${namespacePath(deployment)}/deployments/${encodeURIComponent(deployment.metadata.name)}`

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

/** `written` is what stands in a field: what is no number never reaches the server, to which it might mean none. */
export const scale = async (
  connection: Connection,
  deployment: Deployment,
  written: string
): Promise<string> => {
  const replicas = written.trim() === "" ? NaN : Number(written)
  if (Number.isNaN(replicas)) throw new Error("spec.replicas: Required value")
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
 * Goes back to the revision before, as `kubectl rollout undo` does. The server is asked for it: a recording leaves out
 * a part of every template.
 *
 * Source: staging/src/k8s.io/kubectl/pkg/polymorphichelpers/rollback.go (DeploymentRollbacker).
 */
export const undo = async (connection: Connection, shown: Deployment): Promise<string> => {
  const path = deploymentPath(shown)
  // What an API server answers is what was asked for.
  const [deployment, { items }] = (await Promise.all([
    connection.ask("GET", path),
    connection.ask("GET", `${namespacePath(shown)}/replicasets`)
  ])) as [Deployment, { readonly items: ReadonlyArray<ReplicaSet> }]
  const { uid, name } = deployment.metadata
  const own = items.filter((it) => controllerOf(it)?.uid === uid).sort(newestRevisionFirst)
  const back = undoRollout(deployment, own)
  if ("why" in back) throw new Error(back.why.replace(/^error: /, ""))
  const [, previous] = own
  const revision = previous === undefined ? undefined : revisionOf(previous)
  if (back.next === deployment) return `${name} stays as it is: that is what revision ${revision ?? "?"} says`
  const { metadata, spec } = back.next
  const body = [
    { op: "replace", path: "/spec/template", value: spec.template },
    { op: "add", path: "/metadata/annotations", value: metadata.annotations ?? {} }
  ]
  await patch(connection, path, body, jsonPatch)
  return `${name} goes back to revision ${revision ?? "?"}`
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
