import type * as Core from "kubernetes-types/core/v1.js"
import {
  duplicateValue,
  invalidField,
  noErrors,
  requiredValue,
  unsupportedValue,
  validateOptionalOneOf,
  type FieldErrors
} from "../../validation/fieldErrors.ts"
import type { ShallowPartial } from "../../validation/partialTypes.ts"

/**
 * Source: pkg/apis/core/validation/validation.go (ValidatePodSecurityContext,
 * ValidateSecurityContext).
 */
export const validatePodSecurityContext = (
  { securityContext, hostPID, hostIPC, hostNetwork, shareProcessNamespace }: ShallowPartial<Core.PodSpec>,
  path: string
): FieldErrors => [
  // The path is right: in Kubernetes' internal type, these fields are in the security context.
  ...(hostPID === true && shareProcessNamespace === true
    ? [
        invalidField(
          `${path}.shareProcessNamespace`,
          true,
          "ShareProcessNamespace and HostPID cannot both be enabled"
        )
      ]
    : noErrors),
  ...(securityContext === undefined
    ? noErrors
    : [
        ...validatePodContext(securityContext, path),
        ...validateSysctls(securityContext.sysctls, `${path}.sysctls`, { hostIPC, hostNetwork })
      ])
]

const sysctlLengthMax = 253
const sysctlPartFormat = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
const sysctlFormat = `(${sysctlPartFormat}[\\./])*${sysctlPartFormat}`
const sysctlShape = new RegExp(`^${sysctlFormat}$`)
const sysctlRule = `must have at most ${sysctlLengthMax} characters and match regex ${sysctlFormat}`

/** Source: pkg/apis/core/validation/validation.go (validateSysctls). */
const validateSysctls = (
  sysctls: ReadonlyArray<ShallowPartial<Core.Sysctl>> = [],
  path: string,
  host: Pick<ShallowPartial<Core.PodSpec>, "hostIPC" | "hostNetwork">
): FieldErrors => {
  const names = new Set<string>()
  return sysctls.flatMap(({ name = "" }, index) => {
    const field = `${path}[${index}].name`
    const isRepeated = names.has(name)
    names.add(name)
    const namespaceField = hostFieldOfSysctl(name)
    return [
      ...(name === ""
        ? [requiredValue(field)]
        : name.length > sysctlLengthMax || !sysctlShape.test(name)
          ? [invalidField(field, name, sysctlRule)]
          : isRepeated
            ? [duplicateValue(field, name)]
            : noErrors),
      ...(namespaceField !== undefined && host[namespaceField] === true
        ? [invalidField(field, name, `may not be specified when '${namespaceField}' is true`)]
        : noErrors)
    ]
  })
}

/** The field that gives a Pod the node's namespace of the sysctl. Source: component-helpers/node/util/sysctl. */
const hostFieldOfSysctl = (name: string): "hostIPC" | "hostNetwork" | undefined => {
  const dotted = name.replaceAll("/", ".")
  if (dotted.startsWith("net.")) return "hostNetwork"
  return dotted === "kernel.sem" || /^(?:kernel\.shm|kernel\.msg|fs\.mqueue\.)/u.test(dotted)
    ? "hostIPC"
    : undefined
}

const validatePodContext = (context: ShallowPartial<Core.PodSecurityContext>, path: string): FieldErrors => [
  ...validateId(context.fsGroup, `${path}.fsGroup`),
  ...validateId(context.runAsUser, `${path}.runAsUser`),
  ...validateId(context.runAsGroup, `${path}.runAsGroup`),
  ...(context.supplementalGroups ?? []).flatMap((group, index) =>
    validateId(group, `${path}.supplementalGroups[${index}]`)
  ),
  ...validateOptionalOneOf(
    context.fsGroupChangePolicy,
    ["Always", "OnRootMismatch"],
    `${path}.fsGroupChangePolicy`
  ),
  ...validateSeccompProfile(context.seccompProfile, `${path}.seccompProfile`)
]

