import { badRequest } from "./statuses.ts"
import type { Refusal } from "./statuses.ts"

/** The parameters of a request, read as Kubernetes reads them. */
export interface Query {
  readonly text: (name: string) => string | undefined
  readonly texts: (name: string) => ReadonlyArray<string>
  /** `1`, `true` and a bare name are true; anything else that is not false is refused. */
  readonly flag: (name: string) => boolean
  readonly integer: (name: string) => number | undefined
}

/** Throws a `Refusal` when a parameter that is asked for cannot be read. */
export const readQuery = (params: URLSearchParams): Query => {
  const text = (name: string): string | undefined => {
    const value = params.get(name)
    return value === null || value === "" ? undefined : value
  }
  return {
    text,
    texts: (name) => params.getAll(name).filter((value) => value !== ""),
    flag: (name) => {
      const value = params.get(name)
      if (value === null) return false
      if (!booleans.has(value)) throw unreadable(value, "strconv.ParseBool")
      return booleans.get(value) ?? false
    },
    integer: (name) => {
      const value = text(name)
      if (value === undefined) return undefined
      if (!/^[-+]?\d{1,18}$/.test(value)) throw unreadable(value, "strconv.ParseInt")
      return Number(value)
    }
  }
}

/** Whether a parameter is true; one that cannot be read is not. */
export const saysTrue = (value: string | null): boolean => value !== null && booleans.get(value) === true

const unreadable = (value: string, parser: string): Refusal =>
  badRequest(`${parser}: parsing ${JSON.stringify(value)}: invalid syntax`)

/** As Go reads them, with the empty text of a bare `?watch` for true. */
const booleans = new Map([
  ...["", "1", "t", "T", "TRUE", "true", "True"].map((text) => [text, true] as const),
  ...["0", "f", "F", "FALSE", "false", "False"].map((text) => [text, false] as const)
])
