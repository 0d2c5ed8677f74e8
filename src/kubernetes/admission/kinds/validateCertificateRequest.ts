import type * as Certificates from "kubernetes-types/certificates/v1.js"
import { approvalConditionTypes } from "../../core/certificateRequests.ts"
import type { CertificateRequestCondition, CertificateRequestStatus } from "../../core/certificateRequests.ts"
import type { Draft } from "../../meta/objects.ts"
import {
  duplicateValue,
  forbiddenField,
  invalidField,
  noErrors,
  unsupportedValue,
  requiredValue,
  valueTooLong,
  type FieldErrors
} from "../../validation/fieldErrors.ts"
import { labelProblems, subdomainProblems, type NameProblems } from "../../validation/nameRules.ts"
import { isEqualIgnoringEmpty } from "../../validation/structuralSharing.ts"
import { goQuote } from "../../meta/text/goQuote.ts"
import type { ShallowPartial } from "../../validation/partialTypes.ts"

interface RequestDraft extends Draft {
  readonly spec?: ShallowPartial<Certificates.CertificateSigningRequestSpec> & {
    readonly expirationSeconds?: number
  }
  readonly status?: CertificateRequestStatus
}

/**
 * Unlike Kubernetes, only the types of PEM blocks are checked. Source:
 * pkg/apis/certificates/validation/validation.go.
 */
export const validateCertificateRequest = ({ spec = {} }: RequestDraft): FieldErrors => {
  const { request, usages = [], signerName = "", expirationSeconds } = spec
  return [
    ...(pemTypes(request ?? "")[0] === "CERTIFICATE REQUEST"
      ? noErrors
      : [invalidField("spec.request", request, "PEM block type must be CERTIFICATE REQUEST")]),
    ...usageErrors(usages),
    ...signerNameErrors(signerName),
    ...(expirationSeconds === undefined || expirationSeconds >= expirationSecondsMin
      ? noErrors
      : [invalidField("spec.expirationSeconds", expirationSeconds, expirationTooShort)])
  ]
}

const expirationSecondsMin = 600
const expirationTooShort = "may not specify a duration less than 600 seconds (10 minutes)"

const pemTypes = (base64: string): ReadonlyArray<string> => {
  const text = Buffer.from(base64, "base64").toString("latin1")
  const blocks = text.matchAll(/^-----BEGIN ([^\n]*)-----[ \t\r]*\n[^]*?^-----END \1-----/gm)
  return Array.from(blocks, ([, type = ""]) => type)
}

const usageErrors = (usages: ReadonlyArray<string>): FieldErrors => {
  if (usages.length === 0) return [requiredValue("spec.usages")]
  const path = (index: number): string => `spec.usages[${index}]`
  return [
    ...usages.flatMap((usage, index) =>
      knownUsages.includes(usage) ? [] : [unsupportedValue(path(index), usage, knownUsages)]
    ),
    ...usages.flatMap((usage, index) =>
      usages.indexOf(usage) === index ? [] : [duplicateValue(path(index), usage)]
    )
  ]
}

const knownUsages: ReadonlyArray<string> = [
  "any",
  "cert sign",
  "client auth",
  "code signing",
  "content commitment",
  "crl sign",
  "data encipherment",
  "decipher only",
  "digital signature",
  "email protection",
  "encipher only",
  "ipsec end system",
  "ipsec tunnel",
  "ipsec user",
  "key agreement",
  "key encipherment",
  "microsoft sgc",
  "netscape sgc",
  "ocsp signing",
  "s/mime",
  "server auth",
  "signing",
  "timestamping"
]

const domainLengthMax = 253
/** The length of a domain, a slash, a namespace, a dot and an object's name. */
const signerLengthMax = 571
const legacySigner = "kubernetes.io/legacy-unknown"

const signerNameErrors = (name: string): FieldErrors => {
  const path = "spec.signerName"
  if (name === legacySigner) {
    return [invalidField(path, name, "the legacy signerName is not allowed via this API version")]
  }
  if (name === "") return [requiredValue(path)]
  const [domain = "", signer = "", ...more] = name.split("/")
  if (!name.includes("/") || more.length > 0) {
    const form = "must be a fully qualified domain and path of the form 'example.com/signer-name'"
    return [invalidField(path, name, form)]
  }
  return [
    ...(domain.length > domainLengthMax ? [valueTooLong(path, domainLengthMax)] : noErrors),
    ...firstLabelErrors(domain, labelProblems),
    ...(domain.includes(".")
      ? noErrors
      : [invalidField(path, domain, "should be a domain with at least two segments separated by dots")]),
    ...firstLabelErrors(signer, subdomainProblems),
    ...(name.length > signerLengthMax ? [valueTooLong(path, signerLengthMax)] : noErrors)
  ]
}

