import * as Effect from "effect/Effect"
import { autoscalerWarnings } from "../../plan/warnings/autoscalerWarnings.ts"
import { BadInput, badInput } from "../input/badInput.ts"
import { initialNamespaces } from "../../cluster/bootstrap.ts"
import { countText } from "../../kubernetes/meta/text/countText.ts"
import { draftsAmong, keysAmong } from "../../plan/documentKeys.ts"
import { isForbidden, isNotFound } from "../../client/clientErrors.ts"
import { compareByCreation } from "../../kubernetes/meta/objectOrder.ts"
import { selectsPods, namespacedTemplateLabels } from "../../kubernetes/core/endpoints.ts"
import { failingPodsByOwner } from "../../plan/live/failingPods.ts"
import { unfinishedRolloutText } from "../../plan/live/unfinishedRollout.ts"
import { remoteNowMillis } from "../../explain/remote/readRollout.ts"
import { measureBehaviour } from "../../plan/live/measuredPods.ts"
import { requiredNamespace, assumedDraft, withoutInvalidAssumed } from "../../plan/previous/assumedObjects.ts"
import type { RequiredObject } from "../../plan/previous/assumedObjects.ts"
import { readClassGrowth } from "./readClassGrowth.ts"
import { readReferencedObjects } from "./readReferencedObjects.ts"
import { readManifests } from "../../manifests/readManifests.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { createdNamespaces, usedNamespaces } from "../../plan/previous/documentNamespaces.ts"
import { systemErrorText } from "../../platform/systemErrorText.ts"
import { isControlledBy, liveWorkloadsOf } from "../../plan/live/liveObjects.ts"
import { unfinishedRevisionText } from "../../plan/live/unfinishedRevisions.ts"
import { withoutDefinedResources } from "./withoutDefinedResources.ts"
import type { RefusedObject } from "../../manifests/refusedObjects.ts"
import { workloadsAmong } from "../../plan/workloads.ts"
import { livePodsOf, livePlanDrafts } from "../../plan/live/livePlanDrafts.ts"
import { allOrFirstError } from "../../client/allOrFirstError.ts"
import { displayName } from "../../kubernetes/meta/text/displayName.ts"
import { objectKeyOf, toObjectKey } from "../../kubernetes/meta/objects.ts"
import type { ObjectOf } from "../../kubernetes/meta/resourceTypes.ts"
import type { Behaviour } from "../../behaviours/behaviour.ts"
import type { Service } from "../../kubernetes/core/endpoints.ts"
import { workloadResources } from "../../kubernetes/apps/workloadStatus.ts"
import { growingClaims } from "../../plan/growingClaims.ts"
import { assumedStorageClasses } from "../../plan/previous/assumedVolumes.ts"
import { claimNames, startOrdinal } from "../../kubernetes/apps/statefulSets/replicaIdentity.ts"
import type { StatefulSet } from "../../kubernetes/apps/statefulSets/statefulSetTypes.ts"
import type { WorkloadResource } from "../../kubernetes/apps/workloadStatus.ts"
import type { Draft, KubeObject } from "../../kubernetes/meta/objects.ts"
import type { GroupResource } from "../../kubernetes/meta/kinds.ts"
import type { LiveObjects } from "../../plan/live/liveObjects.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { LivePods } from "../../plan/previous/previousDocuments.ts"
import type { RemoteCluster } from "../../client/remoteCluster.ts"

export interface LiveCluster {
  /** What runs before the rollout. */
  readonly from: ReadonlyArray<ManifestDocument>
  /** Which of the cluster's Pods are available, start or fail. */
  readonly livePods: LivePods
  /** Undefined if the client may not read them. */
  readonly nodes: number | undefined
  readonly measuredBehaviours: ReadonlyArray<Behaviour>
  /** Behaviours of Pods that do not become ready in the cluster; --assume does not change them. */
  readonly failingBehaviours: ReadonlyArray<Behaviour>
  readonly notes: ReadonlyArray<string>
  /** Of the given ones, those that this cluster refuses. */
  readonly refused: ReadonlyArray<RefusedObject>
  readonly warnings: ReadonlyArray<string>
}

