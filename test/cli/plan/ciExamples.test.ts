import { readFileSync } from "node:fs"
import { beforeAll, describe, expect, it } from "vitest"
import { parse } from "yaml"
import { commentMarker } from "../../../src/reports/plan/planMarkdown.ts"
import { planFormats } from "../../../src/cli/plan/outputs/planFormats.ts"
import { charthouse } from "../harness/charthouse.ts"
import { projectPath } from "../../projectPath.ts"

const names = ["action/action.yml", "github.yaml", "gitlab.yaml", "Makefile"]
const textOf = (name: string) => readFileSync(projectPath(`scripts/examples/ci/${name}`), "utf8")

/** The arguments of each `plan` in a file, with its lines joined. */
const planArguments = (text: string): ReadonlyArray<ReadonlyArray<string>> =>
  [...text.replaceAll(/\\\n\s*/g, "").matchAll(/ plan (.*--base.*)$/gm)].map(([, line = ""]) =>
    line.split(/\s+/)
  )

describe("the examples for CI", () => {
  let help = ""
  beforeAll(async () => {
    help = (await charthouse(["plan", "--help"])).stdout
  })

  it.each(names.filter((name) => name !== "github.yaml"))(
    "%s gives plan flags and formats that it has",
    (name) => {
      const commands = planArguments(textOf(name))
      expect(commands).not.toEqual([])
      const flags = commands.flat().filter((it) => /^--?[a-z]/.test(it))
      expect(flags.filter((flag) => !new RegExp(`(^|[\\s,])${flag}\\b`, "m").test(help))).toEqual([])
      const formats = commands.flatMap((line) => line.filter((_, index) => line[index - 1] === "-o"))
      const known = formats.map((it) => it.replace(/^"/, "").replace(/=.*$/, ""))
      expect(known.filter((it) => !planFormats.some((format) => format === it))).toEqual([])
    }
  )

  it.each(names.filter((name) => name !== "Makefile"))("%s is YAML", (name) => {
    expect(parse(textOf(name))).toBeTypeOf("object")
  })

  it.each(["action/action.yml", "gitlab.yaml"])("%s finds the comment by its first line", (name) => {
    expect(textOf(name)).toContain(
      `startsWith("${commentMarker}")`.replace(
        "startsWith",
        name.startsWith("action") ? "startswith" : "startsWith"
      )
    )
  })

  it("has an action that takes no value into a script", () => {
    const { runs } = parse(textOf("action/action.yml")) as {
      runs: { steps: ReadonlyArray<{ run?: string }> }
    }
    expect(runs.steps.filter(({ run = "" }) => run.includes("${{"))).toEqual([])
  })
})
