import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { explainContainer, explainPod } from "../objects/explainPod.ts"
import { explainClaim } from "../objects/claimProblems.ts"
import { podClaims } from "../../kubernetes/storage/podClaims.ts"
import { containerNames } from "../objects/containerProblems.ts"
import { explainNode } from "../objects/explainNode.ts"
import { explainDaemonSet } from "../workloads/explainDaemonSet.ts"
import { explainAutoscaler } from "../workloads/explainAutoscaler.ts"
import { explainJob } from "../workloads/explainJob.ts"
import { autoscalerHealth } from "../health/autoscalerHealth.ts"
import { cronJobHealth, jobHealth } from "../health/jobHealth.ts"
import { daemonSetHealth, statefulSetHealth } from "../health/podSetHealth.ts"
import {
  podRevisionOf,
  sortRevisions
} from "../../kubernetes/apps/controllerRevisions/controllerRevisions.ts"
import {
  autoscalerFigures,
  cronJobFigures,
  jobFigures,
  rolloutVerdict,
  servingFigures
} from "../health/workloadVerdict.ts"
import { nodesByName } from "../objects/podProblems.ts"
import { explainCronJob, nextJobOf } from "../workloads/explainCronJob.ts"
import { explainStatefulSet } from "../workloads/explainStatefulSet.ts"
import { explainReplicaSet } from "../objects/explainReplicaSet.ts"
import { explainRollout } from "../objects/explainRollout.ts"
import { remoteNowMillis, readEvents, readNodes, readRevisions, readRolloutInput } from "./readRollout.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { allOrFirstError } from "../../client/allOrFirstError.ts"
import type { NormalizedEvent } from "../../kubernetes/meta/normalizeEvent.ts"
import type { Job } from "../../kubernetes/batch/jobs/jobTypes.ts"
import type { KubeObject, Node, Pod } from "../../kubernetes/meta/objects.ts"
import type { WorkloadHealth } from "../health/healthLeads.ts"
import type { WorkloadVerdict } from "../health/workloadVerdict.ts"
import type { ScheduledStart } from "../workloads/explainCronJob.ts"
import type { StateExplanation } from "../objects/stateExplanation.ts"
import type { LabelSelector } from "kubernetes-types/meta/v1.js"
import type { RemoteCluster } from "../../client/remoteCluster.ts"

export interface ObjectExplanation {
  readonly kind: string
  readonly object: KubeObject
  readonly stateExplanation: StateExplanation
  /** Undefined if the client may not read the workload's objects. */
  readonly verdict?: WorkloadVerdict | undefined
  readonly nowMillis: number
  readonly pods?: ReadonlyArray<Pod>
  readonly nextJob?: ScheduledStart | undefined
}

type ReadExplanation = Omit<ObjectExplanation, "kind">

type Explain = (remote: RemoteCluster, names: ReadonlyArray<string>) => Promise<ReadExplanation>

/** Takes `KIND/NAME`, or the name of a Deployment. */
export const explainerFor = (
  object: string
): ((remote: RemoteCluster) => Promise<ObjectExplanation>) | undefined => {
  const explainedName = readExplainedName(object)
  if (explainedName === undefined) return undefined
  const { kind, names, explain } = explainedName
  return async (remote) => ({ kind, ...(await explain(remote, names)) })
}

/** `cronJob` of `cj/nightly`; undefined for a kind without an explanation. */
export const explainedKindOf = (object: string): string | undefined => readExplainedName(object)?.kind

const readExplainedName = (object: string) => {
  const parts = object.split("/")
  if (parts.some((it) => it === "")) return undefined
  const [kind, ...names] = parts.length === 1 ? ["deployment", ...parts] : parts
  const explainedKind = explainedKinds.find(({ pattern }) => pattern.test(kind ?? ""))
  if (explainedKind === undefined || names.length !== explainedKind.nameCount) return undefined
  return { ...explainedKind, names }
}

const explainDeploymentByName: Explain = async (remote, [name = ""]) => {
  const observation = await readRolloutInput(remote, name)
  const explanation = explainRollout(observation)
  const stateExplanation = { ...explanation, isWell: explanation.state === "complete" }
  const verdict = rolloutVerdict(observation)
  const { deployment, nowMillis } = observation
  return { object: deployment, stateExplanation, verdict, nowMillis }
}

const explainReplicaSetByName: Explain = async (remote, [name = ""]) => {
  const object = await remote.get({ resource: resources.replicaSets, name })
  const observation = await readPodsOf(remote, object, object.spec.selector)
  const stateExplanation = explainReplicaSet({ replicaSet: object, ...observation })
  return { object, stateExplanation, nowMillis: observation.nowMillis, pods: observation.pods }
}

