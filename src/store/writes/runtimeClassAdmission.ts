import type * as Core from "kubernetes-types/core/v1.js"
import type * as Node from "kubernetes-types/node/v1.js"
import { isSemanticallyEqual } from "../../kubernetes/meta/semanticEquality.ts"
import { mergeTolerations } from "../../kubernetes/pods/mergeTolerations.ts"
import { runtimeClassResource } from "../../kubernetes/pods/podReferences.ts"
import { memoizeChange } from "../../kubernetes/validation/structuralSharing.ts"
import type { GroupResource } from "../../kubernetes/meta/kinds.ts"
import type { Draft, Key, KubeObject } from "../../kubernetes/meta/objects.ts"

type PodDraft = Draft & { readonly spec?: Core.PodSpec }
type RuntimeClass = KubeObject & Pick<Node.RuntimeClass, "overhead" | "scheduling">

/** Source: plugin/pkg/admission/runtimeclass/admission.go. */
interface RuntimeClassAdmission {
  readonly refusal: (pod: PodDraft) => string | undefined
  readonly withRuntimeClass: (pod: PodDraft) => PodDraft
}

export const makeRuntimeClassAdmission = (
  get: (resource: GroupResource, key: Key) => KubeObject | undefined
): RuntimeClassAdmission => {
  const changesByClass = new WeakMap<RuntimeClass, (spec: Core.PodSpec) => Core.PodSpec>()
  const classNamed = (name: string): RuntimeClass | undefined => get(runtimeClassResource, name)

  return {
    refusal: ({ spec }) => {
      if (spec === undefined) return undefined
      const { runtimeClassName: name = "", overhead } = spec
      const runtimeClass = name === "" ? undefined : classNamed(name)
      if (name !== "" && runtimeClass === undefined)
        return `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`
      return overheadProblem(overhead, runtimeClass) ?? selectorProblem(spec, runtimeClass)
    },
    withRuntimeClass: (pod) => {
      const { runtimeClassName: name = "" } = pod.spec ?? {}
      const runtimeClass = name === "" ? undefined : classNamed(name)
      if (pod.spec === undefined || runtimeClass === undefined) return pod
      const change = changesByClass.get(runtimeClass) ?? memoizeChange(withClassOf(runtimeClass))
      changesByClass.set(runtimeClass, change)
      return { ...pod, spec: change(pod.spec) }
    }
  }
}

const overheadProblem = (
  overhead: Core.PodSpec["overhead"],
  runtimeClass: RuntimeClass | undefined
): string | undefined => {
  if (overhead === undefined) return undefined
  if (runtimeClass?.overhead === undefined)
    return "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"
  return isSemanticallyEqual({ overhead }, { overhead: runtimeClass.overhead.podFixed })
    ? undefined
    : "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"
}

const selectorProblem = (
  { nodeSelector = {} }: Core.PodSpec,
  runtimeClass: RuntimeClass | undefined
): string | undefined => {
  const entries = Object.entries(runtimeClass?.scheduling?.nodeSelector ?? {})
  const conflict = entries.find(([key, value]) => (nodeSelector[key] ?? value) !== value)
  if (conflict === undefined) return undefined
  const [key, value] = conflict
  return (
    `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; ` +
    `pod.spec.nodeSelector[${key}] = ${nodeSelector[key]}`
  )
}

const withClassOf =
  ({ overhead, scheduling }: RuntimeClass) =>
  (spec: Core.PodSpec): Core.PodSpec => ({
    ...spec,
    ...(overhead?.podFixed === undefined ? {} : { overhead: overhead.podFixed }),
    ...(scheduling?.nodeSelector === undefined
      ? {}
      : { nodeSelector: { ...spec.nodeSelector, ...scheduling.nodeSelector } }),
    ...(scheduling?.tolerations === undefined
      ? {}
      : { tolerations: [...mergeTolerations([...(spec.tolerations ?? []), ...scheduling.tolerations])] })
  })
