import { draftPodSpec } from "../draftPodSpec.ts"
import { isFields } from "../../kubernetes/meta/fields.ts"
import { matchesSelector } from "../../kubernetes/meta/selectors/labelSelectors.ts"
import type * as Admission from "kubernetes-types/admissionregistration/v1.js"
import type { Draft, Labels } from "../../kubernetes/meta/objects.ts"
import type { WorkloadWithKind } from "../workloads.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { Unknown } from "./unknownKinds.ts"

type Webhook = Omit<Admission.ValidatingWebhook | Admission.MutatingWebhook, "rules"> & {
  readonly rules?: ReadonlyArray<WebhookRule>
}

/** A rule of a webhook configuration. The type of the package kubernetes-types lacks some fields. */
interface WebhookRule {
  readonly apiGroups?: ReadonlyArray<string>
  readonly apiVersions?: ReadonlyArray<string>
  readonly operations?: ReadonlyArray<string>
  readonly resources?: ReadonlyArray<string>
  readonly scope?: string
}

type WebhookConfiguration = Draft & { readonly webhooks?: ReadonlyArray<Webhook> }

/**
 * The webhooks that may refuse or change what a workload needs: itself, its ReplicaSets and its Pods. Those with
 * `failurePolicy: Ignore` are left out.
 *
 * Source: staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/{rules,namespace,object}.
 */
export const webhookUnknowns = (
  workload: WorkloadWithKind,
  documents: ReadonlyArray<ManifestDocument>
): ReadonlyArray<Unknown> => {
  const writtenObjects = writtenObjectsOf(workload)
  const namespaceLabels = labelsOfNamespace(workload.object.metadata.namespace ?? "default", documents)
  return documents.flatMap(({ kind: { kind }, draft }): ReadonlyArray<Unknown> => {
    if (kind !== "MutatingWebhookConfiguration" && kind !== "ValidatingWebhookConfiguration") return []
    return ((draft as WebhookConfiguration).webhooks ?? []).flatMap((webhook) => {
      const { failurePolicy = "Fail", namespaceSelector } = webhook
      if (failurePolicy === "Ignore" || !matchesSelector(namespaceSelector ?? {}, namespaceLabels)) return []
      const matched = writtenObjects.find((object) => isWebhookFor(webhook, object))
      if (matched === undefined) return []
      const verb = kind === "MutatingWebhookConfiguration" ? "may change" : "may refuse"
      return [
        {
          kind,
          text: `webhook ${webhook.name} of ${kind}/${draft.metadata.name ?? ""} ${verb} its ${matched.title}`,
          keepsPending: false
        }
      ]
    })
  })
}

/** An object that the API server would send to webhooks. */
interface WrittenObject {
  readonly title: string
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly labels: Labels
}

const writtenObjectsOf = ({ kind, object }: WorkloadWithKind): ReadonlyArray<WrittenObject> => {
  const { template } = object.spec
  const podLabels = template.metadata?.labels ?? {}
  const apps = { group: "apps", version: "v1" }
  return [
    { title: "Pods", group: "", version: "v1", resource: "pods", labels: podLabels },
    ...(kind === "Deployment"
      ? [{ title: "ReplicaSets", ...apps, resource: "replicasets", labels: podLabels }]
      : []),
    {
      title: kind,
      ...apps,
      group: kind === "Job" ? "batch" : "apps",
      resource: `${kind.toLowerCase()}s`,
      labels: object.metadata.labels ?? {}
    }
  ].filter(({ title }) => title !== "Pods" || draftPodSpec(object) !== undefined)
}

const isWebhookFor = (
  { rules = [], objectSelector }: Webhook,
  { group, version, resource, labels }: WrittenObject
): boolean =>
  matchesSelector(objectSelector ?? {}, labels) &&
  rules.some(
    ({ apiGroups = [], apiVersions = [], resources: names = [], operations = [], scope = "*" }) =>
      includesOrAll(apiGroups, group) &&
      includesOrAll(apiVersions, version) &&
      (names.includes(resource) || names.includes("*") || names.includes("*/*")) &&
      (operations.includes("CREATE") || operations.includes("*")) &&
      scope !== "Cluster"
  )

const includesOrAll = (list: ReadonlyArray<string>, value: string): boolean =>
  list.includes(value) || list.includes("*")

const labelsOfNamespace = (name: string, documents: ReadonlyArray<ManifestDocument>): Labels => {
  const namespace = documents.find(
    ({ kind, draft }) => kind.kind === "Namespace" && draft.metadata.name === name
  )
  const labels: unknown = namespace?.draft.metadata.labels
  return { ...(isFields(labels) ? (labels as Labels) : {}), "kubernetes.io/metadata.name": name }
}
