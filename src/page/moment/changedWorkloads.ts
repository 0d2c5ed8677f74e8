import { healthRankOf } from "../fleet/fleetHealth.ts"
import { healthText } from "../../explain/health/healthText.ts"
import { objectKey } from "../pageAddress.ts"
import type { FleetHealth } from "../fleet/fleetHealth.ts"
import type { WorkloadCard } from "../fleet/workloadCards.ts"

/** By kind, namespace and name, since a recreated workload has another uid. */
export type HealthByName = ReadonlyMap<string, WorkloadCard>

export const healthByName = (health: FleetHealth): HealthByName =>
  new Map(Array.from(health.values(), (card) => [objectKey(card.workload), card]))

/** The keys of the workloads that differ, the least healthy on either side first. */
export const changedWorkloads = (left: HealthByName, right: HealthByName): ReadonlyArray<string> => {
  const names = [...new Set([...left.keys(), ...right.keys()])]
  const rankOf = (name: string): number =>
    Math.min(healthRankOf(left.get(name)), healthRankOf(right.get(name)))
  return names
    .filter((name) => cardText(left.get(name)) !== cardText(right.get(name)))
    .sort((a, b) => rankOf(a) - rankOf(b))
}

/** Names of Pods are no difference. */
const cardText = (card: WorkloadCard | undefined): string =>
  card === undefined
    ? ""
    : [
        healthText(card),
        card.cause,
        card.figures,
        ...card.groups.map(({ title, image, figures, pods }) => [title, image, figures, pods.size].join(" "))
      ].join("\n")
