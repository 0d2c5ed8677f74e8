import { valueAtFieldPath, withValueAtFieldPath } from "../../kubernetes/customResources/fieldPathValues.ts"
import { badRequest, makeRefusal } from "../http/statuses.ts"
import { goQuote } from "../../kubernetes/meta/text/goQuote.ts"
import type { ScalePaths } from "../../kubernetes/meta/kinds.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"

export interface CustomScale {
  readonly replicas: number
  readonly statusReplicas: number
  readonly selector: string | undefined
}

export interface ScalePurpose {
  /** The Scale is to be written: unset replicas are no error. */
  readonly isForWrite: boolean
}

/** Stands for unset replicas in a Scale to be written, so that setting them to 0 is a change. */
const unsetReplicas = -(2 ** 31)

/**
 * Throws a `Refusal` for unset replicas.
 *
 * Source: apiextensions-apiserver/pkg/registry/customresource/etcd.go (scaleFromCustomResource,
 * scaleUpdatedObjectInfo).
 */
export const readCustomScale = (
  object: KubeObject,
  paths: ScalePaths,
  { isForWrite }: ScalePurpose
): CustomScale => {
  const specReplicas = valueAtFieldPath(object, paths.specReplicasPath)
  const isSet = typeof specReplicas === "number"
  if (!isSet && !isForWrite) {
    const why = `the spec replicas field ${goQuote(paths.specReplicasPath)} does not exist`
    throw makeRefusal(500, "InternalError", `Internal error occurred: ${why}`)
  }
  const replicas = isSet ? specReplicas : unsetReplicas
  const statusReplicas = valueAtFieldPath(object, paths.statusReplicasPath)
  const selector =
    paths.labelSelectorPath === undefined ? undefined : valueAtFieldPath(object, paths.labelSelectorPath)
  return {
    replicas,
    statusReplicas: typeof statusReplicas === "number" ? statusReplicas : 0,
    selector: typeof selector === "string" ? selector : undefined
  }
}

export const withCustomReplicas = (object: KubeObject, paths: ScalePaths, replicas: number): KubeObject => {
  if (replicas === unsetReplicas) {
    throw badRequest(`the spec replicas field ${goQuote(paths.specReplicasPath)} cannot be empty`)
  }
  return {
    ...object,
    ...withValueAtFieldPath(Object.fromEntries(Object.entries(object)), paths.specReplicasPath, replicas)
  }
}
