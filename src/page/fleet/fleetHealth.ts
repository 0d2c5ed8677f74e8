import {
  autoscalerCard,
  cronJobCard,
  deploymentCard,
  jobCard,
  statefulOrDaemonSetCard
} from "./workloadCards.ts"
import { controllerUid } from "../history/fleet.ts"
import { fleetDeadlockSentence } from "./deadlock.ts"
import { healthsWorstFirst } from "../../explain/health/healthLeads.ts"
import { newestRevisionFirst } from "../../kubernetes/apps/revisions/revisions.ts"
import { nodesByName } from "../../explain/objects/podProblems.ts"
import { noPods } from "./podGroups.ts"
import { rolloutStateOf } from "../../kubernetes/apps/rolloutStatus.ts"
import { sortRevisions } from "../../kubernetes/apps/controllerRevisions/controllerRevisions.ts"
import { normalizeEvent } from "../../kubernetes/meta/normalizeEvent.ts"
import type { CardObjects, WorkloadCard } from "./workloadCards.ts"
import type { Fleet } from "../history/fleet.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { WorkloadHealth } from "../../explain/health/healthLeads.ts"

/** By the uid of the workload. */
export type FleetHealth = ReadonlyMap<string, WorkloadCard>

interface CachedCard {
  readonly card: WorkloadCard
  readonly inputs: ReadonlyArray<unknown>
}

const healthByFleet = new WeakMap<Fleet, FleetHealth>()
const cachedCards = new WeakMap<KubeObject, CachedCard>()

/** The card of a workload is made again only if its objects or the nodes changed. */
export const fleetHealth = (fleet: Fleet): FleetHealth => {
  const cachedHealth = healthByFleet.get(fleet)
  if (cachedHealth !== undefined) return cachedHealth
  const health = new Map<string, WorkloadCard>()
  const addCard = (workload: KubeObject, inputs: ReadonlyArray<unknown>, make: () => WorkloadCard): void => {
    const cached = cachedCards.get(workload)
    const isUnchanged = cached !== undefined && areIdentical(cached.inputs, inputs)
    const card = isUnchanged ? cached.card : make()
    if (!isUnchanged) cachedCards.set(workload, { card, inputs })
    health.set(workload.metadata.uid, card)
  }
  const objects: CardObjects = {
    podsOf: (uid) => fleet.podsOf.get(uid) ?? noPods,
    warningsOf: (uid) =>
      [...(fleet.eventsOf.get(uid)?.values() ?? [])]
        .map(normalizeEvent)
        .filter(({ type }) => type === "Warning"),
    nodes: nodesByName(fleet.nodes.values())
  }
  const ownPods = ({ metadata }: KubeObject) => fleet.podsOf.get(metadata.uid)
  const ownEvents = ({ metadata }: KubeObject) => fleet.eventsOf.get(metadata.uid)

  const replicaSetsOf = Map.groupBy([...fleet.replicaSets.values()].sort(newestRevisionFirst), controllerUid)
  for (const deployment of fleet.deployments.values()) {
    const replicaSets = replicaSetsOf.get(deployment.metadata.uid) ?? []
    const isWaiting = rolloutStateOf(deployment) !== "complete"
    // A Pod of another workload may keep a Pod from every node.
    const podsIfWaiting = isWaiting ? fleet.pods : undefined
    addCard(deployment, [...replicaSets, ...replicaSets.map(ownPods), fleet.nodes, podsIfWaiting], () => {
      const deadlock = isWaiting ? fleetDeadlockSentence(deployment, replicaSets, fleet) : undefined
      return deploymentCard(deployment, replicaSets, objects, deadlock)
    })
  }
  const revisionsOf = Map.groupBy(sortRevisions([...fleet.revisions.values()]).toReversed(), controllerUid)
  for (const workload of [...fleet.statefulSets.values(), ...fleet.daemonSets.values()]) {
    const revisions = revisionsOf.get(workload.metadata.uid) ?? []
    addCard(workload, [...revisions, ownPods(workload), ownEvents(workload), fleet.nodes], () =>
      statefulOrDaemonSetCard(workload, revisions, objects)
    )
  }
  const jobsOf = Map.groupBy(fleet.jobs.values(), (job) => {
    const owner = controllerUid(job)
    return fleet.cronJobs.has(owner) ? owner : ""
  })
  for (const cronJob of fleet.cronJobs.values()) {
    const jobs = jobsOf.get(cronJob.metadata.uid) ?? []
    const inputs = [ownEvents(cronJob), fleet.nodes, ...jobs, ...jobs.map(ownPods), ...jobs.map(ownEvents)]
    addCard(cronJob, inputs, () => cronJobCard(cronJob, jobs, objects))
  }
  // Jobs that no CronJob controls.
  for (const job of jobsOf.get("") ?? [])
    addCard(job, [ownPods(job), ownEvents(job), fleet.nodes], () => jobCard(job, objects))
  for (const autoscaler of fleet.autoscalers.values())
    addCard(autoscaler, [], () => autoscalerCard(autoscaler))
  healthByFleet.set(fleet, health)
  return health
}

const areIdentical = (a: ReadonlyArray<unknown>, b: ReadonlyArray<unknown>): boolean =>
  a.length === b.length && a.every((it, index) => it === b[index])

/**
 * By the leading word of the health. From `rolling out` on all ranks are equal: cards keep their places while a rollout
 * completes.
 */
export const healthRankOf = (health: WorkloadHealth | undefined): number =>
  health === undefined
    ? healthsWorstFirst.length
    : Math.min(healthsWorstFirst.indexOf(health.lead), healthsWorstFirst.indexOf("rolling out"))
