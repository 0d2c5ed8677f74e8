import { textOrEmpty } from "../../kubernetes/meta/fields.ts"
import { faultSchemas } from "../../faults/schemas/faultSchemas.ts"
import { printData, printLines } from "../terminal/terminal.ts"
import { tableLines } from "../terminal/tableLines.ts"
import type * as Schema from "effect/Schema"
import type { ExitCode } from "../terminal/exitCode.ts"

export const printFaultKinds = (output: "text" | "json"): ExitCode => {
  const kinds = Object.entries(faultSchemas).map(([fault, { fields, ast }]) => ({
    fault,
    fields: fieldsOf(fields),
    about: textOrEmpty(ast.annotations?.["description"])
  }))
  if (output === "json") printData(`${JSON.stringify({ items: kinds })}\n`)
  else {
    const rows = kinds.map(({ fault, fields, about }) => [fault, fields.map(fieldText).join(" "), about])
    printLines(tableLines([["FAULT", "FIELDS", "ABOUT"], ...rows]))
  }
  return 0
}

interface Field {
  readonly name: string
  readonly isRequired: boolean
}

const fieldsOf = (fields: Schema.Struct.Fields): ReadonlyArray<Field> =>
  Object.entries(fields)
    .filter(([name]) => name !== "fault")
    .map(([name, { ast }]) => ({ name, isRequired: ast.context?.isOptional !== true }))

const fieldText = ({ name, isRequired }: Field): string => (isRequired ? name : `[${name}]`)
