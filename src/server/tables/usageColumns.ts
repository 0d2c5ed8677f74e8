import { makeColumn, nameColumn } from "./tableColumn.ts"
import {
  addQuantities,
  countQuantity,
  formatQuantity,
  parseQuantity
} from "../../kubernetes/meta/amounts/quantity.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { TableColumn } from "./tableColumn.ts"

interface Usage {
  readonly cpu: string
  readonly memory: string
}

interface UsageMetrics extends KubeObject {
  readonly window: string
  readonly usage?: Usage
  readonly containers?: ReadonlyArray<{ readonly usage: Usage }>
}

const totalUsageText = ({ usage, containers = [] }: UsageMetrics, resource: keyof Usage): string => {
  const usages = usage === undefined ? containers.map((it) => it.usage) : [usage]
  const sum = usages
    .map((it) => parseQuantity(it[resource]) ?? countQuantity(0))
    .reduce(addQuantities, countQuantity(0))
  return formatQuantity(sum)
}

/** Source: kubernetes-sigs/metrics-server, pkg/api/table.go. */
export const usageColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<UsageMetrics>("cpu", { description: "CPU in cores." }, (object) =>
    totalUsageText(object, "cpu")
  ),
  makeColumn<UsageMetrics>("memory", { description: "Memory in bytes." }, (object) =>
    totalUsageText(object, "memory")
  ),
  makeColumn<UsageMetrics>("Window", { description: "The time of the measurement." }, ({ window }) => window)
]
