import { millisOf } from "../../domain/timestamps.ts"
import { shortAge } from "../../domain/ages.ts"
import type { KubeObject } from "../../domain/objects.ts"

export interface Column {
  readonly name: string
  readonly type: string
  readonly format: string
  readonly description: string
  /** 0 is always shown, 1 only with `-o wide`. */
  readonly priority: number
  readonly cell: (object: KubeObject, nowMillis: number) => string | number | boolean | null
}

interface ColumnOptions {
  readonly type?: Column["type"]
  readonly format?: string
  readonly wide?: boolean
  readonly tells: string
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- callers say what their rows are
export const column = <O extends KubeObject>(
  name: string,
  { type = "string", format = "", wide = false, tells }: ColumnOptions,
  cell: (object: O, nowMillis: number) => string | number
): Column => ({
  name,
  type,
  format,
  description: tells,
  priority: wide ? 1 : 0,
  cell: (object, nowMillis) => {
    try {
      return cell(object as O, nowMillis)
    } catch {
      // Kinds without a controller are stored without validation: an object may lack required fields.
      return "<none>"
    }
  }
})

export const nameColumn = column(
  "Name",
  { format: "name", tells: "What the object is called." },
  (object) => object.metadata.name
)

export const ageColumn = column(
  "Age",
  { tells: "How long ago the object was created." },
  ({ metadata }, nowMillis) => ageSince(metadata.creationTimestamp, nowMillis)
)

export const createdColumn = column(
  "Created At",
  { type: "date", tells: "When the object was created." },
  ({ metadata }) => metadata.creationTimestamp
)

export const ageSince = (timestamp: string | undefined, nowMillis: number): string =>
  timestamp === undefined ? "<unknown>" : shortAge(nowMillis - millisOf(timestamp))

export const orNone = (text: string | undefined): string =>
  text === undefined || text === "" ? "<none>" : text

export const listOrNone = (items: ReadonlyArray<string>): string => orNone(items.join(","))
