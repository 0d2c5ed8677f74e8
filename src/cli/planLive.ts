import * as Effect from "effect/Effect"
import { autoscalers, autoscalerWarnings } from "../scenario/plan/autoscalers.ts"
import { BadInput, badInput } from "./badInput.ts"
import { firstNamespaces } from "../bootstrap.ts"
import { counted } from "../domain/counted.ts"
import { deploymentKeys, draftsAmong, keysAmong } from "../scenario/plan/documentKeys.ts"
import { isForbidden, isNotFound } from "../remote/errors.ts"
import { byCreation } from "../domain/ownerReferences.ts"
import { findsPods, podsOf } from "../domain/endpoints.ts"
import { failingAmong } from "../scenario/plan/failingPods.ts"
import { halfWay } from "../scenario/plan/halfWay.ts"
import { nowThere } from "./getRolloutWorld.ts"
import { measured } from "../scenario/plan/measuredPods.ts"
import { problemText } from "../manifests/manifest.ts"
import { aNamespace, standingDraft } from "../scenario/plan/takenToStand.ts"
import { readNamed } from "./planNamed.ts"
import { readManifests } from "../manifests/readManifests.ts"
import { resources } from "../domain/kinds.ts"
import { namespacesIn, tooEarly, usedIn } from "../scenario/plan/standingNamespaces.ts"
import { wordsOf } from "../wordsOf.ts"
import { isOwnedBy } from "../scenario/plan/liveObjects.ts"
import { runningOf, worldOf } from "../scenario/plan/liveWorld.ts"
import { allInOrder } from "../remote/allInOrder.ts"
import { keyOf } from "../domain/objects.ts"
import type { Behaviour } from "../behaviours/behaviour.ts"
import type { Service } from "../domain/endpoints.ts"
import type { Deployment, Draft, KubeObject } from "../domain/objects.ts"
import type { GroupResource } from "../domain/kinds.ts"
import type { LiveObjects } from "../scenario/plan/liveObjects.ts"
import type { ManifestDocument } from "../manifests/manifest.ts"
import type { ObjectOf } from "../store/objectStore.ts"
import type { Running } from "../scenario/plan/bringUp.ts"
import type { RemoteCluster } from "../remote/remoteCluster.ts"

/** What runs now, as a cluster that is there tells. */
export interface Live {
  readonly from: ReadonlyArray<ManifestDocument>
  readonly running: Running
  /** How many of these are its nodes; undefined where they are kept from us. */
  readonly nodes: number | undefined
  /** How the Pods live that are there. */
  readonly behaviours: ReadonlyArray<Behaviour>
  /** What those have that do not come up there, whatever else is assumed. */
  readonly failing: ReadonlyArray<Behaviour>
  /** What was read and measured, a sentence each. */
  readonly notes: ReadonlyArray<string>
  /** What could not be read, or is not taken as it is. */
  readonly warnings: ReadonlyArray<string>
}

/**
 * Reads from a cluster what a rollout of `next` meets there: the Deployments as they are, the Services in front of
 * them, quotas, limits and budgets of their namespaces, and the room on the nodes. Nothing is written.
 */
export const readLive = (
  where: Where,
  next: ReadonlyArray<ManifestDocument>,
  options: LiveOptions
): Effect.Effect<Live, BadInput> =>
  attempt(async () => {
    // Nobody else waits for it.
    const { openRemote } = await import("../remote/remoteCluster.ts")
    const remote = await openRemote(where)
    try {
      return await readAll(remote, next, options)
    } finally {
      remote.close()
    }
  })

interface LiveOptions {
  /** Whether it is of any use to know which Pods are of which revision. */
  readonly revisions: boolean
}

/** A kubeconfig, or what kubectl would read, and the context of it that is meant. */
interface Where {
  readonly kubeconfig: string | undefined
  readonly context: string | undefined
}

