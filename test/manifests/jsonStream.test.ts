import { expect, it } from "vitest"
import { readManifests } from "../../src/manifests/readManifests.ts"
import { splitJsonStream } from "../../src/manifests/jsonStream.ts"

const [a = "", b = "", c = ""] = ["a", "b", "c"].map((name) =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } })
)

it("counts the lines and columns of the whole file, also for an object that begins in the middle of a line", () => {
  const text = `${a}\n\n  ${b}${c}\n`
  const { documents } = readManifests([{ name: "all.json", text }], { strict: true })
  const column = 1 + a.indexOf('"name"')
  expect(documents.map(({ placeOf }) => placeOf(["metadata", "name"]))).toEqual([
    { line: 1, column },
    { line: 3, column: column + 2 },
    { line: 3, column: column + 2 + b.length }
  ])
})

it.each([
  { why: "one object", text: a },
  { why: "YAML after an object, which is one faulty document", text: `${a}\nkind: ConfigMap\n` },
  { why: "an object that does not end", text: `${a}\n{"kind": "ConfigMap"` },
  { why: "flow mappings of YAML", text: "{kind: ConfigMap}\n---\n{kind: Secret}\n" }
])("leaves $why as it is", ({ text }) => {
  expect(splitJsonStream(text).map((part) => part.text)).toEqual([text])
})
