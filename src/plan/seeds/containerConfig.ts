import { compareQuantities, parseQuantity } from "../../kubernetes/meta/amounts/quantity.ts"
import { immediateEndOf, failingCommandOf, missingProgramOf } from "./briefCommand.ts"
import { zeroQuantity } from "../../kubernetes/core/quotas.ts"
import { allContainersOf } from "../draftPodSpec.ts"
import { containersThatEnd, endlessCommandOf, endlessContainers } from "./endlessCommand.ts"
import { blockingProbesOf, failingProbesOf } from "../failingProbes.ts"
import { isAssumedDraft } from "../previous/assumedVolumes.ts"
import { isEmptyVolume } from "../previous/emptyClaims.ts"
import { isFields } from "../../kubernetes/meta/fields.ts"
import { imageFailureOf, runsAsRoot } from "../knownImages.ts"
import { lastDocumentOfEachObject } from "../documentKeys.ts"
import { formerVolumeSources, mountedVolumesOf } from "../mountedVolumes.ts"
import { containerPath } from "../../kubernetes/pods/containers/containers.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { FailingCommand } from "./briefCommand.ts"
import type { NotReadyReason } from "../../scenario/ledger/notReadyReason.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { Key, PodSpec } from "../../kubernetes/meta/objects.ts"

/** Keys by `KIND NAMESPACE/NAME`. Objects without keys are left out: a controller fills them. */
export type ConfigKeys = ReadonlyMap<string, ReadonlySet<string>>

export const configKeysIn = (documents: ReadonlyArray<ManifestDocument>): ConfigKeys =>
  new Map(
    lastDocumentOfEachObject(documents)
      .filter(
        ({ kind: { kind }, draft }) => (kind === "ConfigMap" || kind === "Secret") && !isAssumedDraft(draft)
      )
      .flatMap(({ kind: { kind }, draft }) => {
        const fields: Readonly<Record<string, unknown>> = { ...draft }
        const keys = ["data", "binaryData", "stringData"].flatMap((name) => {
          const values = fields[name]
          return isFields(values) ? Object.keys(values) : []
        })
        const id = `${kind} ${draft.metadata.namespace ?? ""}/${draft.metadata.name ?? ""}`
        return keys.length === 0 ? [] : [[id, new Set(keys)] as const]
      })
  )

type ContainersSpec = Pick<
  PodSpec,
  "containers" | "initContainers" | "restartPolicy" | "schedulingGates" | "securityContext" | "volumes"
>

/** What the manifests tell of Pods' ConfigMaps, Secrets and claims. */
export interface ConfigAndVolumes {
  readonly keys: ConfigKeys
  /** Claims whose volumes hold no data yet. */
  readonly emptyClaims: ReadonlySet<Key>
}

interface ContentSource extends ConfigAndVolumes {
  readonly namespace: string
}

/**
 * Source: pkg/kubelet/kubelet_pods.go (makeEnvironmentVariables), pkg/kubelet/kuberuntime/security_context.go
 * (verifyRunAsNonRoot).
 */
export const whyNotStarted = (
  container: Core.Container,
  spec: Partial<ContainersSpec>,
  source: ContentSource
): string | undefined => {
  const { namespace, keys } = source
  const mountedVolumes = mountedVolumesOf(spec)
  const volumeProblem = unmountableVolume(mountedVolumes) ?? missingVolumeKey(mountedVolumes, source)
  if (volumeProblem !== undefined) return volumeProblem
  const program = missingProgramOf(container.command ?? [])
  if (program !== undefined)
    return `RunContainerError: container ${JSON.stringify(container.name)} has no program ${JSON.stringify(program)}: each argument is an item of its own in command`
  const immediateEnd = immediateEndOf(container, spec)
  if (immediateEnd !== undefined && immediateEnd.finalExit === undefined) return immediateEnd.text
  const hookProblem = postStartProblem(container)
  if (hookProblem !== undefined) return hookProblem
  const { runAsNonRoot, runAsUser } = { ...spec.securityContext, ...container.securityContext }
  if (runAsNonRoot === true && runAsUser === 0)
    return configError(`container ${JSON.stringify(container.name)} has runAsNonRoot: true and runAsUser: 0`)
  if (runAsNonRoot === true && runAsUser === undefined && runsAsRoot(container.image ?? ""))
    return configError(
      `container ${JSON.stringify(container.name)} has runAsNonRoot: true, and image ${container.image} runs as root: it needs runAsUser`
    )
  for (const variable of container.env ?? []) {
    for (const [kind, reference] of keyReferencesOf(variable)) {
      const missing = missingKey(kind, reference, namespace, keys)
      if (missing !== undefined)
        return configError(`couldn't find key ${missing.key} in ${kind} ${namespace}/${missing.name}`)
    }
  }
  const missingNames = missingExpansions(container)
  if (missingNames.length > 0) return configError(`missing value for ${missingNames.join(", ")}`)
  const imageFailure = imageFailureOf(withoutUnsetVariables(container, source), spec, (volume) =>
    isEmptyVolume(volume, source)
  )
  if (imageFailure !== undefined)
    return `CrashLoopBackOff: container ${JSON.stringify(container.name)} fails at once: ${imageFailure}`
  const { memory } = container.resources?.limits ?? {}
  return memory !== undefined && isBelowProcessMemoryMin(memory)
    ? `RunContainerError: container ${JSON.stringify(container.name)} has a memory limit of ${memory}, which is less than 1Mi: no process can run in it`
    : undefined
}

