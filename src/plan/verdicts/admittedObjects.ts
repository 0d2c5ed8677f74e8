import { draftPodSpec } from "../draftPodSpec.ts"
import { isFields } from "../../kubernetes/meta/fields.ts"
import { matchesSelector } from "../../kubernetes/meta/selectors/labelSelectors.ts"
import type { LabelSelector } from "kubernetes-types/meta/v1.js"
import type { Labels } from "../../kubernetes/meta/objects.ts"
import type { WorkloadWithKind } from "../workloads.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"

/** The type of the package kubernetes-types lacks some fields. */
export interface AdmissionRule {
  readonly apiGroups?: ReadonlyArray<string>
  readonly apiVersions?: ReadonlyArray<string>
  readonly operations?: ReadonlyArray<string>
  readonly resources?: ReadonlyArray<string>
  readonly resourceNames?: ReadonlyArray<string>
  readonly scope?: string
}

export interface AdmissionMatch {
  readonly namespaceSelector?: LabelSelector
  readonly objectSelector?: LabelSelector
  readonly rules: ReadonlyArray<AdmissionRule>
}

export interface AdmittedObject {
  readonly title: string
  /** Undefined where a controller chooses the name. */
  readonly name: string | undefined
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly labels: Labels
  readonly namespaceLabels: Labels
}

export const admittedObjectsOf = (
  { kind, object }: WorkloadWithKind,
  documents: ReadonlyArray<ManifestDocument>
): ReadonlyArray<AdmittedObject> => {
  const { metadata, spec } = object
  const namespaceLabels = labelsOfNamespace(metadata.namespace ?? "default", documents)
  const madeByController = { labels: spec.template.metadata?.labels ?? {}, namespaceLabels, name: undefined }
  const apps = { group: "apps", version: "v1" }
  return [
    { title: "Pods", group: "", version: "v1", resource: "pods", ...madeByController },
    ...(kind === "Deployment"
      ? [{ title: "ReplicaSets", ...apps, resource: "replicasets", ...madeByController }]
      : []),
    {
      title: kind,
      name: metadata.name,
      ...apps,
      group: kind === "Job" ? "batch" : "apps",
      resource: `${kind.toLowerCase()}s`,
      labels: metadata.labels ?? {},
      namespaceLabels
    }
  ].filter(({ title }) => title !== "Pods" || draftPodSpec(object) !== undefined)
}

export const admissionMatches = (
  { namespaceSelector = {}, objectSelector = {}, rules }: AdmissionMatch,
  object: AdmittedObject
): boolean =>
  matchesSelector(namespaceSelector, object.namespaceLabels) &&
  matchesSelector(objectSelector, object.labels) &&
  rules.some((rule) => ruleCovers(rule, object))

export const ruleCovers = (
  {
    apiGroups = [],
    apiVersions = [],
    resources: names = [],
    resourceNames = [],
    operations = [],
    scope = "*"
  }: AdmissionRule,
  { name, group, version, resource }: AdmittedObject
): boolean =>
  includesOrAll(apiGroups, group) &&
  includesOrAll(apiVersions, version) &&
  (names.includes(resource) || names.includes("*") || names.includes("*/*")) &&
  (resourceNames.length === 0 || (name !== undefined && resourceNames.includes(name))) &&
  (operations.includes("CREATE") || operations.includes("*")) &&
  scope !== "Cluster"

const includesOrAll = (list: ReadonlyArray<string>, value: string): boolean =>
  list.includes(value) || list.includes("*")

const labelsOfNamespace = (name: string, documents: ReadonlyArray<ManifestDocument>): Labels => {
  const namespace = documents.find(
    ({ kind, draft }) => kind.kind === "Namespace" && draft.metadata.name === name
  )
  const labels: unknown = namespace?.draft.metadata.labels
  return { ...(isFields(labels) ? (labels as Labels) : {}), "kubernetes.io/metadata.name": name }
}
