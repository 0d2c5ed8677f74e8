import { byNamespaceAndName } from "../pageAddress.ts"
import { compareTexts } from "../../kubernetes/meta/text/compareTexts.ts"
import { containsAllWords, searchWords } from "../searchWords.ts"
import { healthRankOf } from "./fleetHealth.ts"
import { healthsWorstFirst } from "../../explain/health/healthLeads.ts"
import type { FleetHealth } from "./fleetHealth.ts"
import type { HealthLead } from "../../explain/health/healthLeads.ts"
import type { WorkloadCard } from "./workloadCards.ts"

/** A lead (the worse of health and progress), or all of the `fine` ones. */
export type HealthGroup = HealthLead | "fine"

/** By namespace or by label, the cards stand in sections; by node, the page shows nodes instead of cards. */
export type FleetOrder = "worst first" | "by name" | "by namespace" | "by node" | `by label ${string}`

export interface FleetFilter {
  readonly group: HealthGroup | undefined
  /** Parts of kind, name, namespace, labels or images, all of which must occur. */
  readonly search: string
  readonly order: FleetOrder
}

const fineLeads: ReadonlySet<HealthLead> = new Set(["complete", "steady", "idle"])

const groupOf = ({ lead }: WorkloadCard): HealthGroup => (fineLeads.has(lead) ? "fine" : lead)

export const groupCounts = (health: FleetHealth): ReadonlyArray<readonly [HealthGroup, number]> => {
  const counts = new Map<HealthGroup, number>()
  for (const it of health.values()) counts.set(groupOf(it), (counts.get(groupOf(it)) ?? 0) + 1)
  return [...healthsWorstFirst, "fine" as const].flatMap((group) => {
    const count = counts.get(group)
    return count === undefined ? [] : [[group, count] as const]
  })
}

export const filterFleet = (
  health: FleetHealth,
  { group, search, order }: FleetFilter
): ReadonlyArray<WorkloadCard> => {
  const words = searchWords(search)
  const byName = (a: WorkloadCard, b: WorkloadCard): number =>
    byNamespaceAndName(a.workload.metadata, b.workload.metadata)
  const sectionOf = sectionFor(order)
  const bySection = (a: WorkloadCard, b: WorkloadCard): number => compareSections(sectionOf(a), sectionOf(b))
  return [...health.values()]
    .filter((it) => group === undefined || groupOf(it) === group)
    .filter((it) => words.length === 0 || containsAllWords(searchedText(it), words))
    .sort((a, b) => {
      if (order === "by name") return byName(a, b)
      const byRank = healthRankOf(a) - healthRankOf(b)
      return bySection(a, b) || byRank || byName(a, b)
    })
}

/** Without a heading all cards are in one section. */
export interface FleetSection {
  readonly heading: string | undefined
  readonly cards: ReadonlyArray<WorkloadCard>
}

/** `filterFleet` has put the cards in this order. */
export const fleetSections = (
  cards: ReadonlyArray<WorkloadCard>,
  order: FleetOrder
): ReadonlyArray<FleetSection> => {
  const key = labelKeyOf(order)
  const noLabelHeading = key === undefined ? undefined : `no label ${key}`
  return [...Map.groupBy(cards, sectionFor(order))].map(([section, sectionCards]) => ({
    heading: section === undefined || key === undefined ? (section ?? noLabelHeading) : `${key}=${section}`,
    cards: sectionCards
  }))
}

export const fleetOrders = (health: FleetHealth): ReadonlyArray<FleetOrder> => [
  "worst first",
  "by name",
  "by namespace",
  "by node",
  ...sharedLabelKeys(health).map((key) => `${labelPrefix}${key}` as const)
]

/** Keys whose values differ everywhere would make sections of one card. */
export const sharedLabelKeys = (health: FleetHealth): ReadonlyArray<string> => {
  const valuesByKey = new Map<string, Set<string>>()
  const shared = new Set<string>()
  for (const { workload } of health.values()) {
    for (const [key, value] of Object.entries(workload.metadata.labels ?? {})) {
      const values = valuesByKey.get(key) ?? new Set()
      valuesByKey.set(key, values)
      if (values.has(value)) shared.add(key)
      values.add(value)
    }
  }
  return [...shared].sort(compareTexts)
}

const labelPrefix = "by label "

const labelKeyOf = (order: FleetOrder): string | undefined =>
  order.startsWith(labelPrefix) ? order.slice(labelPrefix.length) : undefined

const sectionFor = (order: FleetOrder): ((card: WorkloadCard) => string | undefined) => {
  if (order === "by namespace") return ({ workload }) => workload.metadata.namespace
  const key = labelKeyOf(order)
  return ({ workload }) => (key === undefined ? undefined : workload.metadata.labels?.[key])
}

/** Workloads without the label come last. */
const compareSections = (a: string | undefined, b: string | undefined): number =>
  a === undefined || b === undefined ? Number(a === undefined) - Number(b === undefined) : compareTexts(a, b)

const searchedText = ({ workload: { kind, metadata }, images }: WorkloadCard): string => {
  const labels = Object.entries(metadata.labels ?? {}).map(([key, value]) => `${key}=${value}`)
  return [kind, `${metadata.namespace ?? ""}/${metadata.name}`, ...labels, images].join(" ").toLowerCase()
}
