import { shortAge } from "../../kubernetes/meta/text/shortAge.ts"
import { ageColumn, nameColumn } from "./tableColumn.ts"
import { evaluateJsonPath } from "./jsonPath.ts"
import type { CustomResourceVersion, PrinterColumn } from "../../kubernetes/meta/kinds.ts"
import type { TableColumn } from "./tableColumn.ts"

/** Shows the age if the definition has no `additionalPrinterColumns`. */
export const customColumns = ({ printerColumns }: CustomResourceVersion): ReadonlyArray<TableColumn> => [
  nameColumn,
  ...(printerColumns.length === 0 ? [ageColumn] : printerColumns.map(columnOf))
]

/** Source: apiextensions-apiserver/pkg/registry/customresource/tableconvertor/tableconvertor.go. */
const columnOf = ({ name, type, format, description, priority, jsonPath }: PrinterColumn): TableColumn => ({
  name,
  type,
  format: format ?? "",
  description: description ?? `Custom resource definition column (in JSONPath format): ${jsonPath}`,
  priority: priority ?? 0,
  cell: (object, nowMillis) => cellOf(evaluateJsonPath(object, jsonPath), { type, nowMillis })
})

const cellOf = (
  values: ReadonlyArray<unknown>,
  { type, nowMillis }: { readonly type: string; readonly nowMillis: number }
): string | number | boolean | null => {
  const [value] = values
  if (value === undefined || value === null) return null
  switch (type) {
    case "integer":
      return typeof value === "number" ? Math.trunc(value) : null
    case "number":
      return typeof value === "number" ? value : null
    case "boolean":
      return typeof value === "boolean" ? value : null
    case "string":
      return typeof value === "string" ? value : JSON.stringify(value)
    case "date":
      return dateCell(value, nowMillis)
    default:
      return null
  }
}

const dateCell = (value: unknown, nowMillis: number): string => {
  const millis = typeof value === "string" ? Date.parse(value) : Number.NaN
  return Number.isNaN(millis) ? "<invalid>" : shortAge(nowMillis - millis)
}
