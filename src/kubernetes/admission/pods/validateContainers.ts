import type { Container } from "kubernetes-types/core/v1.js"
import { validateEnv, validateEnvFrom } from "./validateEnv.ts"
import {
  duplicateValue,
  forbiddenField,
  invalidField,
  noErrors,
  validateRequiredOneOf,
  requiredValue,
  type FieldError,
  type FieldErrors
} from "../../validation/fieldErrors.ts"
import { labelProblems } from "../../validation/nameRules.ts"
import { validateHostPorts, validatePorts } from "./validatePorts.ts"
import { validateLifecycle, validateReadinessProbe, validateRestartingProbe } from "./validateProbes.ts"
import { validateUsedClaims } from "./validatePodResourceClaims.ts"
import { validateContainerRestartPolicy } from "./validateRestartPolicy.ts"
import { validateResources } from "./validateResources.ts"
import { validateContainerSecurityContext } from "./validateSecurityContext.ts"
import type { ShallowPartial } from "../../validation/partialTypes.ts"
import { validateVolumeMounts } from "./volumes/validateVolumeMounts.ts"

/** Source: pkg/apis/core/validation/validation.go (validateContainers, validateInitContainers). */
interface PodContext {
  readonly volumeNames: ReadonlySet<string>
  readonly claimNames: ReadonlySet<string>
  readonly scope: PodScope
  /** The grace period, which the sleep of a lifecycle hook must not exceed. */
  readonly graceSeconds: number | undefined
}

/** Some rules do not hold for templates. */
export type PodScope = "pod" | "template"

type Containers = ReadonlyArray<ShallowPartial<Container>>

export const validateContainers = (
  containers: Containers,
  { path, ...podContext }: PodContext & { readonly path: string }
): FieldErrors => {
  if (containers.length === 0) return [requiredValue(path)]
  const errors: Array<FieldError> = []
  const names = new Set<string>()
  for (const [index, container] of containers.entries()) {
    const field = `${path}[${index}]`
    errors.push(...validateContainer(container, { ...podContext, path: field }))
    errors.push(...validateUnique(container.name, { path: field, names }))
    names.add(container.name ?? "")
    errors.push(...validateHooksAndProbes(container, field, podContext))
    errors.push(...validateContainerRestartPolicy(container, field))
  }
  errors.push(...validateHostPorts(containers, path))
  return errors
}

export const validateInitContainers = (
  initContainers: Containers,
  options: PodContext & { readonly path: string; readonly containers: Containers }
): FieldErrors => {
  const { path, containers, ...podContext } = options
  const errors: Array<FieldError> = []
  const names = new Set(containers.map(({ name = "" }) => name))
  for (const [index, container] of initContainers.entries()) {
    const field = `${path}[${index}]`
    errors.push(...validateContainer(container, { ...podContext, path: field }))
    errors.push(...validateContainerRestartPolicy(container, field))
    errors.push(...validateUnique(container.name, { path: field, names }))
    if (container.name) names.add(container.name)
    // Init containers run one by one, so ports may repeat. As in Kubernetes, the path is always
    // that of the first init container.
    errors.push(...validateHostPorts([container], path))
    errors.push(
      ...(container.restartPolicy === "Always"
        ? validateHooksAndProbes(container, field, podContext)
        : forbidHooksAndProbes(container, field))
    )
  }
  return errors
}

const validateUnique = (
  name = "",
  { path, names }: { readonly path: string; readonly names: ReadonlySet<string> }
): FieldErrors => (names.has(name) ? [duplicateValue(`${path}.name`, name)] : noErrors)

const pullPolicies: ReadonlyArray<string> = ["Always", "IfNotPresent", "Never"]
const messagePolicies: ReadonlyArray<string> = ["File", "FallbackToLogsOnError"]

export const validateContainer = (
  container: ShallowPartial<Container>,
  { path, volumeNames, claimNames, scope }: PodContext & { readonly path: string }
): FieldErrors => [
  ...validateName(container.name, `${path}.name`),
  ...validateImage(container.image, { path: `${path}.image`, scope }),
  ...validateRequiredOneOf(
    container.terminationMessagePolicy,
    messagePolicies,
    `${path}.terminationMessagePolicy`
  ),
  ...validatePorts(container.ports, `${path}.ports`),
  ...validateEnv(container.env, `${path}.env`),
  ...validateEnvFrom(container.envFrom, `${path}.envFrom`),
  ...validateVolumeMounts(container, { path: `${path}.volumeMounts`, volumeNames }),
  ...validateRequiredOneOf(container.imagePullPolicy, pullPolicies, `${path}.imagePullPolicy`),
  ...validateResources(container.resources, `${path}.resources`),
  ...validateUsedClaims(container.resources, { path: `${path}.resources.claims`, claimNames }),
  ...validateContainerSecurityContext(container.securityContext, `${path}.securityContext`)
]

const validateName = (name = "", path: string): FieldErrors =>
  name === ""
    ? [requiredValue(path)]
    : labelProblems(name).map((problem) => invalidField(path, name, problem))

const validateImage = (
  image = "",
  { path, scope }: { readonly path: string; readonly scope: PodScope }
): FieldErrors => {
  if (image === "") return [requiredValue(path)]
  if (scope === "template" || image === image.trim()) return noErrors
  return [invalidField(path, image, "must not have leading or trailing whitespace")]
}

const validateHooksAndProbes = (
  container: ShallowPartial<Container>,
  path: string,
  { graceSeconds }: PodContext
): FieldErrors => [
  ...validateLifecycle(container.lifecycle, { path: `${path}.lifecycle`, graceSeconds }),
  ...validateRestartingProbe(container.livenessProbe, `${path}.livenessProbe`),
  ...validateReadinessProbe(container.readinessProbe, `${path}.readinessProbe`),
  ...validateRestartingProbe(container.startupProbe, `${path}.startupProbe`)
]

const hookAndProbeFields = ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const

const forbidHooksAndProbes = (container: ShallowPartial<Container>, path: string): FieldErrors =>
  hookAndProbeFields
    .filter((field) => container[field] !== undefined)
    .map((field) =>
      forbiddenField(`${path}.${field}`, "may not be set for init containers without restartPolicy=Always")
    )
