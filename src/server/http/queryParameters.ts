import { badRequest } from "./statuses.ts"
import { goQuote } from "../../kubernetes/meta/text/goQuote.ts"
import type { Refusal } from "./statuses.ts"

export interface QueryParameters {
  readonly text: (name: string) => string | undefined
  readonly texts: (name: string) => ReadonlyArray<string>
  /** True for `1`, `true` and a bare name; throws for a value that is neither true nor false. */
  readonly flag: (name: string) => boolean
  readonly integer: (name: string) => number | undefined
}

export const parseQuery = (params: URLSearchParams): QueryParameters => {
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
      if (!booleans.has(value)) throw invalidSyntax(value, "strconv.ParseBool")
      return booleans.get(value) ?? false
    },
    integer: (name) => {
      const value = text(name)
      if (value === undefined) return undefined
      if (!/^[-+]?\d{1,18}$/.test(value)) throw invalidSyntax(value, "strconv.ParseInt")
      return Number(value)
    }
  }
}

export const requireParameter = (query: QueryParameters, name: string): string => {
  const value = query.text(name)
  if (value === undefined) throw badRequest(`${name}: Required value`)
  return value
}

/** Unlike `QueryParameters.flag`, false for a value that cannot be parsed. */
export const isTrueParameter = (value: string | null): boolean =>
  value !== null && booleans.get(value) === true

const invalidSyntax = (value: string, parser: string): Refusal =>
  badRequest(`${parser}: parsing ${goQuote(value)}: invalid syntax`)

/** Go's strconv.ParseBool, and the empty value of a bare `?watch`. */
const booleans = new Map([
  ...["", "1", "t", "T", "TRUE", "true", "True"].map((text) => [text, true] as const),
  ...["0", "f", "F", "FALSE", "false", "False"].map((text) => [text, false] as const)
])
