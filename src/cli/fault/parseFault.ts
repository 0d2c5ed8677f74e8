import { parseYamlDocuments } from "../../manifests/yamlDocuments.ts"

export class InvalidFaultField extends Error {}

/**
 * Parses `nodeLost node=node-2 for=5m`. A value that begins with `{`, `[` or a quote is YAML; others are numbers or
 * text, so that `image=*` needs no quotes. Throws `InvalidFaultField`.
 */
export const parseFault = (
  name: string,
  fieldArguments: ReadonlyArray<string>
): Readonly<Record<string, unknown>> => {
  const fields = new Map<string, unknown>([["fault", name]])
  for (const argument of fieldArguments) {
    const [, field, text] = /^([^=]+)=([^]*)$/.exec(argument) ?? []
    if (field === undefined || text === undefined)
      throw new InvalidFaultField(`${JSON.stringify(argument)} is no FIELD=VALUE, such as for=5m`)
    if (fields.has(field)) throw new InvalidFaultField(`${field} is given twice`)
    fields.set(field, parseFieldValue(field, text))
  }
  return Object.fromEntries(fields)
}

const parseFieldValue = (field: string, text: string): unknown => {
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  if (!/^\s*[{["']/.test(text)) return text
  const { documents, problems } = parseYamlDocuments(text)
  const [problem] = problems
  if (problem !== undefined) throw new InvalidFaultField(`${field}: ${problem.message}`)
  const [{ value, duplicates } = { value: undefined, duplicates: [] }] = documents
  const [duplicate] = duplicates
  if (duplicate !== undefined)
    throw new InvalidFaultField(`${[field, ...duplicate.path].join(".")} is given twice`)
  return value
}
