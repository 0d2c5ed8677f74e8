import { podToCheck, podSecurityRefusal } from "../../kubernetes/admission/podSecurity/podSecurityPolicy.ts"
import { isSignificantPodUpdate } from "../../kubernetes/admission/podSecurity/significantPodUpdate.ts"
import { validateCreate, withDefaults } from "../../kubernetes/admission/admit.ts"
import { namespaceTerminatingCause } from "../../kubernetes/core/namespaceDeletion.ts"
import { exceededQuotaText } from "../../kubernetes/core/quotas.ts"
import { isTerminating } from "../../kubernetes/meta/deletion.ts"
import { groupResourceOf, resources } from "../../kubernetes/meta/kinds.ts"
import { priorityClassResource } from "../../kubernetes/pods/priorityClasses.ts"
import { BadRequest, Forbidden, NotFound } from "../storeErrors.ts"
import { invalidObject } from "../storeRefusals.ts"
import { withFirstStatus } from "./prepareObject.ts"
import { makeRuntimeClassAdmission } from "./runtimeClassAdmission.ts"
import { makeServiceAccountAndPriorityAdmission } from "./serviceAccountAndPriorityAdmission.ts"
import { claimGrowthRefusal, withStorageDefaults } from "./storageAdmission.ts"
import type { GroupResource, Kind } from "../../kubernetes/meta/kinds.ts"
import type { Draft, Key, KubeObject, Labels, Namespace, Pod } from "../../kubernetes/meta/objects.ts"
import type { PersistentVolumeClaim } from "../../kubernetes/storage/storageTypes.ts"
import type { FieldErrors } from "../../kubernetes/validation/fieldErrors.ts"
import type { LimitRangeIndex } from "../indexes/limitRangeIndex.ts"
import type { QuotaIndex } from "../indexes/quotaIndex.ts"
import type { ServiceAddresses } from "../indexes/serviceAddresses.ts"
import type { ClusterView } from "../objectStore.ts"
import type { StoreError } from "../storeErrors.ts"

export interface AdmissionState extends Pick<ClusterView["Service"], "get" | "all"> {
  readonly tableOf: (resource: GroupResource) => Pick<ReadonlyMap<Key, KubeObject>, "get" | "size">
  readonly limitRanges: Pick<LimitRangeIndex, "limitsOf">
  readonly quotas: Pick<QuotaIndex, "refusal">
  readonly addresses: Pick<ServiceAddresses, "complete" | "problems">
}

export interface AdmissionRules {
  readonly nowMillis: () => number
  /** The types of `spec.strategy` that a Deployment may have; by default those of Kubernetes. */
  readonly strategies?: ReadonlyArray<string>
  /** The most Pods in the cluster; unlimited by default. */
  readonly podsMax?: number
}

type PodLimits = ReturnType<LimitRangeIndex["limitsOf"]>

