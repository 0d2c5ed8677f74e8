import { controllerUid } from "../history/fleet.ts"
import { deadlockOf } from "./deadlock.ts"
import { healthLeads, rolloutHealth } from "../../explain/health/rolloutHealth.ts"
import { newestRevisionFirst } from "../../kubernetes/apps/revisions/revisions.ts"
import { nodesByName } from "../../explain/objects/podProblems.ts"
import { rolloutStatus } from "../../kubernetes/apps/rolloutStatus.ts"
import { usePageState } from "../pageState.ts"
import { useThrottled } from "../useThrottled.ts"
import type { Deployment, Pod, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { Fleet } from "../history/fleet.ts"
import type { RolloutHealth } from "../../explain/health/rolloutHealth.ts"

export interface HealthyDeployment extends RolloutHealth {
  readonly deployment: Deployment
  /** Newest revision first. */
  readonly replicaSets: ReadonlyArray<ReplicaSet>
}

/** By the uid of the Deployment. */
export type FleetHealth = ReadonlyMap<string, HealthyDeployment>

/** Health is computed again at most so often. */
const healthMillis = 250

/** The same value for every view that asks at the same moment. */
export const useFleetHealth = (): FleetHealth => fleetHealth(useThrottled(usePageState().fleet, healthMillis))

interface CachedHealth {
  readonly health: HealthyDeployment
  readonly inputs: ReadonlyArray<unknown>
}

const healthOfFleet = new WeakMap<Fleet, FleetHealth>()
const latestOfDeployment = new WeakMap<Deployment, CachedHealth>()

/** A Deployment is judged again only if it, its ReplicaSets, their Pods or the nodes changed. */
export const fleetHealth = (fleet: Fleet): FleetHealth => {
  const known = healthOfFleet.get(fleet)
  if (known !== undefined) return known
  const replicaSetsOf = Map.groupBy([...fleet.replicaSets.values()].sort(newestRevisionFirst), controllerUid)
  const nodes = nodesByName(fleet.nodes.values())
  const health = new Map<string, HealthyDeployment>()
  for (const deployment of fleet.deployments.values()) {
    const replicaSets = replicaSetsOf.get(deployment.metadata.uid) ?? []
    const groups = replicaSets.map(({ metadata }) => fleet.podsOf.get(metadata.uid))
    const isWaiting = rolloutStatus(deployment).state !== "complete"
    // What keeps a Pod from every node may be a Pod of another Deployment.
    const inputs = [...replicaSets, ...groups, fleet.nodes, isWaiting ? fleet.pods : undefined]
    const cached = latestOfDeployment.get(deployment)
    if (cached !== undefined && areSame(cached.inputs, inputs)) {
      health.set(deployment.metadata.uid, cached.health)
      continue
    }
    const pods = groups.flatMap((group): ReadonlyArray<Pod> => [...(group?.values() ?? [])])
    const deadlock = isWaiting ? deadlockOf(deployment, replicaSets, fleet) : undefined
    const judged = {
      deployment,
      replicaSets,
      ...rolloutHealth({ deployment, replicaSets, pods, nodes, deadlock })
    }
    latestOfDeployment.set(deployment, { health: judged, inputs })
    health.set(deployment.metadata.uid, judged)
  }
  healthOfFleet.set(fleet, health)
  return health
}

const areSame = (a: ReadonlyArray<unknown>, b: ReadonlyArray<unknown>): boolean =>
  a.length === b.length && a.every((it, index) => it === b[index])

/** Deployments that need no attention have the same rank, so that their order stays while they roll out. */
export const healthRankOf = (health: RolloutHealth | undefined): number =>
  health === undefined
    ? healthLeads.length
    : Math.min(healthLeads.indexOf(health.lead), healthLeads.indexOf("rolling out"))
