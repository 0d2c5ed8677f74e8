import { describe, expect, it } from "vitest"
import { builtInSamples, xstateReleaseReasons, unknownFields } from "../../src/compiler/xstateShape.ts"
import type { BuiltInSample } from "../../src/compiler/xstateShape.ts"

const sampleOf = (name: string): BuiltInSample => {
  const found = builtInSamples.find((sample) => sample.name === name)
  if (found === undefined) throw new Error(`there is no sample ${name}`)
  return found
}

describe("what XState makes of its actions and guards", () => {
  it("is as the compiler reads it", () => {
    expect(xstateReleaseReasons).toEqual([])
  })

  it.each(
    builtInSamples.flatMap(({ name, fields }) => Object.keys(fields).map((field) => ({ name, field })))
  )("is unknown if a release calls a field otherwise: $name.$field", ({ name, field }) => {
    const { result, fields } = sampleOf(name)
    const renamed = { ...(result as object), [field]: undefined, renamed: fields[field] }
    expect(unknownFields([{ name, result: renamed, fields }])).toEqual([`${name}.${field}`])
  })

  it("is unknown if nothing marks it as XState's own", () => {
    const { result, fields } = sampleOf("assign")
    const plain = { ...(result as object), resolve: undefined }
    expect(unknownFields([{ name: "assign", result: plain, fields }])).toEqual(["assign.resolve"])
  })
})
