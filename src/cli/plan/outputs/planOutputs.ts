import * as Effect from "effect/Effect"
import { CannotWrite, checkReplaceable, replaceFile } from "../../../platform/replaceFile.ts"
import { badInput } from "../../input/badInput.ts"
import { printDocument } from "../../terminal/printDocument.ts"
import type { PlanOutput } from "./planFormats.ts"
import type { BadInput } from "../../input/badInput.ts"

/** Adds a printed table if all outputs go to files. */
export const withPrintedOutput = (outputs: ReadonlyArray<PlanOutput>): ReadonlyArray<PlanOutput> =>
  outputs.some(({ file }) => file === undefined)
    ? outputs
    : [...outputs, { format: "table", file: undefined }]

export const checkOutputs = Effect.fnUntraced(function* (
  outputs: ReadonlyArray<PlanOutput>
): Effect.fn.Return<void, BadInput> {
  const printedFormats = outputs.filter(({ file }) => file === undefined).map(({ format }) => format)
  if (printedFormats.length > 1)
    return yield* badInput(
      `-o ${printedFormats.join(" and -o ")} would both be printed: write all but one to a file, as -o ${printedFormats[0]}=FILE`
    )
  const files = outputs.flatMap(({ file }) => file ?? [])
  const repeatedFile = files.find((file, index) => files.indexOf(file) !== index)
  if (repeatedFile !== undefined)
    return yield* badInput(`two outputs go to the file ${JSON.stringify(repeatedFile)}`)
  for (const file of files) yield* writeOrBadInput(file, () => checkReplaceable(file))
})

export const writeOutput = ({ file }: PlanOutput, text: string): Effect.Effect<void, BadInput> =>
  file === undefined ? printDocument(text) : writeOrBadInput(file, () => replaceFile(file, text))

const writeOrBadInput = (file: string, write: () => void): Effect.Effect<void, BadInput> =>
  Effect.try({
    try: write,
    catch: (cause) =>
      badInput(cause instanceof CannotWrite ? cause.message : `${JSON.stringify(file)} cannot be written`)
  })
