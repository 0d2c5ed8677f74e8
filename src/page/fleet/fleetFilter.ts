import { byNamespaceAndName } from "../pageAddress.ts"
import { healthRankOf } from "./fleetHealth.ts"
import type { HealthLead } from "../../explain/health/rolloutHealth.ts"
import type { FleetHealth, HealthyDeployment } from "./fleetHealth.ts"

/** What a counter counts, and shows when it is pressed; `fine` is complete or idle. */
export const healthGroups = ["down", "blocked", "degraded", "rolling out", "paused", "fine"] as const
export type HealthGroup = (typeof healthGroups)[number]

export type FleetOrder = "worst first" | "by name"

export interface FleetFilter {
  readonly group: HealthGroup | undefined
  /** Parts of the name, namespace, labels or images, all of which must occur. */
  readonly search: string
  readonly order: FleetOrder
}

export const groupOf = ({ lead }: HealthyDeployment): HealthGroup =>
  lead === "complete" || lead === "idle" ? "fine" : lead

/** Groups without a Deployment are left out. */
export const groupCounts = (health: FleetHealth): ReadonlyArray<readonly [HealthGroup, number]> => {
  const counts = new Map<HealthGroup, number>()
  for (const it of health.values()) counts.set(groupOf(it), (counts.get(groupOf(it)) ?? 0) + 1)
  return healthGroups.flatMap((group) => {
    const count = counts.get(group)
    return count === undefined ? [] : [[group, count] as const]
  })
}

export const filterFleet = (
  health: FleetHealth,
  { group, search, order }: FleetFilter
): ReadonlyArray<HealthyDeployment> => {
  const parts = search.toLowerCase().split(/\s+/u).filter(Boolean)
  const byName = (a: HealthyDeployment, b: HealthyDeployment): number =>
    byNamespaceAndName(a.deployment.metadata, b.deployment.metadata)
  return [...health.values()]
    .filter((it) => group === undefined || groupOf(it) === group)
    .filter((it) => parts.length === 0 || containsAll(searchedText(it), parts))
    .sort((a, b) => (order === "by name" ? 0 : healthRankOf(a) - healthRankOf(b)) || byName(a, b))
}

const containsAll = (text: string, parts: ReadonlyArray<string>): boolean =>
  parts.every((part) => text.includes(part))

const searchedText = ({ deployment: { metadata, spec } }: HealthyDeployment): string => {
  const labels = Object.entries(metadata.labels ?? {}).map(([key, value]) => `${key}=${value}`)
  const images = (spec.template.spec?.containers ?? []).map(({ image }) => image ?? "")
  return [`${metadata.namespace ?? ""}/${metadata.name}`, ...labels, ...images].join(" ").toLowerCase()
}

/** The lead, followed by the other of health and progress if that is bad as well or still moves. */
export const healthText = ({ lead, health, progress }: HealthyDeployment): string => {
  const isProgressTold = lead === health && progress !== "complete" && progress !== "idle"
  const isHealthTold = lead !== health && health !== "ok"
  return `${leadSigns[lead]} ${lead}${isProgressTold ? `, ${progress}` : isHealthTold ? `, ${health}` : ""}`
}

const leadSigns: Readonly<Record<HealthLead, string>> = {
  down: "▼",
  blocked: "!",
  degraded: "▽",
  "rolling out": "…",
  paused: "‖",
  complete: "✓",
  idle: "–"
}
