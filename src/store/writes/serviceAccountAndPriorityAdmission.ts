import type * as Core from "kubernetes-types/core/v1.js"
import type * as Scheduling from "kubernetes-types/scheduling/v1.js"
import { memoizeChange } from "../../kubernetes/validation/structuralSharing.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { accountNameOf, defaultServiceAccount } from "../../kubernetes/pods/podReferences.ts"
import { priorityClassResource, systemPriorityClasses } from "../../kubernetes/pods/priorityClasses.ts"
import type { GroupResource } from "../../kubernetes/meta/kinds.ts"
import type { Draft, Key, KubeObject } from "../../kubernetes/meta/objects.ts"

type PodDraft = Draft & { readonly spec?: Core.PodSpec }
type PriorityClass = KubeObject &
  Pick<Scheduling.PriorityClass, "value" | "globalDefault" | "preemptionPolicy">

/** Source: plugin/pkg/admission (serviceaccount/admission.go, priority/admission.go). */
interface ServiceAccountAndPriorityAdmission {
  readonly refusal: (pod: PodDraft) => string | undefined
  readonly withPriority: (pod: PodDraft) => PodDraft
  readonly defaultClassRefusal: (next: KubeObject, old?: KubeObject) => string | undefined
}

export const makeServiceAccountAndPriorityAdmission = (stored: {
  readonly get: (resource: GroupResource, key: Key) => KubeObject | undefined
  readonly all: (resource: GroupResource) => Iterable<KubeObject>
}): ServiceAccountAndPriorityAdmission => {
  const changesByClass = new WeakMap<PriorityClass, (spec: Core.PodSpec) => Core.PodSpec>()
  const classNamed = (name: string): PriorityClass | undefined =>
    stored.get(priorityClassResource, name) as PriorityClass | undefined

  /** Of several global defaults the one with the lowest value counts. */
  const defaultClass = (): PriorityClass | undefined => {
    let found: PriorityClass | undefined
    for (const object of stored.all(priorityClassResource)) {
      const priorityClass = object as PriorityClass
      if (priorityClass.globalDefault === true && (found === undefined || priorityClass.value < found.value))
        found = priorityClass
    }
    return found
  }
  const classOf = ({ priorityClassName = "" }: Core.PodSpec): PriorityClass | undefined =>
    priorityClassName === "" ? defaultClass() : classNamed(priorityClassName)

  const accountProblem = (namespace: string, spec: Core.PodSpec): string | undefined => {
    // Unlike in Kubernetes, Pods do not wait for the controller that creates the account `default`.
    const name = accountNameOf(spec) || defaultServiceAccount
    if (
      name === defaultServiceAccount ||
      stored.get(resources.serviceAccounts, `${namespace}/${name}`) !== undefined
    )
      return undefined
    return `error looking up service account ${namespace}/${name}: serviceaccount ${JSON.stringify(name)} not found`
  }

  const priorityProblem = (spec: Core.PodSpec): string | undefined => {
    const { priorityClassName = "", priority, preemptionPolicy } = spec
    const priorityClass = classOf(spec)
    const value =
      priorityClass?.value ?? (priorityClassName === "" ? 0 : systemPriorityClasses.get(priorityClassName))
    if (value === undefined) return `no PriorityClass with name ${priorityClassName} was found`
    if (priority !== undefined && priority !== value)
      return providedText(`integer value of priority (${priority})`, value)
    const policy = priorityClass?.preemptionPolicy ?? "PreemptLowerPriority"
    return preemptionPolicy === undefined || preemptionPolicy === policy
      ? undefined
      : providedText(`string value of PreemptionPolicy (${preemptionPolicy})`, policy)
  }

  return {
    refusal: ({ metadata, spec }) =>
      spec === undefined
        ? undefined
        : (accountProblem(metadata.namespace ?? "", spec) ?? priorityProblem(spec)),
    withPriority: (pod) => {
      if (pod.spec === undefined) return pod
      const priorityClass = classOf(pod.spec)
      if (priorityClass === undefined) return pod
      const change = changesByClass.get(priorityClass) ?? memoizeChange(withClass(priorityClass))
      changesByClass.set(priorityClass, change)
      return { ...pod, spec: change(pod.spec) }
    },
    defaultClassRefusal: (next, old) => {
      if ((next as PriorityClass).globalDefault !== true) return undefined
      const name = defaultClass()?.metadata.name
      return name === undefined || name === old?.metadata.name
        ? undefined
        : `PriorityClass ${name} is already marked as default. Only one default can exist`
    }
  }
}

const providedText = (provided: string, computed: number | string): string =>
  `the ${provided} must not be provided in pod spec; ` +
  `priority admission controller computed ${computed} from the given PriorityClass name`

const withClass =
  ({ metadata, value, preemptionPolicy }: PriorityClass) =>
  (spec: Core.PodSpec): Core.PodSpec => ({
    ...spec,
    priorityClassName: metadata.name,
    priority: value,
    ...(preemptionPolicy === undefined ? {} : { preemptionPolicy })
  })