const firstLabelErrors = (text: string, problemsOf: (label: string) => NameProblems): FieldErrors => {
  const invalidLabel = text.split(".").find((label) => problemsOf(label).length > 0)
  if (invalidLabel === undefined) return noErrors
  return problemsOf(invalidLabel).map((problem) =>
    invalidField("spec.signerName", text, `validating label ${goQuote(invalidLabel)}: ${problem}`)
  )
}

/** `isApproval` is true for the `approval` subresource. */
export const validateCertificateRequestStatus = (
  { status = {} }: RequestDraft,
  { status: old = {} }: RequestDraft,
  isApproval: boolean
): FieldErrors => {
  const { conditions = [] } = status
  return [
    ...conditionErrors(conditions),
    ...certificateErrors(status.certificate, old.certificate),
    ...changedConditionErrors(conditions, old.conditions ?? [], isApproval)
  ]
}

const conditionsPath = "status.conditions"
const exclusiveMessage = "Approved and Denied conditions are mutually exclusive"
const trueOnly: ReadonlyArray<string> = ["True"]
const anyStatus: ReadonlyArray<string> = ["False", "True", "Unknown"]
/** Conditions that can only be True and are never removed. */
const finalTypes: ReadonlyArray<string> = [...approvalConditionTypes, "Failed"]

const conditionErrors = (conditions: ReadonlyArray<Partial<CertificateRequestCondition>>): FieldErrors => {
  const types = conditions.map(({ type = "" }) => type)
  return conditions.flatMap(({ status = "" }, index) => {
    const path = `${conditionsPath}[${index}]`
    const [type = "", earlier] = [types[index], types.slice(0, index)]
    const allowed = finalTypes.includes(type) ? trueOnly : anyStatus
    const isContradiction =
      approvalConditionTypes.includes(type) &&
      approvalConditionTypes.some((it) => it !== type && earlier.includes(it))
    return [
      ...(type === "" ? [requiredValue(`${path}.type`)] : noErrors),
      ...(status === ""
        ? [requiredValue(`${path}.status`)]
        : allowed.includes(status)
          ? noErrors
          : [unsupportedValue(`${path}.status`, status, allowed)]),
      ...(isContradiction ? [invalidField(`${path}.type`, type, exclusiveMessage)] : noErrors),
      ...(earlier.includes(type) ? [duplicateValue(`${path}.type`, type)] : noErrors)
    ]
  })
}

const certificateErrors = (certificate = "", before = ""): FieldErrors => {
  if (certificate === before) return noErrors
  const path = "status.certificate"
  const types = certificate === "" ? [] : pemTypes(certificate)
  const other = types.find((type) => type !== "CERTIFICATE")
  const why =
    other !== undefined
      ? `only CERTIFICATE PEM blocks are allowed, found ${goQuote(other)}`
      : types.length === 0 && certificate !== ""
        ? "must contain at least one CERTIFICATE PEM block"
        : undefined
  return [
    ...(why === undefined ? noErrors : [invalidField(path, "<certificate data>", why)]),
    ...(before === ""
      ? noErrors
      : [forbiddenField(path, "updates may not modify existing certificate content")])
  ]
}

const changedConditionErrors = (
  conditions: ReadonlyArray<CertificateRequestCondition>,
  oldConditions: ReadonlyArray<CertificateRequestCondition>,
  isApproval: boolean
): FieldErrors => {
  const changes = finalTypes.map((type) => {
    const [now, stored] = [conditions, oldConditions].map((list) => list.filter((it) => it.type === type))
    return { type, now: now ?? [], stored: stored ?? [] }
  })
  const forbiddenChange = (verb: string, type: string) =>
    forbiddenField(conditionsPath, `updates may not ${verb} a condition of type ${goQuote(type)}`)
  const approvalChanges = isApproval
    ? []
    : changes.filter(({ type }) => approvalConditionTypes.includes(type))
  return [
    ...changes
      .filter(({ now, stored }) => now.length < stored.length)
      .map(({ type }) => forbiddenChange("remove", type)),
    ...approvalChanges.flatMap(({ type, now, stored }) => {
      if (now.length > stored.length) return [forbiddenChange("add", type)]
      return now.length === stored.length && !isEqualIgnoringEmpty(now, stored)
        ? [forbiddenChange("modify", type)]
        : []
    })
  ]
}
