import type { Draft } from "../../../meta/objects.ts"
import { invalidField, noErrors, requiredValue, type FieldErrors } from "../../../validation/fieldErrors.ts"
import { label1035Problems, pathSegmentProblems, subdomainProblems } from "../../../validation/nameRules.ts"
import { validateNameBy, validateOptionalName } from "../../../validation/validateNames.ts"
import { goQuote } from "../../../meta/text/goQuote.ts"

interface ApiServiceDraft extends Draft {
  readonly spec?: {
    readonly group?: string
    readonly version?: string
    readonly groupPriorityMinimum?: number
    readonly versionPriority?: number
    readonly caBundle?: string
    readonly insecureSkipTLSVerify?: boolean
    readonly service?: { readonly namespace?: string; readonly name?: string }
  }
}

/** Source: kube-aggregator/pkg/apis/apiregistration/validation/validation.go. */
export const validateApiService = ({ metadata, spec = {} }: ApiServiceDraft): FieldErrors => {
  const { group = "", version = "", groupPriorityMinimum = 0, versionPriority = 0 } = spec
  const legacyRule = "only v1 may have an empty group and it better be legacy kube"
  return [
    ...validateServiceName(metadata.name, `${version}.${group}`),
    ...(group === "" && version !== "v1" ? [requiredValue("spec.group", legacyRule)] : noErrors),
    ...validateOptionalName(subdomainProblems, group, "spec.group"),
    ...validateNameBy(label1035Problems, version, "spec.version"),
    ...validatePriority(groupPriorityMinimum, 20_000, "spec.groupPriorityMinimum"),
    ...validatePriority(versionPriority, 1000, "spec.versionPriority"),
    ...validateBackend(spec)
  ]
}

const validateServiceName = (name = "", expected: string): FieldErrors =>
  name === "" || name === expected || pathSegmentProblems(name).length > 0
    ? noErrors
    : [invalidField("metadata.name", name, `must be \`spec.version+"."+spec.group\`: ${goQuote(expected)}`)]

/** The limit itself is allowed, although the message says otherwise. */
const validatePriority = (priority: number, max: number, path: string): FieldErrors =>
  priority > 0 && priority <= max
    ? noErrors
    : [invalidField(path, priority, `must be positive and less than ${max}`)]

const validateBackend = (spec: NonNullable<ApiServiceDraft["spec"]>): FieldErrors => {
  const { service, caBundle = "", insecureSkipTLSVerify: isInsecure = false } = spec
  const caBytes = Buffer.from(caBundle, "base64").length
  const insecure = (rule: string): FieldErrors =>
    isInsecure ? [invalidField("spec.insecureSkipTLSVerify", isInsecure, rule)] : noErrors
  if (service === undefined)
    return [
      ...(caBytes > 0
        ? [invalidField("spec.caBundle", `${caBytes} bytes`, "local APIServices may not have a caBundle")]
        : noErrors),
      ...insecure("local APIServices may not have insecureSkipTLSVerify")
    ]
  const { namespace = "", name = "" } = service
  return [
    ...(namespace === "" ? [requiredValue("spec.service.namespace")] : noErrors),
    ...(name === "" ? [requiredValue("spec.service.name")] : noErrors),
    ...(caBytes > 0 ? insecure("may not be true if caBundle is present") : noErrors)
  ]
}
