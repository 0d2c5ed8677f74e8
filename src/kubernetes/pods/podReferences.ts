import { priorityClassResource, systemPriorityClasses } from "./priorityClasses.ts"
import { resources } from "../meta/kinds.ts"
import type { GroupResource } from "../meta/kinds.ts"

export interface PodReference {
  readonly field: string
  readonly resource: GroupResource
  readonly namespace: string | undefined
  readonly name: string
}

export const runtimeClassResource: GroupResource = "runtimeclasses.node.k8s.io"

export const defaultServiceAccount = "default"

export const rootCaConfigMap = "kube-root-ca.crt"

interface AccountNames {
  readonly serviceAccountName?: unknown
  readonly serviceAccount?: unknown
}

export const accountNameOf = ({ serviceAccountName, serviceAccount }: AccountNames): string =>
  [serviceAccountName, serviceAccount].find(isName) ?? ""

/**
 * Leaves out objects that every cluster has. Source: plugin/pkg/admission (serviceaccount, priority, runtimeclass).
 */
export const podReferences = (
  spec: AccountNames & {
    readonly priorityClassName?: unknown
    readonly runtimeClassName?: unknown
  },
  namespace: string
): ReadonlyArray<PodReference> => {
  const { priorityClassName: priorityClass, runtimeClassName } = spec
  const account = accountNameOf(spec)
  return [
    ...(account !== "" && account !== defaultServiceAccount
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
