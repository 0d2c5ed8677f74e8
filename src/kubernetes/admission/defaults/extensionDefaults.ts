import { fillField, fillComputed, fillMissingOrZero, type FieldDefault } from "./fieldDefaults.ts"

/**
 * Source: defaults.go in pkg/apis/admissionregistration/v1, pkg/apis/flowcontrol/v1,
 * kube-aggregator/pkg/apis/apiregistration/v1.
 */

const httpsPort = 443

const webhooks: ReadonlyArray<FieldDefault> = [
  fillField("webhooks[].failurePolicy", "Fail"),
  fillField("webhooks[].matchPolicy", "Equivalent"),
  fillField("webhooks[].namespaceSelector", {}),
  fillField("webhooks[].objectSelector", {}),
  fillField("webhooks[].timeoutSeconds", 10),
  fillField("webhooks[].rules[].scope", "*"),
  fillField("webhooks[].clientConfig.service.port", httpsPort)
]

const matchResources = (path: string): ReadonlyArray<FieldDefault> => [
  fillField(`${path}.matchPolicy`, "Equivalent"),
  fillField(`${path}.namespaceSelector`, {}),
  fillField(`${path}.objectSelector`, {}),
  fillField(`${path}.resourceRules[].scope`, "*"),
  fillField(`${path}.excludeResourceRules[].scope`, "*")
]

const policy: ReadonlyArray<FieldDefault> = [
  fillField("spec", {}),
  fillField("spec.failurePolicy", "Fail"),
  ...matchResources("spec.matchConstraints")
]

const policyBinding: ReadonlyArray<FieldDefault> = [
  fillField("spec", {}),
  ...matchResources("spec.matchResources")
]

export const extensionDefaults: Readonly<Record<string, ReadonlyArray<FieldDefault>>> = {
  "admissionregistration.k8s.io/ValidatingWebhookConfiguration": webhooks,
  "admissionregistration.k8s.io/MutatingWebhookConfiguration": [
    ...webhooks,
    fillField("webhooks[].reinvocationPolicy", "Never")
  ],
  "admissionregistration.k8s.io/ValidatingAdmissionPolicy": policy,
  "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding": policyBinding,
  "admissionregistration.k8s.io/MutatingAdmissionPolicy": policy,
  "admissionregistration.k8s.io/MutatingAdmissionPolicyBinding": policyBinding,
  "apiregistration.k8s.io/APIService": [fillField("spec", {}), fillField("spec.service.port", httpsPort)],
  "flowcontrol.apiserver.k8s.io/FlowSchema": [
    fillField("spec", {}),
    fillMissingOrZero("spec.matchingPrecedence", 1000)
  ],
  "flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration": [
    fillField("spec", {}),
    fillComputed("spec.exempt", ({ type }) => (type === "Exempt" ? {} : undefined)),
    fillField("spec.exempt.nominalConcurrencyShares", 0),
    fillField("spec.exempt.lendablePercent", 0),
    fillField("spec.limited.nominalConcurrencyShares", 30),
    fillField("spec.limited.lendablePercent", 0),
    fillMissingOrZero("spec.limited.limitResponse.queuing.queues", 64),
    fillMissingOrZero("spec.limited.limitResponse.queuing.handSize", 8),
    fillMissingOrZero("spec.limited.limitResponse.queuing.queueLengthLimit", 50)
  ]
}
