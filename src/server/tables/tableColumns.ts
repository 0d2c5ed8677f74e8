import { groupResourceOf, resources, storedKindOf } from "../../kubernetes/meta/kinds.ts"
import { customColumns } from "./customColumns.ts"
import { ageColumn, createdColumn, nameColumn } from "./tableColumn.ts"
import { extensionColumns } from "./extensionColumns.ts"
import { infrastructureColumns } from "./infrastructureColumns.ts"
import { otherKindColumns } from "./otherKindColumns.ts"
import { certificateRequestColumns } from "./certificateRequestColumns.ts"
import { podColumns } from "./podColumns.ts"
import { deploymentColumns, replicaSetColumns } from "./workloadColumns.ts"
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
} from "./coreColumns.ts"
import {
  autoscalerColumns,
  endpointSliceColumns,
  podTemplateColumns,
  priorityClassColumns,
  quotaColumns
} from "./policyColumns.ts"
import { usageColumns } from "./usageColumns.ts"
import type { GroupResource, Kind } from "../../kubernetes/meta/kinds.ts"
import type { TableColumn } from "./tableColumn.ts"

const columnsByResource: Readonly<Record<GroupResource, ReadonlyArray<TableColumn>>> = {
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
  "nodes.metrics.k8s.io": usageColumns,
  "pods.metrics.k8s.io": usageColumns,
  "priorityclasses.scheduling.k8s.io": priorityClassColumns,
  [resources.certificateRequests]: certificateRequestColumns,
  "endpointslices.discovery.k8s.io": endpointSliceColumns,
  ...otherKindColumns,
  ...extensionColumns,
  ...infrastructureColumns
}

/**
 * Columns of kinds without printer columns.
 *
 * Source: apiserver/pkg/registry/rest/table.go.
 */
const defaultColumns: ReadonlyArray<TableColumn> = [nameColumn, createdColumn]

export const tableColumns = (kind: Kind): ReadonlyArray<TableColumn> =>
  kind.custom === undefined
    ? (columnsByResource[groupResourceOf(storedKindOf(kind))] ?? defaultColumns)
    : customColumns(kind.custom)