const explainStatefulSetByName: Explain = async (remote, [name = ""]) => {
  const object = await remote.get({ resource: resources.statefulSets, name })
  const observation = await readPodsOf(remote, object, object.spec.selector)
  const stateExplanation = explainStatefulSet({ statefulSet: object, ...observation })
  const health = statefulSetHealth(object, await readHealthObjects(remote, object, observation))
  const verdict = { ...health, figures: servingFigures(object, observation.pods) }
  return { object, stateExplanation, verdict, nowMillis: observation.nowMillis, pods: observation.pods }
}

const explainDaemonSetByName: Explain = async (remote, [name = ""]) => {
  const object = await remote.get({ resource: resources.daemonSets, name })
  const observation = await readPodsOf(remote, object, object.spec.selector)
  const stateExplanation = explainDaemonSet({ daemonSet: object, ...observation })
  const health = daemonSetHealth(object, await readHealthObjects(remote, object, observation))
  const verdict = { ...health, figures: servingFigures(object, observation.pods) }
  return { object, stateExplanation, verdict, nowMillis: observation.nowMillis, pods: observation.pods }
}

const explainJobByName: Explain = async (remote, [name = ""]) => {
  const object = await remote.get({ resource: resources.jobs, name })
  const observation = await readPodsOf(remote, object, object.spec.selector ?? {})
  const stateExplanation = explainJob({ job: object, ...observation })
  const verdict = { ...jobHealth(object, healthObjectsOf(object, observation)), figures: jobFigures(object) }
  return { object, stateExplanation, verdict, nowMillis: observation.nowMillis, pods: observation.pods }
}

const explainCronJobByName: Explain = async (remote, [name = ""]) => {
  const [object, jobList, podList, events, nodes, nowMillis] = await allOrFirstError([
    remote.get({ resource: resources.cronJobs, name }),
    remote.list(resources.jobs, { namespace: remote.namespace }),
    remote.list(resources.pods, { namespace: remote.namespace }),
    readEvents(remote),
    readNodes(remote),
    remoteNowMillis(remote)
  ])
  const jobs = [...jobList.items].filter((it) => controllerOf(it)?.uid === object.metadata.uid)
  const observation = { cronJob: object, jobs, nowMillis }
  const podsByOwner = Map.groupBy(podList.items, (pod) => controllerOf(pod)?.uid ?? "")
  const healthOf = (job: Job): WorkloadHealth =>
    jobHealth(job, healthObjectsOf(job, { pods: podsByOwner.get(job.metadata.uid) ?? [], events, nodes }))
  const verdict = {
    ...cronJobHealth(observation, warningsAbout(object, events), healthOf),
    figures: cronJobFigures(object)
  }
  return {
    object,
    stateExplanation: explainCronJob(observation),
    verdict,
    nowMillis,
    nextJob: nextJobOf(observation)
  }
}

const explainAutoscalerByName: Explain = async (remote, [name = ""]) => {
  const [object, nowMillis] = await allOrFirstError([
    remote.get({ resource: resources.autoscalers, name }),
    remoteNowMillis(remote)
  ])
  const verdict = { ...autoscalerHealth(object), figures: autoscalerFigures(object) }
  return { object, stateExplanation: explainAutoscaler(object), verdict, nowMillis }
}

const readPodsOf = async (remote: RemoteCluster, owner: KubeObject, labelSelector: LabelSelector) => {
  const [podList, events, nodes, nowMillis] = await allOrFirstError([
    remote.list(resources.pods, { namespace: remote.namespace, labelSelector }),
    readEvents(remote),
    readNodes(remote),
    remoteNowMillis(remote)
  ])
  const pods = [...podList.items].filter((it) => controllerOf(it)?.uid === owner.metadata.uid)
  return { pods, events, nodes, nowMillis }
}

interface ReadPods {
  readonly pods: ReadonlyArray<Pod>
  readonly events: ReadonlyArray<NormalizedEvent>
  readonly nodes: ReadonlyArray<Node>
}

const healthObjectsOf = (workload: KubeObject, { pods, events, nodes }: ReadPods) => ({
  pods,
  events: warningsAbout(workload, events),
  nodes: nodesByName(nodes)
})

const warningsAbout = (
  { metadata }: KubeObject,
  events: ReadonlyArray<NormalizedEvent>
): ReadonlyArray<NormalizedEvent> =>
  events.filter(({ type, involvedObject }) => type === "Warning" && involvedObject.uid === metadata.uid)

