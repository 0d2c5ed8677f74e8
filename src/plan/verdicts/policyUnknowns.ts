import { admittedObjectsOf, admissionMatches, ruleCovers } from "./admittedObjects.ts"
import type { LabelSelector } from "kubernetes-types/meta/v1.js"
import type { AdmissionRule, AdmittedObject } from "./admittedObjects.ts"
import type { Draft } from "../../kubernetes/meta/objects.ts"
import type { WorkloadWithKind } from "../workloads.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { Unknown } from "./unknownKinds.ts"

interface PolicyMatch {
  readonly namespaceSelector?: LabelSelector
  readonly objectSelector?: LabelSelector
  readonly resourceRules?: ReadonlyArray<AdmissionRule>
  readonly excludeResourceRules?: ReadonlyArray<AdmissionRule>
}

type Policy = Draft & { readonly spec?: { readonly matchConstraints?: PolicyMatch } }
type PolicyBinding = Draft & {
  readonly spec?: {
    readonly policyName?: string
    readonly validationActions?: ReadonlyArray<string>
    readonly matchResources?: PolicyMatch
  }
}

const policyKinds = ["MutatingAdmissionPolicy", "ValidatingAdmissionPolicy"] as const

/**
 * A policy has an effect where a binding matches, too, and a validating one only where the binding denies. Source:
 * apiserver/pkg/admission/plugin/policy/{matching/matching.go, validating/dispatcher.go}.
 */
export const policyUnknowns = (
  workload: WorkloadWithKind,
  documents: ReadonlyArray<ManifestDocument>
): ReadonlyArray<Unknown> => {
  const objects = admittedObjectsOf(workload, documents)
  return policyKinds.flatMap((kind) =>
    documents
      .filter((document) => document.kind.kind === kind)
      .flatMap(({ draft }): ReadonlyArray<Unknown> => {
        const { name = "" } = draft.metadata
        const { spec: { matchConstraints = {} } = {} } = draft as Policy
        const bindings = documents
          .filter((document) => document.kind.kind === `${kind}Binding`)
          .map((document) => (document.draft as PolicyBinding).spec ?? {})
          .filter(
            ({ policyName, validationActions = [] }) =>
              policyName === name &&
              (kind === "MutatingAdmissionPolicy" || validationActions.includes("Deny"))
          )
        const matchedObject = objects.find(
          (object) =>
            isConstrained(matchConstraints, object) &&
            bindings.some(({ matchResources = {} }) => isBindingFor(matchResources, object))
        )
        if (matchedObject === undefined) return []
        const verb = kind === "MutatingAdmissionPolicy" ? "may change" : "may refuse"
        // No Pod waits for a policy.
        return [{ kind, text: `${kind}/${name} ${verb} its ${matchedObject.title}`, keepsPending: false }]
      })
  )
}

const isConstrained = (match: PolicyMatch, object: AdmittedObject): boolean => {
  const { resourceRules = [], excludeResourceRules = [] } = match
  return (
    admissionMatches({ ...match, rules: resourceRules }, object) &&
    !excludeResourceRules.some((rule) => ruleCovers(rule, object))
  )
}

/** A binding without rules matches all resources. */
const isBindingFor = (match: PolicyMatch, object: AdmittedObject): boolean => {
  const { resourceRules = [] } = match
  return isConstrained(
    resourceRules.length === 0 ? { ...match, resourceRules: [everyResource] } : match,
    object
  )
}

const everyResource: AdmissionRule = {
  apiGroups: ["*"],
  apiVersions: ["*"],
  operations: ["*"],
  resources: ["*"]
}
