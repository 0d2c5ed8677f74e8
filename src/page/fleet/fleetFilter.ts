import { byNamespaceAndName } from "../pageAddress.ts"
import { compareTexts } from "../../kubernetes/meta/text/compareTexts.ts"
import { containsAll, searchWords } from "../searchWords.ts"
import { healthRankOf } from "./fleetHealth.ts"
import { healthLeads } from "../../explain/health/healthLeads.ts"
import type { FleetHealth } from "./fleetHealth.ts"
import type { HealthLead } from "../../explain/health/healthLeads.ts"
import type { WorkloadCard } from "./workloadCards.ts"

/** What a counter counts, and shows when it is pressed; `fine` is complete, steady or idle. */
export type HealthGroup = HealthLead | "fine"

export type FleetOrder = "worst first" | "by name" | "by namespace" | "by node"

export interface FleetFilter {
  readonly group: HealthGroup | undefined
  /** Parts of the kind, name, namespace, labels or images, all of which must occur. */
  readonly search: string
  readonly order: FleetOrder
}

const fineLeads: ReadonlySet<HealthLead> = new Set(["complete", "steady", "idle"])

const groupOf = ({ lead }: WorkloadCard): HealthGroup => (fineLeads.has(lead) ? "fine" : lead)

/** Groups without a workload are left out. */
export const groupCounts = (health: FleetHealth): ReadonlyArray<readonly [HealthGroup, number]> => {
  const counts = new Map<HealthGroup, number>()
  for (const it of health.values()) counts.set(groupOf(it), (counts.get(groupOf(it)) ?? 0) + 1)
  return [...healthLeads, "fine" as const].flatMap((group) => {
    const count = counts.get(group)
    return count === undefined ? [] : [[group, count] as const]
  })
}

export const filterFleet = (
  health: FleetHealth,
  { group, search, order }: FleetFilter
): ReadonlyArray<WorkloadCard> => {
  const parts = searchWords(search)
  const byName = (a: WorkloadCard, b: WorkloadCard): number =>
    byNamespaceAndName(a.workload.metadata, b.workload.metadata)
  const byNamespace = (a: WorkloadCard, b: WorkloadCard): number =>
    compareTexts(namespaceOf(a), namespaceOf(b))
  return [...health.values()]
    .filter((it) => group === undefined || groupOf(it) === group)
    .filter((it) => parts.length === 0 || containsAll(searchedText(it), parts))
    .sort((a, b) => {
      if (order === "by name") return byName(a, b)
      const byRank = healthRankOf(a) - healthRankOf(b)
      return (order === "by namespace" ? byNamespace(a, b) : 0) || byRank || byName(a, b)
    })
}

export const namespaceOf = ({ workload }: WorkloadCard): string => workload.metadata.namespace ?? ""

const searchedText = ({ workload: { kind, metadata }, images }: WorkloadCard): string => {
  const labels = Object.entries(metadata.labels ?? {}).map(([key, value]) => `${key}=${value}`)
  return [kind, `${metadata.namespace ?? ""}/${metadata.name}`, ...labels, images].join(" ").toLowerCase()
}
