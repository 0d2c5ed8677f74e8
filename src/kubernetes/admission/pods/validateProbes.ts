import type {
  ExecAction,
  GRPCAction,
  HTTPGetAction,
  HTTPHeader,
  Lifecycle,
  LifecycleHandler,
  Probe,
  SleepAction,
  TCPSocketAction
} from "kubernetes-types/core/v1.js"
import {
  forbiddenField,
  invalidField,
  noErrors,
  validateNonNegative,
  validateRequiredOneOf,
  requiredValue,
  type FieldErrors
} from "../../validation/fieldErrors.ts"
import { validatePortReference } from "./validatePorts.ts"
import type { ShallowPartial } from "../../validation/partialTypes.ts"

/** Source: pkg/apis/core/validation/validation.go (validateProbe, validateHandler). */
type Handler = ShallowPartial<Probe & LifecycleHandler>

/** Liveness and startup probes, which restart containers, need a success threshold of 1. */
export const validateRestartingProbe = (probe: Probe | undefined, path: string): FieldErrors => {
  if (probe === undefined) return noErrors
  const errors = validateProbe(probe, path)
  const { successThreshold } = probe
  return successThreshold === 1
    ? errors
    : [...errors, invalidField(`${path}.successThreshold`, successThreshold, "must be 1")]
}

export const validateReadinessProbe = (probe: Probe | undefined, path: string): FieldErrors => {
  if (probe === undefined) return noErrors
  const errors = validateProbe(probe, path)
  const seconds = probe.terminationGracePeriodSeconds
  if (seconds === undefined) return errors
  const field = `${path}.terminationGracePeriodSeconds`
  return [...errors, invalidField(field, seconds, "must not be set for readinessProbes")]
}

const nonNegativeFields = [
  "initialDelaySeconds",
  "timeoutSeconds",
  "periodSeconds",
  "successThreshold",
  "failureThreshold"
] as const

const validateProbe = (probe: Probe, path: string): FieldErrors => {
  const errors = [...validateHandler(probe, path)]
  for (const field of nonNegativeFields) errors.push(...validateNonNegative(`${path}.${field}`, probe[field]))
  const seconds = probe.terminationGracePeriodSeconds
  if (seconds !== undefined && seconds <= 0) {
    errors.push(invalidField(`${path}.terminationGracePeriodSeconds`, seconds, "must be greater than 0"))
  }
  return errors
}

export const validateLifecycle = (
  lifecycle: Lifecycle | undefined,
  { path, graceSeconds }: { readonly path: string; readonly graceSeconds: number | undefined }
): FieldErrors => {
  if (lifecycle === undefined) return noErrors
  const { postStart, preStop } = lifecycle
  return [
    ...(postStart === undefined ? noErrors : validateHandler(postStart, `${path}.postStart`, graceSeconds)),
    ...(preStop === undefined ? noErrors : validateHandler(preStop, `${path}.preStop`, graceSeconds))
  ]
}

const validateHandler = (handler: Handler, path: string, graceSeconds?: number): FieldErrors => {
  const { exec, httpGet, tcpSocket, grpc, sleep } = handler
  const [first, ...others] = [
    ...handlerAction("exec", exec, validateExec),
    ...handlerAction("httpGet", httpGet, validateHttpGet),
    ...handlerAction("tcpSocket", tcpSocket, validatePort),
    ...handlerAction("grpc", grpc, validatePort),
    ...handlerAction("sleep", sleep, (action, field) => validateSleep(action, field, graceSeconds))
  ]
  if (first === undefined) return [requiredValue(path, "must specify a handler type")]
  return [
    ...first.problems(`${path}.${first.field}`),
    ...others.map(({ field }) =>
      forbiddenField(`${path}.${field}`, "may not specify more than 1 handler type")
    )
  ]
}

/** A sleep may last the whole grace period, although the message says "less than". */
const validateSleep = (
  { seconds = 0 }: ShallowPartial<SleepAction>,
  path: string,
  graceSeconds: number | undefined
): FieldErrors =>
  graceSeconds === undefined || (seconds >= 0 && seconds <= graceSeconds)
    ? noErrors
    : [
        invalidField(
          path,
          seconds,
          `must be non-negative and less than terminationGracePeriodSeconds (${graceSeconds})`
        )
      ]

interface HandlerAction {
  readonly field: string
  readonly problems: (path: string) => FieldErrors
}

const handlerAction = <T>(
  field: string,
  action: T | undefined,
  rule: (action: T, path: string) => FieldErrors
): ReadonlyArray<HandlerAction> =>
  action === undefined ? [] : [{ field, problems: (path) => rule(action, path) }]

const validateExec = ({ command = [] }: ExecAction, path: string): FieldErrors =>
  command.length === 0 ? [requiredValue(`${path}.command`)] : noErrors

const validatePort = ({ port }: ShallowPartial<TCPSocketAction | GRPCAction>, path: string): FieldErrors =>
  validatePortReference(port, `${path}.port`)

const schemes: ReadonlyArray<string> = ["HTTP", "HTTPS"]

const headerRule =
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')"

const validateHttpGet = (
  { port, scheme, httpHeaders = [] }: ShallowPartial<HTTPGetAction>,
  path: string
): FieldErrors => [
  ...validatePortReference(port, `${path}.port`),
  ...validateRequiredOneOf(scheme, schemes, `${path}.scheme`),
  ...httpHeaders.flatMap(({ name = "" }: ShallowPartial<HTTPHeader>) =>
    /^[-A-Za-z0-9]+$/u.test(name) ? [] : [invalidField(`${path}.httpHeaders`, name, headerRule)]
  )
]