/** `newRevision` is undefined if the client may not read ControllerRevisions. */
const readHealthObjects = async (remote: RemoteCluster, workload: KubeObject, observation: ReadPods) => {
  const revisions = await readRevisions(remote)
  const ownRevisions = revisions.filter((it) => controllerOf(it)?.uid === workload.metadata.uid)
  const newest = sortRevisions(ownRevisions).at(-1)
  const newRevision = newest === undefined ? undefined : podRevisionOf(workload.kind, newest)
  return { ...healthObjectsOf(workload, observation), newRevision }
}

const readPod = async (remote: RemoteCluster, name: string) => {
  const [pod, events, nodes, nowMillis] = await allOrFirstError([
    remote.get({ resource: resources.pods, name }),
    readEvents(remote),
    readNodes(remote),
    remoteNowMillis(remote)
  ])
  const node = nodes.find(({ metadata }) => metadata.name === pod.spec.nodeName)
  return { pod, events, node, nowMillis }
}

const explainPodByName: Explain = async (remote, [name = ""]) => {
  const observation = await readPod(remote, name)
  const { pod, nowMillis } = observation
  return { object: pod, stateExplanation: explainPod(observation), nowMillis }
}

const explainContainerByName: Explain = async (remote, [name = "", containerName = ""]) => {
  const observation = await readPod(remote, name)
  const { pod, nowMillis } = observation
  const names = containerNames(pod)
  if (!names.includes(containerName)) {
    throw new Error(
      `Pod ${JSON.stringify(name)} has no container ${JSON.stringify(containerName)}, only ${names.join(", ")}`
    )
  }
  const stateExplanation = explainContainer({ ...observation, name: containerName })
  return { object: pod, stateExplanation, nowMillis }
}

const explainNodeByName: Explain = async (remote, [name = ""]) => {
  const [object, podList, nowMillis] = await allOrFirstError([
    remote.get({ resource: resources.nodes, name }),
    remote.list(resources.pods),
    remoteNowMillis(remote)
  ])
  const pods = [...podList.items].filter(({ spec }) => spec.nodeName === name)
  return { object, stateExplanation: explainNode({ node: object, pods, nowMillis }), nowMillis }
}

const explainClaimByName: Explain = async (remote, [name = ""]) => {
  const [claim, podList, events, nowMillis] = await allOrFirstError([
    remote.get({ resource: resources.persistentVolumeClaims, name }),
    remote.list(resources.pods, { namespace: remote.namespace }),
    readEvents(remote),
    remoteNowMillis(remote)
  ])
  const pods = [...podList.items].filter((pod) => podClaims(pod).some((it) => it.name === name))
  return { object: claim, stateExplanation: explainClaim({ claim, events, pods }), nowMillis }
}

const explainedKinds: ReadonlyArray<{
  readonly kind: string
  readonly pattern: RegExp
  /** A container has the names of its Pod and its own. */
  readonly nameCount: number
  readonly explain: Explain
}> = [
  {
    kind: "deployment",
    pattern: /^(?:deployments?|deploy)(?:(?:\.v1)?\.apps)?$/iu,
    nameCount: 1,
    explain: explainDeploymentByName
  },
  {
    kind: "replicaSet",
    pattern: /^(?:replicasets?|rs)(?:(?:\.v1)?\.apps)?$/iu,
    nameCount: 1,
    explain: explainReplicaSetByName
  },
  {
    kind: "statefulSet",
    pattern: /^(?:statefulsets?|sts)(?:(?:\.v1)?\.apps)?$/iu,
    nameCount: 1,
    explain: explainStatefulSetByName
  },
  {
    kind: "daemonSet",
    pattern: /^(?:daemonsets?|ds)(?:(?:\.v1)?\.apps)?$/iu,
    nameCount: 1,
    explain: explainDaemonSetByName
  },
  { kind: "job", pattern: /^jobs?(?:(?:\.v1)?\.batch)?$/iu, nameCount: 1, explain: explainJobByName },
  {
    kind: "cronJob",
    pattern: /^(?:cronjobs?|cj)(?:(?:\.v1)?\.batch)?$/iu,
    nameCount: 1,
    explain: explainCronJobByName
  },
  {
    kind: "horizontalPodAutoscaler",
    pattern: /^(?:horizontalpodautoscalers?|hpa)(?:(?:\.v[12])?\.autoscaling)?$/iu,
    nameCount: 1,
    explain: explainAutoscalerByName
  },
  { kind: "pod", pattern: /^(?:pods?|po)$/iu, nameCount: 1, explain: explainPodByName },
  { kind: "pod", pattern: /^containers?$/iu, nameCount: 2, explain: explainContainerByName },
  { kind: "node", pattern: /^(?:nodes?|no)$/iu, nameCount: 1, explain: explainNodeByName },
  {
    kind: "claim",
    pattern: /^(?:persistentvolumeclaims?|pvc)$/iu,
    nameCount: 1,
    explain: explainClaimByName
  }
]
