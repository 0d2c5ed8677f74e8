import { expect, it } from "vitest"
import { unknownNodeLabels } from "../../../src/plan/verdicts/nodeLabels.ts"
import { aNode } from "../../builders.ts"

const nodes = [aNode({ name: "n1", labels: { role: "web" } }), aNode({ name: "n2", labels: {} })]

it.each([
  { role: "web", unknown: [] },
  { role: "db", unknown: ["role: db"] },
  { role: "", unknown: ["role: "] }
])("a node without a label has no value of it: $role", ({ role, unknown }) => {
  expect(unknownNodeLabels({ nodeSelector: { role } }, nodes)).toEqual(unknown)
})

const linux = aNode({ name: "n1", labels: { "kubernetes.io/os": "linux" } })

it.each([
  { name: "linux", unknown: [] },
  { name: "windows", unknown: ["kubernetes.io/os: windows"] }
])("only a node of the Pod's system takes it: $name", ({ name, unknown }) => {
  expect(unknownNodeLabels({ os: { name } }, [linux])).toEqual(unknown)
})
