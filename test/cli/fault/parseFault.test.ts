import { describe, expect, it } from "vitest"
import { parseFault } from "../../../src/cli/fault/parseFault.ts"

describe("a fault parsed from FIELD=VALUE arguments", () => {
  it.each([
    { argument: "for=5m", value: "5m", why: "a duration is text" },
    { argument: "image=*", value: "*", why: "an asterisk is no YAML alias" },
    { argument: "image=a=b:1", value: "a=b:1", why: "only the first equals sign separates" },
    { argument: "error=", value: "", why: "an empty value is empty text" },
    { argument: "node=yes", value: "yes", why: "yes is no boolean" },
    { argument: "exitCode=137", value: 137, why: "a number" },
    { argument: "by=1.5", value: 1.5, why: "any number; the fault's schema decides" },
    { argument: "node='17'", value: "17", why: "a quoted number is text" },
    {
      argument: "pods={deployment: web, labels: {app: web}, count: 2}",
      value: { deployment: "web", labels: { app: "web" }, count: 2 },
      why: "a YAML map"
    },
    { argument: 'by={"uniform": ["1s", "8s"]}', value: { uniform: ["1s", "8s"] }, why: "JSON is YAML" }
  ])("$argument: $why", ({ argument, value }) => {
    const [field = ""] = argument.split("=")
    expect(parseFault("kill", [argument])).toEqual({ fault: "kill", [field]: value })
  })

  it.each([
    { args: ["node-2"], expectedText: '"node-2" is no FIELD=VALUE, such as for=5m' },
    { args: ["=5m"], expectedText: '"=5m" is no FIELD=VALUE, such as for=5m' },
    { args: ["for=5m", "for=6m"], expectedText: "for is given twice" },
    { args: ["fault=kill"], expectedText: "fault is given twice" },
    { args: ["pods={count: 2, count: 3}"], expectedText: "pods.count is given twice" },
    { args: ["pods={count: 2"], expectedText: "pods: not readable as YAML: flow map must end with a }" }
  ])("refuses $args: $expectedText", ({ args, expectedText }) => {
    expect(() => parseFault("nodeLost", args)).toThrow(expectedText)
  })
})