/**
 * The variables of `subPathExpr` that nothing sets: `envFrom` and Services may set others.
 * Source: pkg/kubelet/container/helpers.go (ExpandContainerVolumeMounts).
 */
const missingExpansions = ({
  env = [],
  envFrom = [],
  volumeMounts = []
}: Core.Container): ReadonlyArray<string> => {
  if (envFrom.length > 0) return []
  const known = new Set(env.map(({ name }) => name))
  const names = volumeMounts.flatMap(({ subPathExpr = "" }) =>
    [...subPathExpr.replaceAll("$$", "").matchAll(/\$\(([^()]+)\)/gu)].map(([, name = ""]) => name)
  )
  return [...new Set(names)]
    .filter((name) => !known.has(name) && !/_(?:SERVICE|PORT)(?:_|$)/u.test(name))
    .toSorted()
}

/** Source: pkg/kubelet/kuberuntime/kuberuntime_container.go (startContainer). */
const postStartProblem = ({ name, lifecycle }: Core.Container): string | undefined => {
  const { command = [] } = lifecycle?.postStart?.exec ?? {}
  const endless = endlessCommandOf({ name, command })
  if (endless !== undefined)
    return `ContainerCreating: postStart of container ${JSON.stringify(name)} never ends: it runs ${JSON.stringify(endless)}`
  const failing = missingProgramOf(command) ?? failingCommandOf({ name, command })?.script
  return failing === undefined
    ? undefined
    : `PostStartHookError: postStart of container ${JSON.stringify(name)} fails, which ends the container: it runs ${JSON.stringify(failing)}`
}

const configError = (why: string): string => `CreateContainerConfigError: ${why}`

const processMemoryMin = parseQuantity("1Mi") ?? zeroQuantity

const isBelowProcessMemoryMin = (memory: string): boolean => {
  const limit = parseQuantity(memory)
  return limit !== undefined && compareQuantities(limit, processMemoryMin) < 0
}

const keyReferencesOf = ({
  valueFrom
}: Core.EnvVar): ReadonlyArray<readonly [KeySource, KeyReference | undefined]> => [
  ["ConfigMap", valueFrom?.configMapKeyRef],
  ["Secret", valueFrom?.secretKeyRef]
]

/** A variable whose optional key is missing is not set. */
const withoutUnsetVariables = (
  container: Core.Container,
  { namespace, keys }: ContentSource
): Core.Container => {
  const isSet = (variable: Core.EnvVar): boolean =>
    keyReferencesOf(variable).every(
      ([kind, reference]) =>
        reference === undefined ||
        missingKey(kind, { ...reference, optional: false }, namespace, keys) === undefined
    )
  const { env } = container
  return env === undefined || env.every(isSet) ? container : { ...container, env: env.filter(isSet) }
}

type KeyReference = { readonly name?: string; readonly key: string; readonly optional?: boolean }

const missingKey = (
  kind: string,
  reference: KeyReference | undefined,
  namespace: string,
  keys: ConfigKeys
): { readonly name: string; readonly key: string } | undefined => {
  if (reference === undefined || reference.optional === true) return undefined
  const { name = "", key } = reference
  const presentKeys = keys.get(`${kind} ${namespace}/${name}`)
  return presentKeys === undefined || presentKeys.has(key) ? undefined : { name, key }
}