/** Where kubectl would put what names no namespace. */
export const namespaceOf = ({ kubeconfig: path, context }: Where): Effect.Effect<string, BadInput> =>
  attempt(async () => {
    const { readContext } = await import("../remote/kubeconfig.ts")
    return readContext({ path, context, env: process.env }).namespace
  })

const attempt = <A>(ask: () => Promise<A>): Effect.Effect<A, BadInput> =>
  Effect.tryPromise({
    try: ask,
    catch: (cause) => (cause instanceof BadInput ? cause : badInput(wordsOf(cause)))
  })

const readAll = async (
  remote: RemoteCluster,
  next: ReadonlyArray<ManifestDocument>,
  options: LiveOptions
): Promise<Live> => {
  await refuseNowhere(remote, next)
  const { live, sizers, unread } = await readObjects(remote, next, options)
  const { deployments, nodes, pods = [] } = live
  const speeds = deployments.flatMap((deployment) => measured(deployment, pods) ?? [])
  const failing = failingAmong(live)
  const failures = [...failing.values()]
  return {
    from: documentsOf(remote, worldOf(live)),
    running: runningOf(live, failing),
    nodes: nodes?.length,
    behaviours: speeds.map(({ behaviour }) => behaviour),
    failing: failures.flatMap(({ behaviour }) => behaviour ?? []),
    notes: [
      `read from context ${JSON.stringify(remote.context.name)}: ${countsText(live)}`,
      ...speeds.map(({ text }) => text)
    ],
    warnings: [
      ...deployments.flatMap((deployment) => halfWay(deployment, live) ?? []),
      ...failures.map(({ text }) => text),
      ...autoscalerWarnings({
        before: [...deployments, ...sizers],
        next: next.map(({ draft }) => draft),
        isLive: true
      }),
      ...unread
    ]
  }
}

interface Read {
  readonly live: LiveObjects
  readonly sizers: ReadonlyArray<KubeObject>
  /** What is kept from us, in the order it was asked for. */
  readonly unread: ReadonlyArray<string>
}

const readObjects = async (
  remote: RemoteCluster,
  next: ReadonlyArray<ManifestDocument>,
  { revisions }: LiveOptions
): Promise<Read> => {
  const deployments = await readDeployments(remote, next)
  const rollouts = [...deployments, ...draftsAmong(next, resources.deployments)]
  const namespaces = [...new Set(deploymentKeys(next).map((key) => key.split("/")[0] ?? ""))]
  const within = async <R extends GroupResource>(resource: R): Promise<Told<R>> => {
    const each = await allInOrder(namespaces.map((namespace) => told(remote, resource, { namespace })))
    const isKept = each.every(({ items }) => items === undefined)
    return { items: isKept ? undefined : each.flatMap(itemsOf), unread: each.flatMap(({ unread }) => unread) }
  }
  const all = await allInOrder([
    revisions ? within(resources.replicaSets) : { items: [], unread: [] },
    told(remote, resources.nodes, {}),
    told(remote, resources.pods, {}),
    within(resources.services),
    within(resources.resourceQuotas),
    within(resources.limitRanges),
    within(resources.disruptionBudgets),
    within(autoscalers)
  ])
  const [sets, nodes, pods, services, quotas, limitRanges, budgets, sizers] = all
  const made = new Set(keysAmong(next, resources.services))
  const isInFront = (service: Service): boolean =>
    made.has(keyOf(service)) || rollouts.some((it) => findsPods(service, podsOf(it)))
  const replicaSets = itemsOf(sets)
    .filter((it) => deployments.some((owner) => isOwnedBy(owner)(it)))
    .sort(byCreation)
  const named = await readNamed(remote, [...deployments, ...replicaSets], next)
  return {
    live: {
      readMillis: await nowThere(remote),
      deployments,
      replicaSets,
      nodes: nodes.items,
      pods: pods.items,
      services: services.items?.filter(isInFront),
      quotas: quotas.items,
      limitRanges: itemsOf(limitRanges),
      budgets: itemsOf(budgets),
      others: [...namespacesOf(usedIn(next)), ...named]
    },
    sizers: itemsOf(sizers),
    unread: all.flatMap(({ unread }) => unread)
  }
}

