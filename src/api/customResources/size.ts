import { valueAt, withValueAt } from "./dotPath.ts"
import { refusal } from "../statuses.ts"
import type { ScalePaths } from "../../domain/customResources/definitions.ts"
import type { KubeObject } from "../../domain/objects.ts"

/** The size of an object of a custom kind, at the paths that its definition names. */
export interface CustomSize {
  readonly replicas: number
  readonly present: number
  readonly selector: string | undefined
}

/** Source: staging/src/k8s.io/apiextensions-apiserver/pkg/registry/customresource/etcd.go (scaleFromCustomResource). */
export const sizeAt = (object: KubeObject, paths: ScalePaths): CustomSize => {
  const replicas = valueAt(object, paths.specReplicasPath)
  if (typeof replicas !== "number") {
    const why = `the spec replicas field ${JSON.stringify(paths.specReplicasPath)} does not exist`
    throw refusal(500, "InternalError", `Internal error occurred: ${why}`)
  }
  const present = valueAt(object, paths.statusReplicasPath)
  const selector =
    paths.labelSelectorPath === undefined ? undefined : valueAt(object, paths.labelSelectorPath)
  return {
    replicas,
    present: typeof present === "number" ? present : 0,
    selector: typeof selector === "string" ? selector : undefined
  }
}

/** The object with another size wanted; all else of it stays. */
export const resizedAt = (object: KubeObject, paths: ScalePaths, replicas: number): KubeObject => ({
  ...object,
  ...withValueAt(Object.fromEntries(Object.entries(object)), paths.specReplicasPath, replicas)
})
