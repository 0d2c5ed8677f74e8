import { describe, expect, it } from "vitest"
import { parseFault } from "../../src/cli/fault/parseFault.ts"

describe("a fault in words", () => {
  it.each([
    { word: "for=5m", value: "5m", why: "a duration is text" },
    { word: "image=*", value: "*", why: "no alias of YAML's" },
    { word: "image=a=b:1", value: "a=b:1", why: "only the first sign parts" },
    { word: "error=", value: "", why: "nothing is text too" },
    { word: "node=yes", value: "yes", why: "no truth of YAML's" },
    { word: "exitCode=137", value: 137, why: "a number" },
    { word: "by=1.5", value: 1.5, why: "told to be none by whoever knows the field" },
    { word: "node='17'", value: "17", why: "a number that is meant as text" },
    {
      word: "pods={deployment: web, labels: {app: web}, count: 2}",
      value: { deployment: "web", labels: { app: "web" }, count: 2 },
      why: "a map as YAML has it"
    },
    { word: 'by={"uniform": ["1s", "8s"]}', value: { uniform: ["1s", "8s"] }, why: "JSON is YAML" }
  ])("$word: $why", ({ word, value }) => {
    const [field = ""] = word.split("=")
    expect(parseFault("kill", [word])).toEqual({ fault: "kill", [field]: value })
  })

  it.each([
    { words: ["node-2"], says: '"node-2" is no FIELD=VALUE, such as for=5m' },
    { words: ["=5m"], says: '"=5m" is no FIELD=VALUE, such as for=5m' },
    { words: ["for=5m", "for=6m"], says: "for is given twice" },
    { words: ["fault=kill"], says: "fault is given twice" },
    { words: ["pods={count: 2, count: 3}"], says: "pods.count is given twice" },
    { words: ["pods={count: 2"], says: "pods: not readable as YAML: flow map must end with a }" }
  ])("refuses $words: $says", ({ words, says }) => {
    expect(() => parseFault("nodeLost", words)).toThrow(says)
  })
})