/** A namespace may come along with what is in it, and before that. */
const refuseNowhere = async (remote: RemoteCluster, next: ReadonlyArray<ManifestDocument>): Promise<void> => {
  const used = usedIn(next)
  const found = await allInOrder(used.map((name) => isThere(remote, name)))
  const standing = used.filter((_name, index) => found[index])
  const made = namespacesIn(next)
  const lines = [
    ...tooEarly(next, standing).map(problemText),
    ...used
      .filter((name) => !standing.includes(name) && !made.includes(name))
      .map((name) => `Error from server (NotFound): namespaces "${name}" not found`)
  ]
  if (lines.length > 0) throw new BadInput({ lines })
}

/** Who may not look for a namespace takes it to be there. */
const isThere = async (remote: RemoteCluster, name: string): Promise<boolean> => {
  try {
    await remote.get({ resource: resources.namespaces, name })
    return true
  } catch (error) {
    if (isNotFound(error)) return false
    if (isForbidden(error)) return true
    throw error
  }
}

/** Those of the manifests that are there; what is not is new. */
const readDeployments = async (
  remote: RemoteCluster,
  next: ReadonlyArray<ManifestDocument>
): Promise<ReadonlyArray<Deployment>> => {
  const found: Array<Deployment> = []
  for (const key of deploymentKeys(next)) {
    const [namespace = "", name = ""] = key.split("/")
    try {
      found.push(await remote.get({ resource: resources.deployments, name, namespace }))
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }
  return found
}

interface Told<R extends GroupResource> {
  readonly items: ReadonlyArray<ObjectOf<R>> | undefined
  readonly unread: ReadonlyArray<string>
}

/** All of one resource; undefined, and a word about it, where that may not be read. */
const told = async <R extends GroupResource>(
  remote: RemoteCluster,
  resource: R,
  where: { readonly namespace?: string }
): Promise<Told<R>> => {
  try {
    return { items: (await remote.list(resource, where)).items, unread: [] }
  } catch (error) {
    // An older cluster may not know of it.
    if (isNotFound(error)) return { items: [], unread: [] }
    if (!isForbidden(error)) throw error
    const place = where.namespace === undefined ? "" : ` of namespace ${where.namespace}`
    return { items: undefined, unread: [`${resource}${place} may not be read, and are left out of account`] }
  }
}

const itemsOf = <R extends GroupResource>({ items = [] }: Told<R>): ReadonlyArray<ObjectOf<R>> => items

const namespacesOf = (names: ReadonlyArray<string>): ReadonlyArray<Draft> =>
  names.filter((name) => !firstNamespaces.includes(name)).map((name) => standingDraft(aNamespace(name)))

/** Fields that are newer than ours are passed over. */
const documentsOf = (
  remote: RemoteCluster,
  drafts: ReadonlyArray<object>
): ReadonlyArray<ManifestDocument> => {
  const files = drafts.map((draft) => ({
    name: `context ${JSON.stringify(remote.context.name)}`,
    text: JSON.stringify(draft)
  }))
  return readManifests(files, { strict: false }).documents
}

const countsText = ({ deployments, nodes, pods, services, quotas }: LiveObjects): string =>
  [
    counting(deployments, "Deployment"),
    counting(nodes, "node"),
    counting(pods, "Pod"),
    counting(services, "Service"),
    counting(quotas, "ResourceQuota")
  ]
    .flat()
    .join(", ")

/** What is kept from us is not none. */
const counting = (all: ReadonlyArray<KubeObject> | undefined, noun: string): ReadonlyArray<string> =>
  all === undefined ? [] : [counted(all.length, noun)]
