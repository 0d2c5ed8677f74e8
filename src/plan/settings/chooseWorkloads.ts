import { isWorkload, isNamedBy, workloadsAmong } from "../workloads.ts"
import { matchesSelector } from "../../kubernetes/meta/selectors/labelSelectors.ts"
import { parsePredicates } from "../predicates.ts"
import { isOfResource } from "../documentKeys.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { whyNeverMeasured } from "../whyUnmeasured.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { Predicate } from "../predicates.ts"
import type { SettingsFile } from "./readSettings.ts"
import type { Suppression } from "../verdicts/judgePlan.ts"
import type { WorkloadId } from "../workloads.ts"

interface WorkloadChoice {
  readonly workloads?: ReadonlyArray<string>
  readonly labels?: Readonly<Record<string, string>>
}

export interface ChosenSettings {
  readonly predicates: ReadonlyArray<Predicate>
  readonly suppressions: ReadonlyArray<Suppression>
  readonly problems: ReadonlyArray<string>
}

export const chooseWorkloads = (
  { settings, problemAt }: SettingsFile,
  next: ReadonlyArray<ManifestDocument>,
  from: ReadonlyArray<ManifestDocument> = []
): ChosenSettings => {
  const problems: Array<string> = []
  const findWorkloads = (list: "thresholds" | "suppressions", index: number, choice: WorkloadChoice) => {
    const { workloads = [], labels } = choice
    for (const [position, name] of workloads.entries()) {
      if (workloadsNamed(next, name).length > 0) continue
      const path = ["spec", list, index, "workloads", position]
      problems.push(problemAt(path, `no workload that is planned is called ${JSON.stringify(name)}`))
    }
    const chosenWorkloads = workloadsOfChoice(next, choice)
    if (chosenWorkloads?.size === 0 && labels !== undefined)
      problems.push(
        problemAt(["spec", list, index, "labels"], "no workload that is planned has these labels")
      )
    return chosenWorkloads
  }
  const unmeasuredProblems = (predicates: ReadonlyArray<Predicate>, index: number): ReadonlyArray<string> =>
    predicates.flatMap((predicate) => {
      const why = whyNeverMeasured(predicate, [...from, ...next])
      const path = ["spec", "thresholds", index, "failOn"]
      return why === undefined ? [] : [problemAt(path, `${predicate.text} is never measured: ${why}`)]
    })
  const predicates = (settings.thresholds ?? []).flatMap((threshold, index): ReadonlyArray<Predicate> => {
    const workloads = findWorkloads("thresholds", index, threshold)
    const parsed = parsePredicates(threshold.failOn)
    if (!parsed.ok) return []
    const withChoice = parsed.value.map((predicate) =>
      workloads === undefined ? predicate : { ...predicate, workloads }
    )
    if (workloads?.size !== 0) problems.push(...unmeasuredProblems(withChoice, index))
    return withChoice
  })
  const suppressions = (settings.suppressions ?? []).map((suppression, index): Suppression => {
    const { rule, reason, expires } = suppression
    const workloads = findWorkloads("suppressions", index, suppression)
    return { rule, workloads, because: `${reason} (until ${expires})` }
  })
  problems.push(...replicasProblems({ settings, problemAt }, next))
  return { predicates, suppressions, problems }
}

type Settings = Pick<SettingsFile, "settings" | "problemAt">

const replicasProblems = (
  { settings, problemAt }: Settings,
  next: ReadonlyArray<ManifestDocument>
): ReadonlyArray<string> =>
  (settings.environments ?? []).flatMap(({ replicas = {} }, index) =>
    Object.keys(replicas).flatMap((name) => {
      const namedIds = workloadsNamed(next, name)
      const namedWithReplicas = workloadsNamed(next.filter(hasReplicas), name)
      const [id = ""] = namedIds
      const problem =
        namedIds.length === 0
          ? `no workload that is planned is called ${JSON.stringify(name)}`
          : `${id.replace(/ (?:default\/)?/, "/")} has no replicas: ${whyNoReplicas(id)}`
      return namedWithReplicas.length > 0
        ? []
        : [problemAt(["spec", "environments", index, "replicas", name], problem, { fieldPart: "name" })]
    })
  )

export const hasReplicas = (document: ManifestDocument): boolean =>
  isOfResource(resources.deployments)(document) || isOfResource(resources.statefulSets)(document)

const whyNoReplicas = (id: WorkloadId): string =>
  id.startsWith("DaemonSet")
    ? "it has a Pod on each node, of which spec.environments[].nodes says how many there are"
    : "how many Pods of a Job run at once is its spec.parallelism, which an environment does not change"

export const workloadsNamed = (
  documents: ReadonlyArray<ManifestDocument>,
  name: string
): ReadonlyArray<WorkloadId> =>
  workloadsAmong(documents)
    .filter((workload) => isNamedBy(workload, name))
    .map(({ id }) => id)

/** Undefined (all workloads) without names and labels. */
const workloadsOfChoice = (
  documents: ReadonlyArray<ManifestDocument>,
  { workloads, labels }: WorkloadChoice
): ReadonlySet<WorkloadId> | undefined => {
  if (workloads === undefined && labels === undefined) return undefined
  const namedIds = workloads?.flatMap((name) => workloadsNamed(documents, name))
  const labelledIds =
    labels === undefined
      ? undefined
      : workloadsAmong(
          documents.filter(
            (document) =>
              isWorkload(document) && matchesSelector({ matchLabels: labels }, document.draft.metadata.labels)
          )
        ).map(({ id }) => id)
  if (namedIds === undefined) return new Set(labelledIds)
  return new Set(labelledIds === undefined ? namedIds : namedIds.filter((id) => labelledIds.includes(id)))
}
