import { priorityClasses, systemPriorities } from "./priorities.ts"
import { resources } from "./kinds.ts"
import type { GroupResource } from "./kinds.ts"

/** What a Pod names in one field of its spec. */
export interface NamedByPod {
  readonly field: string
  readonly resource: GroupResource
  /** Undefined where it is in no namespace. */
  readonly namespace: string | undefined
  readonly name: string
}

/** The ServiceAccount that every namespace has, or is about to. */
export const accountDefault = "default"

/** The ConfigMap that every namespace has, or is about to: by which Pods know the API server. */
export const certificateDefault = "kube-root-ca.crt"

/**
 * What Pods of a spec name that must be there before them, and that not every cluster has: without it they are refused.
 *
 * Source: plugin/pkg/admission (serviceaccount/admission.go, priority/admission.go).
 */
export const namedByPod = (
  spec: { readonly serviceAccountName?: unknown; readonly priorityClassName?: unknown },
  namespace: string
): ReadonlyArray<NamedByPod> => {
  const { serviceAccountName: account, priorityClassName: priorityClass } = spec
  return [
    ...(isName(account) && account !== accountDefault
      ? [{ field: "serviceAccountName", resource: resources.serviceAccounts, namespace, name: account }]
      : []),
    ...(isName(priorityClass) && !systemPriorities.has(priorityClass)
      ? [{ field: "priorityClassName", resource: priorityClasses, namespace: undefined, name: priorityClass }]
      : [])
  ]
}

const isName = (value: unknown): value is string => typeof value === "string" && value !== ""
