import { ageColumn, makeColumn, nameColumn } from "./tableColumn.ts"
import { containersColumn, imagesColumn, selectorColumn } from "./templateColumns.ts"
import type { Deployment, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { TableColumn } from "./tableColumn.ts"

/** Source: pkg/printers/internalversion/printers.go (AddHandlers, printDeployment, printReplicaSet). */

const templateColumns: ReadonlyArray<TableColumn> = [containersColumn, imagesColumn, selectorColumn]

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
  ...templateColumns
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
  ...templateColumns
]
