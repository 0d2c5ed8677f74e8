import { describe, expect, it } from "vitest"
import { faultText } from "../../../src/faults/faultText.ts"
import { storyStepText } from "../../../src/scenario/stories/storyStepText.ts"

describe("the text of a patch step", () => {
  const rows: ReadonlyArray<{ readonly why: string; readonly with: object; readonly fields: string }> = [
    { why: "one field", with: { spec: { replicas: 7 } }, fields: "spec.replicas" },
    { why: "a secret value", with: { stringData: { password: "hunter2" } }, fields: "stringData.password" },
    {
      why: "a list as one field",
      with: { spec: { template: { spec: { containers: [{ name: "web", env: [{ value: "hunter2" }] }] } } } },
      fields: "spec.template.spec.containers"
    },
    {
      why: "a name with dots in it",
      with: { metadata: { annotations: { "example.com/key": "hunter2", plain: "hunter2" } } },
      fields: "metadata.annotations[example.com/key], metadata.annotations.plain"
    },
    { why: "deleted and emptied fields", with: { data: null, spec: {} }, fields: "data, spec" },
    { why: "many fields", with: { a: 1, b: { c: 2, d: 3 }, e: 5 }, fields: "a, b.c and 2 more" },
    { why: "no field", with: {}, fields: "nothing" },
    {
      why: "JSON patch operations, each path once",
      with: [
        { op: "test", path: "/data/key", value: "hunter2" },
        { op: "replace", path: "/data/key", value: "hunter3" },
        { op: "remove", path: "/metadata/labels" }
      ],
      fields: "/data/key, /metadata/labels"
    }
  ]
  it.each(rows)("names the fields without their values: $why", ({ with: patch, fields }) => {
    expect(storyStepText({ patch: "secret/db", with: patch }, faultText)).toBe(`patch secret/db in ${fields}`)
  })
})
