import { isWorkload, isNamedBy, workloadsAmong } from "../workloads.ts"
import { matchesSelector } from "../../kubernetes/meta/selectors/labelSelectors.ts"
import { parsePredicates } from "../predicates.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { Predicate } from "../predicates.ts"
import type { SettingsFile } from "./readSettings.ts"
import type { Suppression } from "../verdicts/judgePlan.ts"
import type { WorkloadId } from "../workloads.ts"

interface WorkloadChoice {
  readonly workloads?: ReadonlyArray<string>
  readonly labels?: Readonly<Record<string, string>>
}

/** What settings say about workloads, with the workloads found. */
export interface ChosenSettings {
  readonly predicates: ReadonlyArray<Predicate>
  readonly suppressions: ReadonlyArray<Suppression>
  /** Names of workloads that are not among those that are planned. */
  readonly problems: ReadonlyArray<string>
}

export const chooseWorkloads = (
  { settings, problemAt }: SettingsFile,
  next: ReadonlyArray<ManifestDocument>
): ChosenSettings => {
  const problems: Array<string> = []
  const chosen = (list: "thresholds" | "suppressions", index: number, choice: WorkloadChoice) => {
    const { workloads = [], labels } = choice
    for (const [position, name] of workloads.entries()) {
      if (workloadsNamed(next, name).length > 0) continue
      const path = ["spec", list, index, "workloads", position]
      problems.push(problemAt(path, `no workload that is planned is called ${JSON.stringify(name)}`))
    }
    const found = choose(next, choice)
    if (found?.size === 0 && labels !== undefined)
      problems.push(
        problemAt(["spec", list, index, "labels"], "no workload that is planned has these labels")
      )
    return found
  }
  const predicates = (settings.thresholds ?? []).flatMap((threshold, index): ReadonlyArray<Predicate> => {
    const workloads = chosen("thresholds", index, threshold)
    const parsed = parsePredicates(threshold.failOn)
    if (!parsed.ok) return []
    return parsed.value.map((it) => (workloads === undefined ? it : { ...it, workloads }))
  })
  const suppressions = (settings.suppressions ?? []).map((suppression, index): Suppression => {
    const { rule, reason, expires } = suppression
    const workloads = chosen("suppressions", index, suppression)
    return { rule, workloads, because: `${reason} (until ${expires})` }
  })
  for (const [index, { replicas = {} }] of (settings.environments ?? []).entries())
    for (const name of Object.keys(replicas)) {
      if (workloadsNamed(next, name).length > 0) continue
      const path = ["spec", "environments", index, "replicas", name]
      problems.push(problemAt(path, `no workload that is planned is called ${JSON.stringify(name)}`))
    }
  return { predicates, suppressions, problems }
}

export const workloadsNamed = (
  documents: ReadonlyArray<ManifestDocument>,
  name: string
): ReadonlyArray<WorkloadId> =>
  workloadsAmong(documents)
    .filter((workload) => isNamedBy(workload, name))
    .map(({ id }) => id)

/** Undefined for all. */
const choose = (
  documents: ReadonlyArray<ManifestDocument>,
  { workloads, labels }: WorkloadChoice
): ReadonlySet<WorkloadId> | undefined => {
  if (workloads === undefined && labels === undefined) return undefined
  const named = workloads?.flatMap((name) => workloadsNamed(documents, name))
  const labelled =
    labels === undefined
      ? undefined
      : workloadsAmong(
          documents.filter(
            (it) => isWorkload(it) && matchesSelector({ matchLabels: labels }, it.draft.metadata.labels)
          )
        ).map(({ id }) => id)
  if (named === undefined) return new Set(labelled)
  return new Set(labelled === undefined ? named : named.filter((id) => labelled.includes(id)))
}
