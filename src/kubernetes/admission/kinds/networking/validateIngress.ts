import type * as Networking from "kubernetes-types/networking/v1.js"
import type { Draft } from "../../../meta/objects.ts"
import { parseIp } from "../../../validation/addresses.ts"
import {
  invalidField,
  noErrors,
  requiredValue,
  unsupportedValue,
  type FieldErrors
} from "../../../validation/fieldErrors.ts"
import { labelProblems, subdomainProblems, wildcardProblems } from "../../../validation/nameRules.ts"
import type { DeepPartial } from "../../../validation/partialTypes.ts"
import {
  validateNameBy,
  validateOptionalName,
  validateRequiredName
} from "../../../validation/validateNames.ts"
import { validatePortNumber, validatePortReference } from "../../pods/validatePorts.ts"
import { validateObjectReference } from "./validateIngressClass.ts"

interface IngressDraft extends Draft {
  readonly spec?: IngressSpec
}

type IngressSpec = DeepPartial<Networking.IngressSpec>
type Backend = DeepPartial<Networking.IngressBackend>
type Rule = DeepPartial<Networking.IngressRule>

/** Only the number of these errors counts. */
const unusedPath = ""

const classAnnotation = "kubernetes.io/ingress.class"

/** An update may keep the invalid parts of the stored Ingress. */
interface Allowances {
  readonly invalidSecretNames: boolean
  readonly invalidWildcardRules: boolean
}

/** Source: pkg/apis/networking/validation/validation.go (ValidateIngressCreate). */
export const validateIngress = (ingress: IngressDraft): FieldErrors => {
  const { metadata, spec = {} } = ingress
  const annotated = metadata.annotations?.[classAnnotation]
  const { ingressClassName } = spec
  const isContradiction =
    annotated !== undefined && ingressClassName !== undefined && annotated !== ingressClassName
  const rule = "must match `ingressClassName` when both are specified"
  return [
    ...validateSpec(spec, { invalidSecretNames: false, invalidWildcardRules: false }),
    ...(isContradiction ? [invalidField(`annotations.${classAnnotation}`, annotated, rule)] : noErrors)
  ]
}

export const validateIngressUpdate = (
  { spec = {} }: IngressDraft,
  { spec: old = {} }: IngressDraft
): FieldErrors =>
  validateSpec(spec, {
    invalidSecretNames: (old.tls ?? []).some(
      ({ secretName }) => secretErrors(secretName, unusedPath).length > 0
    ),
    invalidWildcardRules: (old.rules ?? []).some(
      (rule) => (rule.host ?? "").includes("*") && validateHttp(rule, unusedPath).length > 0
    )
  })

const validateSpec = (spec: IngressSpec, allowed: Allowances): FieldErrors => {
  const { rules = [], tls = [], defaultBackend, ingressClassName } = spec
  return [
    ...(rules.length === 0 && defaultBackend === undefined
      ? [invalidField("spec", spec.rules, "either `defaultBackend` or `rules` must be specified")]
      : noErrors),
    ...(defaultBackend === undefined ? noErrors : validateBackend(defaultBackend, "spec.defaultBackend")),
    ...rules.flatMap((rule, index) => validateRule(rule, `spec.rules[${index}]`, allowed)),
    ...tls.flatMap(({ hosts = [], secretName }, index) => [
      ...hosts.flatMap((host, hostIndex) => validateHost(host, `spec.tls[${index}].hosts[${hostIndex}]`)),
      ...(allowed.invalidSecretNames ? noErrors : secretErrors(secretName, `spec.tls[${index}].secretName`))
    ]),
    ...(ingressClassName === undefined
      ? noErrors
      : validateNameBy(subdomainProblems, ingressClassName, "spec.ingressClassName"))
  ]
}

const secretErrors = (name: string | undefined, path: string): FieldErrors =>
  validateOptionalName(subdomainProblems, name, path)

const validateHost = (host: string, path: string): FieldErrors =>
  validateNameBy(host.includes("*") ? wildcardProblems : subdomainProblems, host, path)

const validateRule = (rule: Rule, path: string, allowed: Allowances): FieldErrors => {
  const { host = "" } = rule
  const isAddress = host !== "" && parseIp(host) !== undefined
  return [
    ...(isAddress ? [invalidField(`${path}.host`, host, "must be a DNS name, not an IP address")] : noErrors),
    ...(host === "" ? noErrors : validateHost(host, `${path}.host`)),
    ...(host.includes("*") && allowed.invalidWildcardRules ? noErrors : validateHttp(rule, path))
  ]
}

const validateHttp = ({ http }: Rule, path: string): FieldErrors => {
  if (http === undefined) return noErrors
  const { paths = [] } = http
  return paths.length === 0
    ? [requiredValue(`${path}.http.paths`)]
    : paths.flatMap((httpPath, index) => validatePath(httpPath, `${path}.http.paths[${index}]`))
}

const pathTypes = ["Exact", "ImplementationSpecific", "Prefix"]
const refusedSequences = ["//", "/./", "/../", "%2f", "%2F"]
const refusedEndings = ["/..", "/."]

const validatePath = (
  { pathType, path: text = "", backend = {} }: DeepPartial<Networking.HTTPIngressPath>,
  path: string
): FieldErrors => {
  if (pathType === undefined) return [requiredValue(`${path}.pathType`, "pathType must be specified")]
  const invalidPath = (why: string) => invalidField(`${path}.path`, text, why)
  const isKnown = pathTypes.includes(pathType)
  const isImplementationSpecific = pathType === "ImplementationSpecific"
  return [
    ...(isKnown ? noErrors : [unsupportedValue(`${path}.pathType`, pathType, pathTypes)]),
    ...(isKnown && !text.startsWith("/") && !(isImplementationSpecific && text === "")
      ? [invalidPath("must be an absolute path")]
      : noErrors),
    ...(isKnown && !isImplementationSpecific
      ? [
          ...refusedSequences
            .filter((sequence) => text.includes(sequence))
            .map((sequence) => invalidPath(`must not contain '${sequence}'`)),
          ...refusedEndings
            .filter((ending) => text.endsWith(ending))
            .map((ending) => invalidPath(`cannot end with '${ending}'`))
        ]
      : noErrors),
    ...validateBackend(backend, `${path}.backend`)
  ]
}

const validateBackend = ({ resource, service }: Backend, path: string): FieldErrors => {
  if (resource !== undefined && service !== undefined)
    return [invalidField(path, "", "cannot set both resource and service backends")]
  if (resource !== undefined) return validateObjectReference(resource, `${path}.resource`)
  if (service === undefined) return [invalidField(path, "", "resource or service backend is required")]
  const { name = "", number = 0 } = service.port ?? {}
  return [
    ...validateRequiredName(labelProblems, service.name, { path: `${path}.service.name` }),
    ...(name !== "" && number !== 0
      ? [invalidField(path, "", "cannot set both port name & port number")]
      : name !== ""
        ? validatePortReference(name, `${path}.service.port.name`)
        : number !== 0
          ? validatePortNumber(number, `${path}.service.port.number`)
          : [requiredValue(path, "port name or number is required")])
  ]
}