export const readLiveCluster = (
  context: ContextRef,
  next: ReadonlyArray<ManifestDocument>,
  options: LiveOptions
): Effect.Effect<LiveCluster, BadInput> =>
  withBadInput(async () => {
    const { openRemoteCluster } = await import("../../client/remoteCluster.ts")
    const remote = await openRemoteCluster(context)
    try {
      return await readAll(remote, next, options)
    } finally {
      remote.close()
    }
  })

interface LiveOptions {
  readonly includesReplicaSets: boolean
  readonly refused?: ReadonlyArray<RefusedObject>
}

interface ContextRef {
  readonly kubeconfig: string | undefined
  readonly context: string | undefined
}

export const contextNamespace = ({
  kubeconfig: path,
  context
}: ContextRef): Effect.Effect<string, BadInput> =>
  withBadInput(async () => {
    const { readKubeContext } = await import("../../client/kubeContext.ts")
    return readKubeContext({ path, context, env: process.env }).namespace
  })

const withBadInput = <A>(read: () => Promise<A>): Effect.Effect<A, BadInput> =>
  Effect.tryPromise({
    try: read,
    catch: (cause) => (cause instanceof BadInput ? cause : badInput(systemErrorText(cause)))
  })

const readAll = async (
  remote: RemoteCluster,
  next: ReadonlyArray<ManifestDocument>,
  options: LiveOptions
): Promise<LiveCluster> => {
  await checkNamespacesExist(remote, next)
  const { live, autoscalers, warnings } = await readObjects(remote, next, options)
  const { deployments, workloadsWithRevisions, nodes, pods = [] } = live
  const measurements = liveWorkloadsOf(live).flatMap((workload) => measureBehaviour(workload, pods) ?? [])
  const failuresByOwner = failingPodsByOwner(live)
  const failurePatterns = [...failuresByOwner.values()]
  const drafts = livePlanDrafts(live)
  const nextDrafts = next.map(({ draft }) => draft)
  const growing = growingClaims(drafts, nextDrafts)
  const growth = await readClassGrowth(remote, growing)
  return {
    from: documentsOf(remote, [
      ...assumedStorageClasses([...drafts, ...nextDrafts], growing, growth),
      ...drafts
    ]),
    livePods: livePodsOf(live, failuresByOwner),
    nodes: nodes?.length,
    measuredBehaviours: measurements.map(({ behaviour }) => behaviour),
    failingBehaviours: failurePatterns.flatMap(({ behaviour }) => behaviour ?? []),
    refused: await withoutDefinedResources(remote, options.refused ?? [], next),
    notes: [
      `read from context ${JSON.stringify(remote.context.name)}: ${objectCountsText(live)}`,
      ...measurements.map(({ text }) => text)
    ],
    warnings: [
      ...deployments.flatMap((deployment) => unfinishedRolloutText(deployment, live) ?? []),
      ...workloadsWithRevisions.flatMap((workload) => unfinishedRevisionText(workload, live) ?? []),
      ...failurePatterns.map(({ text }) => text),
      ...autoscalerWarnings({
        before: [...deployments, ...workloadsWithRevisions, ...autoscalers],
        next: nextDrafts,
        isLive: true
      }),
      ...warnings
    ]
  }
}

interface LiveRead {
  readonly live: LiveObjects
  readonly autoscalers: ReadonlyArray<KubeObject>
  readonly warnings: ReadonlyArray<string>
}

