import { formatSelector } from "../../kubernetes/meta/selectors/labelSelectors.ts"
import { ageColumn, makeColumn, listOrNone, nameColumn, orNone } from "./tableColumn.ts"
import type { Deployment, PodSpec, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { TableColumn } from "./tableColumn.ts"

/** Source: pkg/printers/internalversion/printers.go (AddHandlers, printDeployment, printReplicaSet). */

interface Templated {
  readonly spec: { readonly template: { readonly spec?: PodSpec } }
}

const containersOf = ({ spec }: Templated) => spec.template.spec?.containers ?? []

const containerColumns: ReadonlyArray<TableColumn> = [
  makeColumn<Deployment | ReplicaSet>(
    "Containers",
    { wide: true, description: "Names of the containers in the template." },
    (object) => listOrNone(containersOf(object).map(({ name }) => name))
  ),
  makeColumn<Deployment | ReplicaSet>(
    "Images",
    { wide: true, description: "Images of the containers in the template." },
    (object) => listOrNone(containersOf(object).map(({ image = "" }) => image))
  ),
  makeColumn<Deployment | ReplicaSet>(
    "Selector",
    { wide: true, description: "The labels by which the object selects its Pods." },
    ({ spec }) => orNone(formatSelector(spec.selector))
  )
]

export const deploymentColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<Deployment>(
    "Ready",
    { description: "Ready Pods out of those wanted." },
    ({ spec, status }) => `${status.readyReplicas ?? 0}/${spec.replicas}`
  ),
  makeColumn<Deployment>(
    "Up-to-date",
    { description: "Pods of the current template." },
    ({ status }) => status.updatedReplicas ?? 0
  ),
  makeColumn<Deployment>(
    "Available",
    { description: "Pods that have been ready for minReadySeconds." },
    ({ status }) => status.availableReplicas ?? 0
  ),
  ageColumn,
  ...containerColumns
]

export const replicaSetColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<ReplicaSet>(
    "Desired",
    { type: "integer", description: "Pods wanted." },
    ({ spec }) => spec.replicas
  ),
  makeColumn<ReplicaSet>(
    "Current",
    { type: "integer", description: "The number of Pods." },
    ({ status }) => status.replicas ?? 0
  ),
  makeColumn<ReplicaSet>(
    "Ready",
    { type: "integer", description: "Pods that are ready." },
    ({ status }) => status.readyReplicas ?? 0
  ),
  ageColumn,
  ...containerColumns
]
