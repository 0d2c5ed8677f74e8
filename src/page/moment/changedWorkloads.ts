import { healthRankOf } from "../fleet/fleetHealth.ts"
import { healthText } from "../fleet/healthText.ts"
import type { FleetHealth } from "../fleet/fleetHealth.ts"
import type { WorkloadCard } from "../fleet/workloadCards.ts"

/** The uids of the workloads that look different at two moments, the worst of either first. */
export const changedWorkloads = (before: FleetHealth, after: FleetHealth): ReadonlyArray<string> => {
  const uids = [...new Set([...before.keys(), ...after.keys()])]
  const rankOf = (uid: string): number =>
    Math.min(healthRankOf(before.get(uid)), healthRankOf(after.get(uid)))
  return uids
    .filter((uid) => lookOf(before.get(uid)) !== lookOf(after.get(uid)))
    .sort((a, b) => rankOf(a) - rankOf(b))
}

/** What a card says. The same Pods may have been replaced meanwhile by others of the same revision. */
const lookOf = (card: WorkloadCard | undefined): string =>
  card === undefined
    ? ""
    : [
        healthText(card),
        card.cause,
        card.figures,
        ...card.groups.map(({ title, image, figures, pods }) => [title, image, figures, pods.size].join(" "))
      ].join("\n")