const readObjects = async (
  remote: RemoteCluster,
  next: ReadonlyArray<ManifestDocument>,
  { includesReplicaSets }: LiveOptions
): Promise<LiveRead> => {
  const deployments = await readObjectsInManifests(remote, next, resources.deployments)
  const statefulSets = await readObjectsInManifests(remote, next, resources.statefulSets)
  // The revisions of these workloads are ControllerRevisions.
  const workloadsWithRevisions = [
    ...statefulSets,
    ...(await readObjectsInManifests(remote, next, resources.daemonSets))
  ]
  const jobs = await readObjectsInManifests(remote, next, resources.jobs)
  const workloads = liveWorkloadsOf({ deployments, workloadsWithRevisions })
  const rollouts = [
    ...workloads,
    ...workloadResources.flatMap((resource) => draftsAmong<WorkloadResource>(next, resource))
  ]
  const namespaces = [...new Set(workloadsAmong(next).map(({ key }) => key.split("/")[0] ?? ""))]
  const listInNamespaces = async <R extends GroupResource>(resource: R): Promise<ListResult<R>> => {
    const lists = await allOrFirstError(
      namespaces.map((namespace) => listUnlessForbidden(remote, resource, { namespace }))
    )
    const isForbiddenEverywhere = lists.every(({ items }) => items === undefined)
    return {
      items: isForbiddenEverywhere ? undefined : lists.flatMap(itemsOf),
      warnings: lists.flatMap(({ warnings }) => warnings)
    }
  }
  const lists = await allOrFirstError([
    includesReplicaSets ? listInNamespaces(resources.replicaSets) : { items: [], warnings: [] },
    workloadsWithRevisions.length > 0
      ? listInNamespaces(resources.controllerRevisions)
      : { items: [], warnings: [] },
    listUnlessForbidden(remote, resources.nodes, {}),
    listUnlessForbidden(remote, resources.pods, {}),
    listInNamespaces(resources.services),
    listInNamespaces(resources.resourceQuotas),
    listInNamespaces(resources.limitRanges),
    listInNamespaces(resources.disruptionBudgets),
    listInNamespaces(resources.autoscalers)
  ])
  const [replicaSetList, revisionList, nodes, pods, services, quotas, limitRanges, budgets, autoscalerList] =
    lists
  const servicesCreated = new Set(keysAmong(next, resources.services))
  const selectsRollout = (service: Service): boolean =>
    servicesCreated.has(objectKeyOf(service)) ||
    rollouts.some((it) => selectsPods(service, namespacedTemplateLabels(it)))
  const replicaSets = itemsOf(replicaSetList)
    .filter((it) => deployments.some((owner) => isControlledBy(owner)(it)))
    .sort(compareByCreation)
  const podOwners = [...workloads, ...replicaSets]
  const claims = statefulSets.flatMap((it) => claimsOf(it, next))
  const referencedObjects = await readReferencedObjects(remote, { podOwners, next, claims })
  return {
    live: {
      readMillis: await remoteNowMillis(remote),
      deployments,
      replicaSets,
      workloadsWithRevisions,
      controllerRevisions: itemsOf(revisionList),
      nodes: nodes.items,
      pods: pods.items,
      services: services.items?.filter(selectsRollout),
      quotas: quotas.items,
      limitRanges: itemsOf(limitRanges),
      budgets: itemsOf(budgets),
      otherObjects: [...namespacesOf(usedNamespaces(next)), ...referencedObjects]
    },
    autoscalers: itemsOf(autoscalerList),
    warnings: [...lists.flatMap(({ warnings }) => warnings), ...jobs.map(presentJobText)]
  }
}

/** The last run of a Job says nothing about the next run. */
const presentJobText = ({ metadata }: KubeObject): string =>
  `Job ${displayName(metadata)} is there already, where kubectl apply cannot run it again: the plan plays a new one`

/** A manifest may create the namespace itself. */
const checkNamespacesExist = async (
  remote: RemoteCluster,
  next: ReadonlyArray<ManifestDocument>
): Promise<void> => {
  const used = usedNamespaces(next)
  const existence = await allOrFirstError(used.map((name) => namespaceExists(remote, name)))
  const existing = used.filter((_name, index) => existence[index])
  const created = createdNamespaces(next)
  const lines = used
    .filter((name) => !existing.includes(name) && !created.includes(name))
    .map((name) => `Error from server (NotFound): namespaces "${name}" not found`)
  if (lines.length > 0) throw new BadInput({ lines })
}

/** A namespace that the client may not read counts as existing. */
const namespaceExists = async (remote: RemoteCluster, name: string): Promise<boolean> => {
  try {
    await remote.get({ resource: resources.namespaces, name })
    return true
  } catch (error) {
    if (isNotFound(error)) return false
    if (isForbidden(error)) return true
    throw error
  }
}

