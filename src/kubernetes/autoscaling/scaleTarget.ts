import { groupResourceOf, storedKindOf } from "../meta/kinds.ts"
import { formatSelector } from "../meta/selectors/labelSelectors.ts"
import { valueAtFieldPath, withValueAtFieldPath } from "../customResources/fieldPathValues.ts"
import { goQuote } from "../meta/text/goQuote.ts"
import type { LabelSelector } from "kubernetes-types/meta/v1.js"
import type { Autoscaler } from "./autoscalerTypes.ts"
import type { KubeObject } from "../meta/objects.ts"
import type { GroupResource, Kind } from "../meta/kinds.ts"
import type { ScaleTarget, TargetProblem } from "./autoscalerObservation.ts"

export interface TargetKind {
  readonly kind: Kind
  readonly resource: GroupResource
}

/** Source: pkg/controller/podautoscaler/horizontal.go (scaleForResourceMappings). */
export const targetKindOf = (
  { scaleTargetRef }: Pick<Autoscaler["spec"], "scaleTargetRef">,
  served: ReadonlyArray<Kind>
): TargetKind | TargetProblem => {
  const { apiVersion = "", kind: kindName } = scaleTargetRef
  const parts = apiVersion.split("/")
  if (parts.length > 2) return { problem: `unexpected GroupVersion string: ${apiVersion}` }
  const group = parts.length === 2 ? (parts[0] ?? "") : ""
  const kinds = served.filter((it) => it.kind === kindName && it.group === group)
  const [first] = kinds
  if (first === undefined)
    return { problem: `no matches for kind ${goQuote(kindName)} in group ${goQuote(group)}` }
  const scalable = kinds.find(hasScale)
  if (scalable === undefined) return { problem: "the server could not find the requested resource" }
  return { kind: scalable, resource: groupResourceOf(storedKindOf(scalable)) }
}

const hasScale = ({ subresources }: Kind): boolean => subresources.some(({ name }) => name === "scale")

interface ScalableObject extends KubeObject {
  readonly spec?: { readonly replicas?: number; readonly selector?: LabelSelector | Record<string, string> }
  readonly status?: { readonly replicas?: number }
}

/** A custom resource's definition has the paths of the fields. */
export const scaleOfTarget = (object: ScalableObject, { custom }: Kind): ScaleTarget | TargetProblem => {
  if (custom?.scale === undefined) {
    const { replicas = 0, selector } = object.spec ?? {}
    return {
      replicas,
      statusReplicas: object.status?.replicas ?? 0,
      selector: selector === undefined ? undefined : formatSelector(labelSelectorOf(selector))
    }
  }
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = custom.scale
  const replicas = valueAtFieldPath(object, specReplicasPath)
  if (typeof replicas !== "number") {
    const why = `the spec replicas field ${JSON.stringify(specReplicasPath)} does not exist`
    return { problem: `Internal error occurred: ${why}` }
  }
  const statusReplicas = valueAtFieldPath(object, statusReplicasPath)
  const selector = labelSelectorPath === undefined ? undefined : valueAtFieldPath(object, labelSelectorPath)
  return {
    replicas,
    statusReplicas: typeof statusReplicas === "number" ? statusReplicas : 0,
    selector: typeof selector === "string" ? selector : undefined
  }
}

const labelSelectorOf = (selector: LabelSelector | Record<string, string>): LabelSelector =>
  "matchLabels" in selector || "matchExpressions" in selector
    ? selector
    : { matchLabels: selector as Record<string, string> }

export const withTargetReplicas = (
  object: ScalableObject,
  { custom }: Kind,
  replicas: number
): KubeObject & Pick<ScalableObject, "spec"> =>
  custom?.scale === undefined
    ? { ...object, spec: { ...object.spec, replicas } }
    : {
        ...object,
        ...withValueAtFieldPath(
          Object.fromEntries(Object.entries(object)),
          custom.scale.specReplicasPath,
          replicas
        )
      }
