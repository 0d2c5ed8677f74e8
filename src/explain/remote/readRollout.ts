import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { compareByName } from "../../kubernetes/meta/objectOrder.ts"
import { gitManagersOwningTemplate } from "../../steering/gitManagers.ts"
import { isSteered } from "../../kubernetes/steering/steeringRecord.ts"
import { decodedStrategyOf } from "../../steering/decodeStrategy.ts"
import { isPodReady } from "../../kubernetes/pods/podState.ts"
import { isForbidden } from "../../client/clientErrors.ts"
import { readPlacementInput } from "./readPlacementInput.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { systemErrorText } from "../../platform/systemErrorText.ts"
import { allOrFirstError } from "../../client/allOrFirstError.ts"
import { normalizeEvent } from "../../kubernetes/meta/normalizeEvent.ts"
import type { NormalizedEvent } from "../../kubernetes/meta/normalizeEvent.ts"
import type { ControllerRevision } from "../../kubernetes/apps/controllerRevisions/controllerRevisions.ts"
import type { Deployment, Node, Pod, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { RemoteCluster } from "../../client/remoteCluster.ts"
import type { ExplainRolloutInput, UnreadableResource } from "../objects/explainRolloutInput.ts"

type ReadableCluster = Pick<RemoteCluster, "get" | "list" | "clusterNowMillis" | "namespace">

/** `nodes` and `readPlacementInput` come from `readPlacement`. */
export type RolloutObjects = Pick<
  ExplainRolloutInput,
  | "deployment"
  | "replicaSets"
  | "pods"
  | "nodes"
  | "readPlacementInput"
  | "steering"
  | "gitManagers"
  | "unreadable"
>

/** The cluster's time if it serves a clock, else this machine's. */
export const remoteNowMillis = async (remote: ReadableCluster): Promise<number> =>
  (await remote.clusterNowMillis()) ?? Date.now()

/** Rejects with `NotFound`. */
export const readRolloutObjects = async (remote: ReadableCluster, name: string): Promise<RolloutObjects> => {
  const deployment = await remote.get({ resource: resources.deployments, name, namespace: remote.namespace })
  const listOptions = rolloutListOptions(remote, deployment)
  const [replicaSets, pods] = await allOrFirstError([
    unlessForbidden(remote.list(resources.replicaSets, listOptions), "ReplicaSets"),
    unlessForbidden(remote.list(resources.pods, listOptions), "Pods")
  ])
  return rolloutObjectsOf(deployment, replicaSets, pods)
}

type ReadResult<A> = { readonly items: Iterable<A> } | NotAllowed

interface NotAllowed {
  readonly unreadable: UnreadableResource
}

/** `whenForbidden` handles the answer 403. */
const ifAllowed = async <A, B>(response: Promise<A>, whenForbidden: (error: unknown) => B): Promise<A | B> =>
  response.catch((error: unknown) => {
    if (!isForbidden(error)) throw error
    return whenForbidden(error)
  })

export const unlessForbidden = <A>(
  response: Promise<A>,
  resource: UnreadableResource["resource"]
): Promise<A | NotAllowed> =>
  ifAllowed(response, (error) => ({ unreadable: { resource, serverMessage: systemErrorText(error) } }))

const itemsOf = <A>(result: ReadResult<A>): Iterable<A> => ("items" in result ? result.items : [])
const unreadableOf = (result: ReadResult<unknown>): ReadonlyArray<UnreadableResource> =>
  "items" in result ? [] : [result.unreadable]

export const readRolloutInput = async (
  remote: ReadableCluster,
  name: string
): Promise<ExplainRolloutInput> => {
  const { namespace } = remote
  const [objects, events, nodes, namespaceObject, nowMillis] = await allOrFirstError([
    readRolloutObjects(remote, name),
    listEvents(remote),
    readNodes(remote),
    ifAllowed(remote.get({ resource: resources.namespaces, name: namespace }), () => undefined),
    remoteNowMillis(remote)
  ])
  return {
    ...objects,
    events: Array.from(itemsOf(events)),
    nodes,
    ...(await placementInputOf(remote, objects.pods, nodes)),
    namespace: namespaceObject,
    nowMillis,
    unreadable: [...(objects.unreadable ?? []), ...unreadableOf(events)]
  }
}

/** Empty if the client may not read the nodes. */
export const readNodes = async (remote: ReadableCluster): Promise<ReadonlyArray<Node>> =>
  ifAllowed(
    remote.list(resources.nodes).then(({ items }) => items),
    () => []
  )

export const readRevisions = async (remote: ReadableCluster): Promise<ReadonlyArray<ControllerRevision>> =>
  ifAllowed(
    remote.list(resources.controllerRevisions, { namespace: remote.namespace }).then(({ items }) => items),
    () => []
  )

/** The nodes and the placement input are read only for Pods that are not ready. */
export const readPlacement = async (
  remote: ReadableCluster,
  { pods }: Pick<RolloutObjects, "pods">
): Promise<Pick<ExplainRolloutInput, "nodes" | "readPlacementInput">> => {
  if (pods.every(isPodReady)) return {}
  const nodes = await readNodes(remote)
  return { nodes, ...(await placementInputOf(remote, pods, nodes)) }
}

/** The input is read beforehand, since explanations ask for it without waiting. */
const placementInputOf = async (
  remote: ReadableCluster,
  pods: ReadonlyArray<Pod>,
  nodes: ReadonlyArray<Node>
): Promise<Pick<ExplainRolloutInput, "readPlacementInput">> => {
  const input = await readPlacementInput(remote, { pods, nodes })
  return input === undefined ? {} : { readPlacementInput: () => input }
}

export const readEvents = async (remote: ReadableCluster): Promise<ReadonlyArray<NormalizedEvent>> =>
  Array.from(itemsOf(await listEvents(remote)))

const listEvents = (remote: ReadableCluster): Promise<ReadResult<NormalizedEvent>> =>
  unlessForbidden(
    remote
      .list(resources.events, { namespace: remote.namespace })
      .then(({ items }) => ({ items: items.map(normalizeEvent) })),
    "events"
  )

export const rolloutListOptions = ({ namespace }: ReadableCluster, { spec }: Deployment) => ({
  namespace,
  labelSelector: spec.selector
})

export const rolloutObjectsOf = (
  deployment: Deployment,
  replicaSets: ReadResult<ReplicaSet>,
  pods: ReadResult<Pod>
): RolloutObjects => {
  const ownedReplicaSets = [...itemsOf(replicaSets)]
    .filter((it) => controllerOf(it)?.uid === deployment.metadata.uid)
    .sort(compareByName)
  const uids = new Set(ownedReplicaSets.map(({ metadata }) => metadata.uid))
  return {
    deployment,
    steering: decodedStrategyOf(deployment)?.strategy,
    gitManagers: isSteered(deployment) ? gitManagersOwningTemplate(deployment) : [],
    replicaSets: ownedReplicaSets,
    pods: [...itemsOf(pods)].filter((it) => uids.has(controllerOf(it)?.uid ?? "")).sort(compareByName),
    unreadable: [...unreadableOf(replicaSets), ...unreadableOf(pods)]
  }
}