const readObjectsInManifests = async <R extends GroupResource>(
  remote: RemoteCluster,
  next: ReadonlyArray<ManifestDocument>,
  resource: R
): Promise<ReadonlyArray<ObjectOf<R>>> => {
  const found: Array<ObjectOf<R>> = []
  for (const key of new Set(keysAmong(next, resource))) {
    const [namespace = "", name = ""] = key.split("/")
    try {
      found.push(await remote.get({ resource, name, namespace }))
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }
  return found
}

/** The claims of a StatefulSet's present and future Pods; some may not exist. */
const claimsOf = (
  statefulSet: StatefulSet,
  next: ReadonlyArray<ManifestDocument>
): ReadonlyArray<RequiredObject> => {
  const key = objectKeyOf(statefulSet)
  const later = draftsAmong(next, resources.statefulSets).filter(
    ({ metadata }) => toObjectKey(metadata.namespace, metadata.name) === key
  )
  const replicas = Math.max(...[statefulSet, ...later].map(({ spec }) => spec.replicas ?? 1))
  const start = startOrdinal(statefulSet)
  return Array.from({ length: replicas }, (_, index) => claimNames(statefulSet, start + index))
    .flat()
    .map((name) => ({
      resource: resources.persistentVolumeClaims,
      namespace: statefulSet.metadata.namespace,
      name
    }))
}

interface ListResult<R extends GroupResource> {
  readonly items: ReadonlyArray<ObjectOf<R>> | undefined
  readonly warnings: ReadonlyArray<string>
}

/** Undefined items and a warning if the client may not read them. */
const listUnlessForbidden = async <R extends GroupResource>(
  remote: RemoteCluster,
  resource: R,
  options: { readonly namespace?: string }
): Promise<ListResult<R>> => {
  try {
    return { items: (await remote.list(resource, options)).items, warnings: [] }
  } catch (error) {
    // Older clusters do not serve all resources.
    if (isNotFound(error)) return { items: [], warnings: [] }
    if (!isForbidden(error)) throw error
    const namespaceText = options.namespace === undefined ? "" : ` of namespace ${options.namespace}`
    return {
      items: undefined,
      warnings: [`${resource}${namespaceText} may not be read, and are left out of account`]
    }
  }
}

const itemsOf = <R extends GroupResource>({ items = [] }: ListResult<R>): ReadonlyArray<ObjectOf<R>> => items

const namespacesOf = (names: ReadonlyArray<string>): ReadonlyArray<Draft> =>
  names
    .filter((name) => !initialNamespaces.includes(name))
    .map((name) => assumedDraft(requiredNamespace(name)))

/** Drops fields that this version of Charthouse does not know. */
const documentsOf = (
  remote: RemoteCluster,
  drafts: ReadonlyArray<object>
): ReadonlyArray<ManifestDocument> => {
  const files = drafts.map((draft) => ({
    name: `context ${JSON.stringify(remote.context.name)}`,
    text: JSON.stringify(draft)
  }))
  return withoutInvalidAssumed(readManifests(files, { strict: false }).documents)
}

const objectCountsText = (live: LiveObjects): string => {
  const { deployments, workloadsWithRevisions, nodes, pods, services, quotas } = live
  const revised = (["StatefulSet", "DaemonSet"] as const).flatMap((kind) => {
    const workloadsOfKind = workloadsWithRevisions.filter((it) => it.kind === kind)
    return workloadsOfKind.length === 0 ? [] : countTexts(workloadsOfKind, kind)
  })
  return [
    countTexts(deployments, "Deployment"),
    revised,
    countTexts(nodes, "node"),
    countTexts(pods, "Pod"),
    countTexts(services, "Service"),
    countTexts(quotas, "ResourceQuota")
  ]
    .flat()
    .join(", ")
}

/** Resources that the client may not read are left out, not counted as 0. */
const countTexts = (objects: ReadonlyArray<KubeObject> | undefined, noun: string): ReadonlyArray<string> =>
  objects === undefined ? [] : [countText(objects.length, noun)]
