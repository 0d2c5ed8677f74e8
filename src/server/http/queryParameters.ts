import { badRequest } from "./statuses.ts"
import { goQuote } from "../../kubernetes/meta/text/goQuote.ts"
import type { Refusal } from "./statuses.ts"

export interface QueryParameters {
  readonly text: (name: string) => string | undefined
  readonly texts: (name: string) => ReadonlyArray<string>
  /** Source: apimachinery/pkg/runtime/conversion.go (Convert_Slice_string_To_bool). */
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
      return value !== null && value !== "0" && value.toLowerCase() !== "false"
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

/** Source: apiserver/pkg/endpoints/handlers/negotiation/negotiate.go (isPrettyPrint), which uses strconv.ParseBool. */
export const isParsedAsTrue = (value: string): boolean => /^(?:1|t|T|TRUE|true|True)$/.test(value)

const invalidSyntax = (value: string, parser: string): Refusal =>
  badRequest(`${parser}: parsing ${goQuote(value)}: invalid syntax`)
