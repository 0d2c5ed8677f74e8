import { deploymentManifest, podManifest, replicaSetManifest } from "../builders.ts"
import { NotFound, openCluster, resources, rolloutStatus } from "../../src/index.ts"
import { controllerOf } from "../../src/kubernetes/meta/ownerReferences.ts"
import { compareByCreation } from "../../src/kubernetes/meta/objectOrder.ts"
import { isPodActive, isPodReady } from "../../src/kubernetes/pods/podState.ts"
import { timestampOf } from "../../src/kubernetes/meta/amounts/timestamps.ts"
import type { WorkloadManifest } from "../builders.ts"
import type {
  ClusterOptions,
  Deployment,
  Draft,
  KubeObject,
  ObjectAddress,
  OpenCluster,
  Pod,
  ReplicaSet
} from "../../src/index.ts"

/** Clusters for Kubernetes' integration tests: without kubelets, Pods change only when the test changes them. */

export const deploymentAddress = { resource: resources.deployments, name: "web" } as const
export const replicaSetAddress = { resource: resources.replicaSets, name: "rs" } as const

/** Runs a test in a cluster of its own and closes it. */
export const inManualCluster = async (
  story: (cluster: OpenCluster) => Promise<void>,
  options: ClusterOptions = {}
): Promise<void> => {
  await using cluster = await openCluster({ behaviour: "manual", ...options })
  await story(cluster)
}

/** Advances the clock by one second. */
export const advanceOneSecond = (cluster: OpenCluster): Promise<void> => cluster.advance("1s")

const selecting = ({ labels = { app: "web" }, ...options }: WorkloadManifest): WorkloadManifest => ({
  replicas: 1,
  labels,
  ...options,
  metadata: { labels, ...options.metadata }
})

/** A Deployment of one Pod, called `web`, that selects `app=web`. */
export const aDeployment = (options: WorkloadManifest = {}): Draft => deploymentManifest(selecting(options))

/** A ReplicaSet of one Pod, called `rs`, that selects `app=web`, without an owner. */
export const aReplicaSet = (options: WorkloadManifest = {}): Draft =>
  replicaSetManifest(selecting({ name: "rs", ...options }))

/** A Pod that such a ReplicaSet selects. */
export const aPod = (name: string, metadata: Draft["metadata"] = {}): Draft =>
  podManifest(name, {}, { labels: { app: "web" }, ...metadata })

export const anImage = (version: string): object => ({
  spec: { template: { spec: { containers: [{ name: "app", image: `registry.example/app:${version}` }] } } }
})

export const addressOf = ({ kind, metadata: { name } }: KubeObject): ObjectAddress => ({
  resource: kind === "Pod" ? resources.pods : resources.replicaSets,
  name
})

/** All ReplicaSets, oldest first. */
export const replicaSetsOf = async (cluster: OpenCluster): Promise<ReadonlyArray<ReplicaSet>> =>
  [...(await cluster.list(resources.replicaSets)).items].sort(compareByCreation)

/** The ReplicaSet with this image. */
export const replicaSetOf = async (cluster: OpenCluster, version: string): Promise<ReplicaSet> => {
  const found = (await replicaSetsOf(cluster)).find((it) => imageOf(it).endsWith(`:${version}`))
  if (found === undefined) throw new Error(`there is no ReplicaSet of ${version}`)
  return found
}

export const imageOf = ({ spec }: ReplicaSet | Deployment): string =>
  spec.template.spec?.containers[0]?.image ?? ""

export const podsOf = async (cluster: OpenCluster, owner?: KubeObject): Promise<ReadonlyArray<Pod>> => {
  const { items } = await cluster.list(resources.pods)
  return owner === undefined ? items : items.filter((it) => ownerOf(it) === owner.metadata.uid)
}

/** The uid of the controller of this object. */
export const ownerOf = (object: KubeObject): string | undefined => controllerOf(object)?.uid

/** Writes the status of running, ready Pods as a kubelet would. */
export const markReady = async (
  cluster: OpenCluster,
  pods: ReadonlyArray<Pod>,
  { status = "True", secondsAgo = 0 }: { readonly status?: string; readonly secondsAgo?: number } = {}
): Promise<void> => {
  const lastTransitionTime = timestampOf(cluster.now().getTime() - secondsAgo * 1000)
  const conditions = [{ type: "Ready", status, lastTransitionTime }]
  for (const pod of pods) {
    try {
      await cluster.patch(addressOf(pod), { status: { phase: "Running", conditions } }, { status: true })
    } catch (error) {
      // Controllers may delete some of the Pods meanwhile.
      if (!(error instanceof NotFound)) throw error
    }
  }
}

export const setPhase = (cluster: OpenCluster, pod: KubeObject, phase: string): Promise<KubeObject> =>
  cluster.patch(addressOf(pod), { status: { phase } }, { status: true })

/** Marks every Pod ready as soon as it is there, until the rollout is complete. */
export const completeRollout = async (cluster: OpenCluster, name = "web"): Promise<Deployment> => {
  for (let second = 0; second < 120; second += 1) {
    await advanceOneSecond(cluster)
    const deployment = await cluster.get({ ...deploymentAddress, name })
    if (rolloutStatus(deployment).state === "complete") return deployment
    await markReady(
      cluster,
      (await podsOf(cluster)).filter((pod) => isPodActive(pod) && !isPodReady(pod))
    )
  }
  throw new Error(`the rollout of ${name} does not come to its end`)
}

/** A Deployment whose Pods are all there, ready and of the present revision. */
export const createRolledOut = async (
  cluster: OpenCluster,
  options: WorkloadManifest = {}
): Promise<Deployment> => {
  await cluster.create(aDeployment(options))
  return completeRollout(cluster, options.name)
}

/** Status and reason of a condition. */
export const conditionText = (object: Deployment | ReplicaSet, type: string): string => {
  const condition = object.status.conditions?.find((it) => it.type === type)
  return condition === undefined ? "nothing" : `${condition.status} ${condition.reason}`
}

export const revisionOf = ({ metadata }: KubeObject): string | undefined =>
  metadata.annotations?.["deployment.kubernetes.io/revision"]
