import { timestampMillis } from "../../kubernetes/meta/amounts/timestamps.ts"
import { shortAge } from "../../kubernetes/meta/text/shortAge.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"

export interface TableColumn {
  readonly name: string
  readonly type: string
  readonly format: string
  readonly description: string
  /** 0 is always shown, 1 only with `-o wide`. */
  readonly priority: number
  readonly cell: (object: KubeObject, nowMillis: number) => string | number | boolean | null
}

export interface ColumnOptions {
  readonly type?: TableColumn["type"]
  readonly format?: string
  readonly wide?: boolean
  readonly description: string
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- callers say what their rows are
export const makeColumn = <O extends KubeObject>(
  name: string,
  { type = "string", format = "", wide = false, description }: ColumnOptions,
  cell: (object: O, nowMillis: number) => string | number | boolean
): TableColumn => ({
  name,
  type,
  format,
  description,
  priority: wide ? 1 : 0,
  cell: (object, nowMillis) => {
    try {
      return cell(object as O, nowMillis)
    } catch {
      // Kinds without a controller are stored without validation: required fields may be missing.
      return "<none>"
    }
  }
})

export const nameColumn = makeColumn(
  "Name",
  { format: "name", description: "The name of the object." },
  (object) => object.metadata.name
)

export const ageColumn = makeColumn(
  "Age",
  { description: "How long ago the object was created." },
  ({ metadata }, nowMillis) => ageText(metadata.creationTimestamp, nowMillis)
)

export const createdColumn = makeColumn(
  "Created At",
  { type: "date", description: "When the object was created." },
  ({ metadata }) => metadata.creationTimestamp
)

export const ageText = (timestamp: string | undefined, nowMillis: number): string =>
  timestamp === undefined ? "<unknown>" : shortAge(nowMillis - timestampMillis(timestamp))

export const textOrNone = (text: string | undefined): string =>
  text === undefined || text === "" ? "<none>" : text

export const listOrNone = (items: ReadonlyArray<string>): string => textOrNone(items.join(","))
