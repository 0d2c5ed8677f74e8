import { groupResourceOf, resources, storedKindOf } from "../../domain/kinds.ts"
import { customColumns } from "../customResources/columns.ts"
import { ageColumn, createdColumn, nameColumn } from "./column.ts"
import { passiveKindColumns } from "./keptKinds.ts"
import { certificateRequestColumns } from "./certificateRequests.ts"
import { podColumns } from "./pods.ts"
import { deploymentColumns, replicaSetColumns } from "./workloads.ts"
import {
  budgetColumns,
  configMapColumns,
  endpointsColumns,
  eventColumns,
  leaseColumns,
  namespaceColumns,
  nodeColumns,
  secretColumns,
  serviceColumns
} from "./others.ts"
import {
  autoscalerColumns,
  endpointSliceColumns,
  podTemplateColumns,
  priorityClassColumns,
  quotaColumns
} from "./policies.ts"
import type { GroupResource, Kind } from "../../domain/kinds.ts"
import type { TableColumn } from "./column.ts"

const byResource: Readonly<Record<GroupResource, ReadonlyArray<TableColumn>>> = {
  [resources.deployments]: deploymentColumns,
  [resources.replicaSets]: replicaSetColumns,
  [resources.pods]: podColumns,
  [resources.events]: eventColumns,
  [resources.namespaces]: namespaceColumns,
  [resources.nodes]: nodeColumns,
  configmaps: configMapColumns,
  secrets: secretColumns,
  services: serviceColumns,
  endpoints: endpointsColumns,
  [resources.leases]: leaseColumns,
  "poddisruptionbudgets.policy": budgetColumns,
  resourcequotas: quotaColumns,
  serviceaccounts: [nameColumn, ageColumn],
  podtemplates: podTemplateColumns,
  "horizontalpodautoscalers.autoscaling": autoscalerColumns,
  "priorityclasses.scheduling.k8s.io": priorityClassColumns,
  [resources.certificateRequests]: certificateRequestColumns,
  "endpointslices.discovery.k8s.io": endpointSliceColumns,
  ...passiveKindColumns
}

/**
 * Columns of kinds without printer columns.
 *
 * Source: staging/src/k8s.io/apiserver/pkg/registry/rest/table.go.
 */
const columnsOfAny: ReadonlyArray<TableColumn> = [nameColumn, createdColumn]

export const tableColumns = (kind: Kind): ReadonlyArray<TableColumn> =>
  kind.custom === undefined
    ? (byResource[groupResourceOf(storedKindOf(kind))] ?? columnsOfAny)
    : customColumns(kind.custom)
