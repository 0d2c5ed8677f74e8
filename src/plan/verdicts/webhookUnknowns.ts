import { admittedObjectsOf, admissionMatches } from "./admittedObjects.ts"
import type * as Admission from "kubernetes-types/admissionregistration/v1.js"
import type { AdmissionRule } from "./admittedObjects.ts"
import type { Draft } from "../../kubernetes/meta/objects.ts"
import type { WorkloadWithKind } from "../workloads.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { Unknown } from "./unknownKinds.ts"

type Webhook = Omit<Admission.ValidatingWebhook | Admission.MutatingWebhook, "rules"> & {
  readonly rules?: ReadonlyArray<AdmissionRule>
}

type WebhookConfiguration = Draft & { readonly webhooks?: ReadonlyArray<Webhook> }

/**
 * Leaves out webhooks with `failurePolicy: Ignore`. Source:
 * apiserver/pkg/admission/plugin/webhook/predicates/{rules,namespace,object}.
 */
export const webhookUnknowns = (
  workload: WorkloadWithKind,
  documents: ReadonlyArray<ManifestDocument>
): ReadonlyArray<Unknown> => {
  const objects = admittedObjectsOf(workload, documents)
  return documents.flatMap(({ kind: { kind }, draft }): ReadonlyArray<Unknown> => {
    if (kind !== "MutatingWebhookConfiguration" && kind !== "ValidatingWebhookConfiguration") return []
    return ((draft as WebhookConfiguration).webhooks ?? []).flatMap((webhook) => {
      const { failurePolicy = "Fail", rules = [] } = webhook
      const matchedObject = objects.find((object) => admissionMatches({ ...webhook, rules }, object))
      if (failurePolicy === "Ignore" || matchedObject === undefined) return []
      const verb = kind === "MutatingWebhookConfiguration" ? "may change" : "may refuse"
      return [
        {
          kind,
          text: `webhook ${webhook.name} of ${kind}/${draft.metadata.name ?? ""} ${verb} its ${matchedObject.title}`,
          keepsPending: false
        }
      ]
    })
  })
}