export const makeObjectAdmission = (state: AdmissionState, options: AdmissionRules) => {
  const { get, all, tableOf, limitRanges, quotas, addresses } = state
  const runtimeClasses = makeRuntimeClassAdmission(get)
  const accountAndPriority = makeServiceAccountAndPriorityAdmission(state)

  const refuseDraft = (kind: Kind, draft: Draft): StoreError | undefined => {
    const { resourceVersion = "" } = draft.metadata
    if (resourceVersion !== "")
      return new BadRequest({ why: "resourceVersion should not be set on objects to be created" })
    const resource = groupResourceOf(kind)
    return kind.namespaced
      ? (refuseByNamespace(resource, draft) ?? refuseByAdmission(resource, draft))
      : undefined
  }

  const refuseByNamespace = (resource: GroupResource, draft: Draft): StoreError | undefined => {
    const name = draft.metadata.namespace ?? ""
    const namespace: Namespace | undefined = get(resources.namespaces, name)
    if (namespace === undefined) return new NotFound({ resource: resources.namespaces, resourceName: name })
    if (namespace.status.phase !== "Terminating" && !isTerminating(namespace)) return undefined
    return new Forbidden({
      resource,
      resourceName: draft.metadata.name ?? draft.metadata.generateName ?? "",
      why: `unable to create new content in namespace ${name} because it is being terminated`,
      cause: namespaceTerminatingCause
    })
  }

  const refuseByAdmission = (resource: GroupResource, draft: Draft): StoreError | undefined => {
    const why =
      resource === resources.pods
        ? (accountAndPriority.refusal(draft) ?? runtimeClasses.refusal(draft))
        : undefined
    if (why === undefined) return undefined
    const { name, generateName = "" } = draft.metadata
    return new Forbidden({ resource, resourceName: name || generateName, why })
  }

  const refuseByPodLimit = (resource: GroupResource, name: string): StoreError | undefined => {
    const { podsMax } = options
    if (resource !== resources.pods || podsMax === undefined || tableOf(resource).size < podsMax)
      return undefined
    const podsLimit = `pods=${podsMax}`
    const why = exceededQuotaText("cluster", { requested: "pods=1", used: podsLimit, limited: podsLimit })
    return new Forbidden({ resource, resourceName: name, why })
  }

  const podLimitsOf = (resource: GroupResource, namespace: string | undefined): PodLimits =>
    resource === resources.pods ? limitRanges.limitsOf(namespace) : undefined

  const complete = (kind: Kind, prepared: KubeObject, limits: PodLimits): KubeObject => {
    const resource = groupResourceOf(kind)
    const admissible =
      resource === resources.pods
        ? runtimeClasses.withRuntimeClass(accountAndPriority.withPriority(prepared))
        : withStorageDefaults(resource, prepared, all)
    const defaulted = addresses.complete(withDefaults(kind, admissible))
    const limited = limits === undefined ? defaulted : limits.fillDefaults(defaulted)
    return withFirstStatus(resource, limited as KubeObject, options.nowMillis())
  }

  const refuseCreate = (kind: Kind, object: KubeObject, limits: PodLimits): StoreError | undefined => {
    const resource = groupResourceOf(kind)
    const { name } = object.metadata
    const errors = firstErrors(addresses.problems(object), () =>
      validateCreate(kind, object, options.strategies)
    )
    if (errors.length > 0) return invalidObject(kind, name, errors)
    const why = limits?.violation((object as Pod).spec) ?? refusalByOtherObjects(resource, object)
    return why === undefined ? undefined : new Forbidden({ resource, resourceName: name, why })
  }

  const refusalByOtherObjects = (
    resource: GroupResource,
    next: KubeObject,
    old?: KubeObject
  ): string | undefined =>
    (resource === resources.pods
      ? refusalByPodSecurity(next, old)
      : refusalByClassesAndClaims(resource, next, old)) ?? quotas.refusal(resource, next, old)

  const refusalByPodSecurity = (next: KubeObject, old?: KubeObject): string | undefined =>
    old === undefined || isSignificantPodUpdate(next, old)
      ? podSecurityRefusal(labelsOfNamespace(next.metadata.namespace), podToCheck(next))
      : undefined

  const labelsOfNamespace = (name = ""): Labels | undefined =>
    (get(resources.namespaces, name) as Namespace | undefined)?.metadata.labels

  const refusalByClassesAndClaims = (
    resource: GroupResource,
    next: KubeObject,
    old?: KubeObject
  ): string | undefined => {
    if (resource === priorityClassResource) return accountAndPriority.defaultClassRefusal(next, old)
    if (resource !== resources.persistentVolumeClaims) return undefined
    const { resources: amounts } = (next as PersistentVolumeClaim).spec
    // With limits, a claim that is being deleted could not lose its finalizers.
    const limits =
      old !== undefined && isTerminating(old) ? undefined : limitRanges.limitsOf(next.metadata.namespace)
    return (
      limits?.claimViolation(amounts?.requests ?? {}) ??
      (old === undefined ? undefined : claimGrowthRefusal(next, old, get))
    )
  }

  return { refuseDraft, refuseByPodLimit, podLimitsOf, complete, refuseCreate, refusalByOtherObjects }
}

export const firstErrors = (errors: FieldErrors, otherErrors: () => FieldErrors): FieldErrors =>
  errors.length > 0 ? errors : otherErrors()
