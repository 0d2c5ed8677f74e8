import { priorityClassResource, systemPriorityClasses } from "./priorityClasses.ts"
import { resources } from "../meta/kinds.ts"
import type { GroupResource } from "../meta/kinds.ts"

/** An object that a Pod refers to by name, and the field that does so. */
export interface PodReference {
  readonly field: string
  readonly resource: GroupResource
  readonly namespace: string | undefined
  readonly name: string
}

export const runtimeClassResource: GroupResource = "runtimeclasses.node.k8s.io"

export const defaultServiceAccount = "default"

/** The ConfigMap, created in every namespace, with the API server's CA certificate. */
export const rootCaConfigMap = "kube-root-ca.crt"

/**
 * The objects that must exist before a Pod of this spec is admitted, apart from those that every cluster has.
 * Source: plugin/pkg/admission (serviceaccount/admission.go, priority/admission.go,
 * runtimeclass/admission.go).
 */
export const podReferences = (
  spec: {
    readonly serviceAccountName?: unknown
    readonly priorityClassName?: unknown
    readonly runtimeClassName?: unknown
  },
  namespace: string
): ReadonlyArray<PodReference> => {
  const { serviceAccountName: account, priorityClassName: priorityClass, runtimeClassName } = spec
  return [
    ...(isName(account) && account !== defaultServiceAccount
      ? [{ field: "serviceAccountName", resource: resources.serviceAccounts, namespace, name: account }]
      : []),
    ...(isName(priorityClass) && !systemPriorityClasses.has(priorityClass)
      ? [
          {
            field: "priorityClassName",
            resource: priorityClassResource,
            namespace: undefined,
            name: priorityClass
          }
        ]
      : []),
    ...(isName(runtimeClassName)
      ? [
          {
            field: "runtimeClassName",
            resource: runtimeClassResource,
            namespace: undefined,
            name: runtimeClassName
          }
        ]
      : [])
  ]
}

const isName = (value: unknown): value is string => typeof value === "string" && value !== ""
