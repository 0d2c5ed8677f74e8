import { expect, it } from "vitest"
import { problemText } from "../../src/manifests/manifestDocument.ts"
import { readManifests } from "../../src/manifests/readManifests.ts"

const before = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n"

/** As kubectl 1.32 reads them. */
it.each([
  { why: "before the first field", text: `\t\n${before}`, place: "1:1" },
  { why: "at the start of a line after a value", text: `${before}\t\ndata: {}\n`, place: "5:1" },
  { why: "in the column of the fields after a value", text: `${before}  \t\ndata: {}\n`, place: "5:3" },
  { why: "beyond the fields after a value", text: `${before}   \t\ndata: {}\n` },
  {
    why: "before the first field of an object",
    text: before.replace("  name", "    \t\n  name"),
    place: "4:5"
  },
  { why: "before a comment", text: `${before}\t# none\n`, place: "5:1" },
  { why: "in a line of Windows", text: `${before}\t\ndata: {}\n`.replaceAll("\n", "\r\n"), place: "5:1" },
  { why: "after a value in its line", text: before.replace("name: a", "name: a\t") },
  { why: "in an object in braces", text: before.replace("\n  name: a", " {\n  name: a\n\t\n }") },
  { why: "in a text", text: `${before}data:\n  a: |\n    x\n    \t\n    y\n` }
])("a line with a tab $why is refused at $place", ({ text, place }) => {
  const { problems } = readManifests([{ name: "a.yaml", text }], { strict: true })
  const refusal = `a.yaml:${place}: not readable as YAML: tabs are not allowed as indentation`
  expect(problems.map(problemText)).toEqual(place === undefined ? [] : [refusal])
})