export const validateContainerSecurityContext = (
  context: ShallowPartial<Core.SecurityContext> | undefined,
  path: string
): FieldErrors => {
  if (context === undefined) return noErrors
  const { runAsUser, runAsGroup, seccompProfile } = context
  return [
    ...validateId(runAsUser, `${path}.runAsUser`),
    ...validateId(runAsGroup, `${path}.runAsGroup`),
    ...validateSeccompProfile(seccompProfile, `${path}.seccompProfile`),
    ...validateEscalation(context, path)
  ]
}

const validateEscalation = (context: ShallowPartial<Core.SecurityContext>, path: string): FieldErrors => {
  const { allowPrivilegeEscalation, privileged, capabilities } = context
  if (allowPrivilegeEscalation !== false) return noErrors
  const rule = "cannot set `allowPrivilegeEscalation` to false and"
  return [
    ...(privileged === true ? [`${rule} \`privileged\` to true`] : []),
    ...(capabilities?.add?.includes("CAP_SYS_ADMIN") === true
      ? [`${rule} \`capabilities.Add\` CAP_SYS_ADMIN`]
      : [])
  ].map((problem) => invalidField(path, internalContext(context), problem))
}

/** Messages show the internal type with all of its fields. */
const internalContext = (context: ShallowPartial<Core.SecurityContext>) => ({
  Capabilities: internalCapabilities(context.capabilities),
  Privileged: context.privileged ?? null,
  SELinuxOptions: context.seLinuxOptions ?? null,
  WindowsOptions: context.windowsOptions ?? null,
  RunAsUser: context.runAsUser ?? null,
  RunAsGroup: context.runAsGroup ?? null,
  RunAsNonRoot: context.runAsNonRoot ?? null,
  ReadOnlyRootFilesystem: context.readOnlyRootFilesystem ?? null,
  AllowPrivilegeEscalation: context.allowPrivilegeEscalation ?? null,
  ProcMount: context.procMount ?? null,
  SeccompProfile: internalSeccomp(context.seccompProfile),
  AppArmorProfile: null
})

const internalCapabilities = (capabilities: Core.Capabilities | undefined) =>
  capabilities === undefined ? null : { Add: capabilities.add ?? null, Drop: capabilities.drop ?? null }

const internalSeccomp = (profile: Core.SeccompProfile | undefined) =>
  profile === undefined ? null : { Type: profile.type, LocalhostProfile: profile.localhostProfile ?? null }

const idMax = 2 ** 31 - 1

const validateId = (id: number | undefined, path: string): FieldErrors =>
  id === undefined || (id >= 0 && id <= idMax)
    ? noErrors
    : [invalidField(path, id, `must be between 0 and ${idMax}, inclusive`)]

const seccompTypes: ReadonlyArray<string> = ["Localhost", "RuntimeDefault", "Unconfined"]

const validateSeccompProfile = (
  profile: ShallowPartial<Core.SeccompProfile> | undefined,
  path: string
): FieldErrors => {
  if (profile === undefined) return noErrors
  const { type = "", localhostProfile } = profile
  const isLocal = type === "Localhost"
  return [
    ...(type === ""
      ? [requiredValue(`${path}.type`, "type is required when seccompProfile is set")]
      : noErrors),
    ...(type === "" || seccompTypes.includes(type)
      ? noErrors
      : [unsupportedValue(`${path}.type`, type, seccompTypes)]),
    ...(isLocal && localhostProfile === undefined
      ? [requiredValue(`${path}.localhostProfile`, "must be set when seccomp type is Localhost")]
      : noErrors),
    ...(!isLocal && localhostProfile !== undefined
      ? [
          invalidField(
            `${path}.localhostProfile`,
            { Type: type, LocalhostProfile: localhostProfile },
            "can only be set when seccomp type is Localhost"
          )
        ]
      : noErrors)
  ]
}
