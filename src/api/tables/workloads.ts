import { formatSelector } from "../../domain/selectors.ts"
import { ageColumn, column, listOrNone, nameColumn, orNone } from "./column.ts"
import type { Deployment, PodSpec, ReplicaSet } from "../../domain/objects.ts"
import type { Column } from "./column.ts"

/** Source: pkg/printers/internalversion/printers.go (AddHandlers, printDeployment, printReplicaSet). */

interface Templated {
  readonly spec: { readonly template: { readonly spec?: PodSpec } }
}

const containersOf = ({ spec }: Templated) => spec.template.spec?.containers ?? []

const containerColumns: ReadonlyArray<Column> = [
  column<Deployment | ReplicaSet>(
    "Containers",
    { wide: true, tells: "Names of the containers in the template." },
    (object) => listOrNone(containersOf(object).map(({ name }) => name))
  ),
  column<Deployment | ReplicaSet>(
    "Images",
    { wide: true, tells: "Images of the containers in the template." },
    (object) => listOrNone(containersOf(object).map(({ image = "" }) => image))
  ),
  column<Deployment | ReplicaSet>(
    "Selector",
    { wide: true, tells: "The labels by which it finds its Pods." },
    ({ spec }) => orNone(formatSelector(spec.selector))
  )
]

export const deploymentColumns: ReadonlyArray<Column> = [
  nameColumn,
  column<Deployment>(
    "Ready",
    { tells: "Ready Pods out of those wanted." },
    ({ spec, status }) => `${status.readyReplicas ?? 0}/${spec.replicas}`
  ),
  column<Deployment>(
    "Up-to-date",
    { tells: "Pods of the present template." },
    ({ status }) => status.updatedReplicas ?? 0
  ),
  column<Deployment>(
    "Available",
    { tells: "Pods that have been ready for long enough." },
    ({ status }) => status.availableReplicas ?? 0
  ),
  ageColumn,
  ...containerColumns
]

export const replicaSetColumns: ReadonlyArray<Column> = [
  nameColumn,
  column<ReplicaSet>("Desired", { type: "integer", tells: "Pods wanted." }, ({ spec }) => spec.replicas),
  column<ReplicaSet>(
    "Current",
    { type: "integer", tells: "Pods there are." },
    ({ status }) => status.replicas ?? 0
  ),
  column<ReplicaSet>(
    "Ready",
    { type: "integer", tells: "Pods that are ready." },
    ({ status }) => status.readyReplicas ?? 0
  ),
  ageColumn,
  ...containerColumns
]
