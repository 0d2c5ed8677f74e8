import { readYaml } from "../manifests/yamlDocuments.ts"

/** A word that is no field of a fault. */
export class NoField extends Error {}

/**
 * A fault as words say it: `nodeLost node=node-2 for=5m`. What begins with a bracket or a quote is YAML, a number is a
 * number, and everything else is the text that it is: `image=*` needs no more quotes than the shell's.
 */
export const faultOf = (name: string, words: ReadonlyArray<string>): Readonly<Record<string, unknown>> => {
  const fields = new Map<string, unknown>([["fault", name]])
  for (const word of words) {
    const [, field, text] = /^([^=]+)=([^]*)$/.exec(word) ?? []
    if (field === undefined || text === undefined)
      throw new NoField(`${JSON.stringify(word)} is no FIELD=VALUE, such as for=5m`)
    if (fields.has(field)) throw new NoField(`${field} is given twice`)
    fields.set(field, valueOf(field, text))
  }
  return Object.fromEntries(fields)
}

const valueOf = (field: string, text: string): unknown => {
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  if (!/^\s*[{["']/.test(text)) return text
  const { documents, problems } = readYaml(text)
  const [problem] = problems
  if (problem !== undefined) throw new NoField(`${field}: ${problem.message}`)
  const [{ value, repeated } = { value: undefined, repeated: [] }] = documents
  const [twice] = repeated
  if (twice !== undefined) throw new NoField(`${[field, ...twice.path].join(".")} is given twice`)
  return value
}
