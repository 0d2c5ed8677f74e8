import { formatSelector } from "../../kubernetes/meta/selectors/labelSelectors.ts"
import { listOrNone, makeColumn, textOrNone } from "./tableColumn.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { LabelSelector } from "kubernetes-types/meta/v1.js"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"

/** A CronJob has the Pod template in its Job template. */
interface Workload extends KubeObject {
  readonly spec?: {
    readonly selector?: LabelSelector
    readonly template?: { readonly spec?: Core.PodSpec }
    readonly jobTemplate?: { readonly spec?: { readonly template: { readonly spec?: Core.PodSpec } } }
  }
}

const templateContainersOf = ({ spec }: Workload) =>
  (spec?.template ?? spec?.jobTemplate?.spec?.template)?.spec?.containers ?? []

export const containersColumn = makeColumn<Workload>(
  "Containers",
  { wide: true, description: "Names of the containers in the template." },
  (object) => listOrNone(templateContainersOf(object).map(({ name }) => name))
)

export const imagesColumn = makeColumn<Workload>(
  "Images",
  { wide: true, description: "Images of the containers in the template." },
  (object) => listOrNone(templateContainersOf(object).map(({ image = "" }) => image))
)

export const selectorColumn = makeColumn<Workload>(
  "Selector",
  { wide: true, description: "The labels by which the object selects its Pods." },
  ({ spec }) => textOrNone(formatSelector(spec?.selector ?? {}))
)
