import { compareQuantities, parseQuantity } from "../../kubernetes/meta/amounts/quantity.ts"
import { zeroQuantity } from "../../kubernetes/core/quotas.ts"
import { allContainersOf } from "../draftPodSpec.ts"
import { endlessContainers } from "./endlessCommand.ts"
import { isAssumedDraft } from "../previous/assumedVolumes.ts"
import { isFields } from "../../kubernetes/meta/fields.ts"
import { lastOfEach } from "../documentKeys.ts"
import { asksUnknownPortName, undeclaredProbePorts } from "../../kubernetes/pods/containers/probePorts.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { PodSpec } from "../../kubernetes/meta/objects.ts"

/** The keys of each ConfigMap and Secret of the files, by `KIND NAMESPACE/NAME`. */
export type ConfigKeys = ReadonlyMap<string, ReadonlySet<string>>

export const configKeysIn = (documents: ReadonlyArray<ManifestDocument>): ConfigKeys =>
  new Map(
    lastOfEach(documents)
      .filter(
        ({ kind: { kind }, draft }) => (kind === "ConfigMap" || kind === "Secret") && !isAssumedDraft(draft)
      )
      .map(({ kind: { kind }, draft }) => {
        const fields: Readonly<Record<string, unknown>> = { ...draft }
        const keys = ["data", "binaryData", "stringData"].flatMap((name) => {
          const values = fields[name]
          return isFields(values) ? Object.keys(values) : []
        })
        return [`${kind} ${draft.metadata.namespace ?? ""}/${draft.metadata.name ?? ""}`, new Set(keys)]
      })
  )

type ContainersSpec = Pick<PodSpec, "containers" | "initContainers" | "restartPolicy" | "securityContext">

/**
 * Why a container never starts: a key that its ConfigMap or Secret lacks, a user that its security context forbids, or
 * a memory limit in which no process can run, as of `128m` where `128Mi` is meant.
 *
 * Source: pkg/kubelet/kubelet_pods.go (makeEnvironmentVariables), pkg/kubelet/kuberuntime/security_context.go
 * (verifyRunAsNonRoot).
 */
export const whyNotStarted = (
  container: Core.Container,
  { securityContext: podSecurityContext }: Pick<ContainersSpec, "securityContext">,
  { namespace, keys }: { readonly namespace: string; readonly keys: ConfigKeys }
): string | undefined => {
  const { runAsNonRoot, runAsUser } = { ...podSecurityContext, ...container.securityContext }
  if (runAsNonRoot === true && runAsUser === 0)
    return configError(`container ${JSON.stringify(container.name)} has runAsNonRoot: true and runAsUser: 0`)
  for (const { valueFrom } of container.env ?? []) {
    const missing =
      missingKey("ConfigMap", valueFrom?.configMapKeyRef, namespace, keys) ??
      missingKey("Secret", valueFrom?.secretKeyRef, namespace, keys)
    if (missing !== undefined) return configError(missing)
  }
  const { memory } = container.resources?.limits ?? {}
  return memory !== undefined && isBelowProcessMemoryMin(memory)
    ? `RunContainerError: container ${JSON.stringify(container.name)} has a memory limit of ${memory}, which is less than 1Mi: no process can run in it`
    : undefined
}

const configError = (why: string): string => `CreateContainerConfigError: ${why}`

const processMemoryMin = parseQuantity("1Mi") ?? zeroQuantity

const isBelowProcessMemoryMin = (memory: string): boolean => {
  const limit = parseQuantity(memory)
  return limit !== undefined && compareQuantities(limit, processMemoryMin) < 0
}

const missingKey = (
  kind: string,
  reference: { readonly name?: string; readonly key: string; readonly optional?: boolean } | undefined,
  namespace: string,
  keys: ConfigKeys
): string | undefined => {
  if (reference === undefined || reference.optional === true) return undefined
  const { name = "", key } = reference
  const present = keys.get(`${kind} ${namespace}/${name}`)
  return present === undefined || present.has(key)
    ? undefined
    : `couldn't find key ${key} in ${kind} ${namespace}/${name}`
}

/** Why containers of a Pod can never start or be ready, whatever their application does. */
export const containerProblems = (
  spec: Partial<ContainersSpec>,
  source: { readonly namespace: string; readonly keys: ConfigKeys }
): ReadonlyArray<string> => [
  ...endlessContainers(spec).map(({ container, command }) => {
    const title = spec.initContainers?.includes(container) === true ? "init container" : "container"
    return `${title} ${JSON.stringify(container.name)} never ends: it runs ${JSON.stringify(command)}`
  }),
  ...allContainersOf(spec).flatMap((container) => {
    const why = whyNotStarted(container, spec, source)
    const ports = undeclaredProbePorts(container)
      .filter(({ field }) => asksUnknownPortName(container, field))
      .map(
        ({ field, port }) =>
          `${field} of container ${JSON.stringify(container.name)} asks port ${JSON.stringify(port)}, which it does not declare`
      )
    return [...(why === undefined ? [] : [why]), ...ports]
  })
]