const unmountableVolume = (mountedVolumes: ReadonlyArray<Core.Volume>): string | undefined => {
  for (const volume of mountedVolumes) {
    const source = formerVolumeSources.find((name) => volume[name] !== undefined)
    if (source !== undefined)
      return `FailedMount: volume ${JSON.stringify(volume.name)} is a ${source} volume, which kubelets no longer mount`
    const { medium = "" } = volume.emptyDir ?? {}
    if (medium !== "" && medium !== "Memory" && !medium.startsWith("HugePages"))
      return `FailedMount: MountVolume.SetUp failed for volume ${JSON.stringify(volume.name)} : unknown storage medium ${JSON.stringify(medium)}`
  }
  return undefined
}

/** Source: pkg/volume/{configmap/configmap.go, secret/secret.go} (MakePayload). */
const missingVolumeKey = (
  mountedVolumes: ReadonlyArray<Core.Volume>,
  { namespace, keys }: ContentSource
): string | undefined => {
  if (keys.size === 0) return undefined
  for (const volume of mountedVolumes) {
    for (const { kind, ...reference } of keysOfVolume(volume)) {
      const missing = missingKey(kind, reference, namespace, keys)
      if (missing !== undefined)
        return `FailedMount: MountVolume.SetUp failed for volume ${JSON.stringify(volume.name)} : ${missingKeyTexts[kind]}: ${missing.key}`
    }
  }
  return undefined
}

type KeySource = "ConfigMap" | "Secret"

const missingKeyTexts: Readonly<Record<KeySource, string>> = {
  ConfigMap: "configmap references non-existent config key",
  Secret: "references non-existent secret key"
}

const keysOfVolume = ({
  configMap,
  secret,
  projected
}: Core.Volume): ReadonlyArray<KeyReference & { readonly kind: KeySource }> => [
  ...keysOfSource("ConfigMap", configMap),
  ...keysOfSource("Secret", secret && { ...secret, name: secret.secretName ?? "" }),
  ...(projected?.sources ?? []).flatMap((part) => [
    ...keysOfSource("ConfigMap", part.configMap),
    ...keysOfSource("Secret", part.secret)
  ])
]

const keysOfSource = (
  kind: KeySource,
  { name = "", optional = false, items = [] }: Core.ConfigMapProjection = {}
): ReadonlyArray<KeyReference & { readonly kind: KeySource }> =>
  items.map(({ key }) => ({ kind, name, optional, key }))

const commandProblem = (
  spec: Partial<ContainersSpec>,
  container: Core.Container,
  problem: string
): NotReadyReason => {
  const field = containerPath(spec, container.name)
  const title = field[0] === "initContainers" ? "init container" : "container"
  return {
    text: `${title} ${JSON.stringify(container.name)} ${problem}`,
    field: [...field, container.command === undefined ? "args" : "command"]
  }
}

interface FailingContainer {
  readonly container: Core.Container
  readonly failingCommand: FailingCommand
}

/** Includes only containers that have to end. */
const failingContainers = (spec: Partial<PodSpec>): ReadonlyArray<FailingContainer> =>
  containersThatEnd(spec).flatMap((container) => {
    const failingCommand = failingCommandOf(container)
    return failingCommand === undefined ? [] : [{ container, failingCommand }]
  })

export const containerProblems = (
  spec: Partial<ContainersSpec>,
  source: ContentSource
): ReadonlyArray<NotReadyReason> => [
  ...(spec.schedulingGates ?? []).map(({ name }, index) => ({
    text: `scheduling gate ${JSON.stringify(name)} holds its Pods back`,
    field: ["schedulingGates", index]
  })),
  ...endlessContainers(spec).map(({ container, command }) =>
    commandProblem(spec, container, `never ends: it runs ${JSON.stringify(command)}`)
  ),
  ...failingContainers(spec).map(({ container, failingCommand: { script, code } }) =>
    commandProblem(spec, container, `fails with exit code ${code}: it runs ${JSON.stringify(script)}`)
  ),
  ...allContainersOf(spec).flatMap((container) => {
    const why = whyNotStarted(container, spec, source) ?? immediateEndOf(container, spec)?.text
    const path = containerPath(spec, container.name)
    const hasToEnd = containersThatEnd(spec).includes(container)
    const probes = blockingProbesOf(failingProbesOf(container), { hasToEnd }).map(({ field, text }) => ({
      text,
      field: [...path, field]
    }))
    return [...(why === undefined ? [] : [{ text: why, field: path }]), ...probes]
  })
]
