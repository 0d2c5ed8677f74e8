import type { Lifecycle, LifecycleHandler, Probe } from "kubernetes-types/core/v1.js"
import {
  forbidden,
  invalid,
  noErrors,
  nonNegative,
  notSupported,
  required,
  type FieldError,
  type FieldErrors
} from "./fieldErrors.ts"
import { validatePortReference } from "./ports.ts"
import type { Loose } from "./sharing.ts"

/**
 * Probes and lifecycle hooks: exactly one way to ask, and counts that make sense.
 *
 * Source: pkg/apis/core/validation/validation.go (validateProbe, validateHandler).
 */
type Handler = Loose<Probe & LifecycleHandler>

/** Liveness and startup probes act on the first success; more than one cannot be asked for. */
export const validateRestartingProbe = (probe: Probe | undefined, path: string): FieldErrors => {
  if (probe === undefined) return noErrors
  const errors = validateProbe(probe, path)
  const successes = probe.successThreshold ?? 1
  return successes === 1 ? errors : [...errors, invalid(`${path}.successThreshold`, successes, "must be 1")]
}

export const validateReadinessProbe = (probe: Probe | undefined, path: string): FieldErrors => {
  if (probe === undefined) return noErrors
  const errors = validateProbe(probe, path)
  const seconds = probe.terminationGracePeriodSeconds
  if (seconds === undefined) return errors
  const field = `${path}.terminationGracePeriodSeconds`
  return [...errors, invalid(field, seconds, "must not be set for readinessProbes")]
}

const countFields = [
  "initialDelaySeconds",
  "timeoutSeconds",
  "periodSeconds",
  "successThreshold",
  "failureThreshold"
] as const

const validateProbe = (probe: Probe, path: string): FieldErrors => {
  const errors = [...validateHandler(probe, path)]
  for (const field of countFields) errors.push(...nonNegative(`${path}.${field}`, probe[field]))
  const seconds = probe.terminationGracePeriodSeconds
  if (seconds !== undefined && seconds <= 0) {
    errors.push(invalid(`${path}.terminationGracePeriodSeconds`, seconds, "must be greater than 0"))
  }
  return errors
}

export const validateLifecycle = (lifecycle: Lifecycle | undefined, path: string): FieldErrors => {
  if (lifecycle === undefined) return noErrors
  const { postStart, preStop } = lifecycle
  return [
    ...(postStart === undefined ? noErrors : validateHandler(postStart, `${path}.postStart`)),
    ...(preStop === undefined ? noErrors : validateHandler(preStop, `${path}.preStop`))
  ]
}

const ruleByHandler: ReadonlyArray<
  readonly [keyof Handler, (handler: Handler, path: string) => FieldErrors]
> = [
  [
    "exec",
    ({ exec }, path) => ((exec?.command ?? []).length === 0 ? [required(`${path}.command`)] : noErrors)
  ],
  ["httpGet", (handler, path) => validateHttpGet(handler, path)],
  ["tcpSocket", ({ tcpSocket }, path) => validatePortReference(tcpSocket?.port, `${path}.port`)],
  ["grpc", ({ grpc }, path) => validatePortReference(grpc?.port, `${path}.port`)],
  ["sleep", () => noErrors]
]

const validateHandler = (handler: Handler, path: string): FieldErrors => {
  const errors: Array<FieldError> = []
  let count = 0
  for (const [field, rule] of ruleByHandler) {
    if (handler[field] === undefined) continue
    count += 1
    if (count > 1) errors.push(forbidden(`${path}.${field}`, "may not specify more than 1 handler type"))
    else errors.push(...rule(handler, `${path}.${field}`))
  }
  return count === 0 ? [required(path, "must specify a handler type")] : errors
}

const schemes: ReadonlyArray<string> = ["HTTP", "HTTPS"]

const validateHttpGet = ({ httpGet }: Handler, path: string): FieldErrors => {
  const { path: urlPath = "", port, scheme = "" } = httpGet ?? {}
  return [
    ...(urlPath === "" ? [required(`${path}.path`)] : noErrors),
    ...validatePortReference(port, `${path}.port`),
    ...(schemes.includes(scheme) ? noErrors : [notSupported(`${path}.scheme`, scheme, schemes)])
  ]
}
