import type * as Admission from "kubernetes-types/admissionregistration/v1.js"
import type { Draft } from "../../../meta/objects.ts"
import {
  duplicateValue,
  invalidField,
  noErrors,
  requiredValue,
  unsupportedValue,
  validateOptionalOneOf,
  type FieldErrors
} from "../../../validation/fieldErrors.ts"
import { label1035Problems } from "../../../validation/nameRules.ts"
import type { DeepPartial } from "../../../validation/partialTypes.ts"
import { validateLabelSelector } from "../../../validation/validateLabels.ts"
import { validateNameBy, validateQualifiedDomain } from "../../../validation/validateNames.ts"
import { failurePolicies, matchPolicies, validateMatchConditions, validateRule } from "./validateRules.ts"
import { validateClientConfig } from "./validateClientConfig.ts"

interface ConfigurationDraft extends Draft {
  readonly webhooks?: ReadonlyArray<Webhook> | null
}

/** A validating webhook has no `reinvocationPolicy`. */
type Webhook = DeepPartial<Admission.MutatingWebhook>

/** An update need not keep the rules that the stored webhooks break. */
interface WebhookRules {
  readonly noSideEffects: boolean
  readonly knownReviewVersions: boolean
  readonly uniqueNames: boolean
}

const sideEffectFreeValues = ["None", "NoneOnDryRun"]
const reviewVersions = ["v1", "v1beta1"]

/** Source: pkg/apis/admissionregistration/validation/validation.go (validateMutatingWebhook). */
export const validateWebhookConfiguration = ({ webhooks }: ConfigurationDraft): FieldErrors =>
  validateWebhooks(webhooks ?? [], { noSideEffects: true, knownReviewVersions: true, uniqueNames: true })

export const validateWebhookConfigurationUpdate = (
  { webhooks }: ConfigurationDraft,
  { webhooks: stored }: ConfigurationDraft
): FieldErrors => {
  const old = stored ?? []
  return validateWebhooks(webhooks ?? [], {
    noSideEffects: old.every(({ sideEffects = "" }) => sideEffectFreeValues.includes(sideEffects)),
    knownReviewVersions: old.every(
      ({ admissionReviewVersions: versions = [] }) => versions.length === 0 || versions.some(isKnownVersion)
    ),
    uniqueNames: new Set(old.map(({ name }) => name)).size === old.length
  })
}

const isKnownVersion = (version: string): boolean => reviewVersions.includes(version)

const validateWebhooks = (webhooks: ReadonlyArray<Webhook>, webhookRules: WebhookRules): FieldErrors => {
  const names = webhooks.map(({ name = "" }) => name)
  return webhooks.flatMap((webhook, index) => {
    const path = `webhooks[${index}]`
    const name = names[index] ?? ""
    const isRepeated = webhookRules.uniqueNames && name !== "" && names.indexOf(name) < index
    return [
      ...validateWebhook(webhook, path, webhookRules),
      ...validateReviewVersions(webhook, `${path}.admissionReviewVersions`, webhookRules),
      ...(isRepeated ? [duplicateValue(`${path}.name`, name)] : noErrors)
    ]
  })
}

const timeoutRule = "the timeout value must be between 1 and 30 seconds"

const validateWebhook = (webhook: Webhook, path: string, webhookRules: WebhookRules): FieldErrors => {
  const {
    rules = [],
    timeoutSeconds: seconds,
    namespaceSelector,
    objectSelector,
    clientConfig = {}
  } = webhook
  return [
    ...validateQualifiedDomain(webhook.name, `${path}.name`),
    ...rules.flatMap((rule, index) => validateRule(rule, `${path}.rules[${index}]`)),
    ...validateOptionalOneOf(webhook.failurePolicy, failurePolicies, `${path}.failurePolicy`),
    ...validateOptionalOneOf(webhook.matchPolicy, matchPolicies, `${path}.matchPolicy`),
    ...validateSideEffects(webhook.sideEffects, `${path}.sideEffects`, webhookRules),
    ...(seconds !== undefined && (seconds > 30 || seconds < 1)
      ? [invalidField(`${path}.timeoutSeconds`, seconds, timeoutRule)]
      : noErrors),
    ...(namespaceSelector === undefined
      ? noErrors
      : validateLabelSelector(namespaceSelector, `${path}.namespaceSelector`)),
    ...(objectSelector === undefined
      ? noErrors
      : validateLabelSelector(objectSelector, `${path}.objectSelector`)),
    ...validateOptionalOneOf(webhook.reinvocationPolicy, ["IfNeeded", "Never"], `${path}.reinvocationPolicy`),
    ...validateClientConfig(clientConfig, `${path}.clientConfig`),
    ...validateMatchConditions(webhook.matchConditions ?? [], `${path}.matchConditions`)
  ]
}

const validateSideEffects = (
  sideEffects: string | undefined,
  path: string,
  { noSideEffects }: WebhookRules
): FieldErrors => {
  const allowed = noSideEffects ? sideEffectFreeValues : ["None", "NoneOnDryRun", "Some", "Unknown"]
  if (sideEffects === undefined) return [requiredValue(path, `must specify one of ${allowed.join(", ")}`)]
  return allowed.includes(sideEffects) ? noErrors : [unsupportedValue(path, sideEffects, allowed)]
}

const validateReviewVersions = (
  { admissionReviewVersions: versions = [] }: Webhook,
  path: string,
  { knownReviewVersions }: WebhookRules
): FieldErrors => {
  const known = reviewVersions.join(", ")
  if (versions.length === 0) return [requiredValue(path, `must specify one of ${known}`)]
  return [
    ...versions.flatMap((version, index) =>
      versions.indexOf(version) < index
        ? [invalidField(`${path}[${index}]`, version, "duplicate version")]
        : validateNameBy(label1035Problems, version, `${path}[${index}]`)
    ),
    ...(knownReviewVersions && !versions.some(isKnownVersion)
      ? [invalidField(path, versions, `must include at least one of ${known}`)]
      : noErrors)
  ]
}
