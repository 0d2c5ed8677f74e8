import { spawnSync } from "node:child_process"
import { describe, expect, it } from "vitest"
import {
  benchUsage,
  chosenNames,
  InvalidArgument,
  parseBenchArguments
} from "../../scripts/bench/benchArguments.ts"
import { measures } from "../../scripts/bench/measures.ts"
import { reasonIn } from "../../scripts/bench/measureInChild.ts"
import { projectPath } from "../projectPath.ts"

describe("the arguments", () => {
  it("measure everything five times, alone, without any", () => {
    expect(parseBenchArguments([])).toEqual({ json: false, markdown: false, runs: 5 })
  })

  it("choose lines, pairs and another commit", () => {
    expect(parseBenchArguments(["--against", "e25cae5", "--only", "Pods", "--runs", "7", "--json"])).toEqual({
      json: true,
      markdown: false,
      runs: 7,
      only: "Pods",
      against: "e25cae5"
    })
  })

  it("ask for help in two ways", () => {
    expect(parseBenchArguments(["--help"])).toBe("help")
    expect(parseBenchArguments(["--json", "-h"])).toBe("help")
  })

  it.each([
    { args: ["--runs", "0"], problem: '--runs must be an integer of at least 1, not "0"' },
    { args: ["--runs", "many"], problem: '--runs must be an integer of at least 1, not "many"' },
    { args: ["--runs="], problem: '--runs must be an integer of at least 1, not ""' },
    { args: ["--against", " "], problem: "--against needs a commit, or the folder of a built checkout" },
    {
      args: ["--markdown", "--against", "main"],
      problem: "--markdown is for the lines of this checkout alone"
    },
    {
      args: ["--take", "page"],
      problem: "--take and --checkout, for one process of a measure, need each other"
    },
    {
      args: ["--checkout", "."],
      problem: "--take and --checkout, for one process of a measure, need each other"
    },
    { args: ["--agianst", "main"], problem: "Unknown option '--agianst'" },
    { args: ["main"], problem: "Unexpected argument 'main'" }
  ])("$args are refused", ({ args, problem }) => {
    const parse = () => parseBenchArguments(args)
    expect(parse).toThrow(InvalidArgument)
    expect(parse).toThrow(problem)
  })
})

describe("the program", () => {
  const bench = (...args: ReadonlyArray<string>) => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [projectPath("scripts/bench/main.ts"), ...args],
      {
        encoding: "utf8"
      }
    )
    return { status, stdout, stderr }
  }

  it("tells how it is used, and does nothing else", () => {
    expect(bench("--help")).toEqual({ status: 0, stdout: benchUsage, stderr: "" })
  })

  it.each([
    { args: ["--against", "no-such-commit"], problem: "--against: git knows no commit no-such-commit" },
    { args: ["--only", "no such line"], problem: 'no line has "no such line" in its name:' }
  ])("tells what is wrong with $args and how it is used, before it builds", ({ args, problem }) => {
    const { status, stdout, stderr } = bench(...args)
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" })
    expect(stderr.startsWith(problem)).toBe(true)
    expect(stderr.endsWith(`\n\n${benchUsage}`)).toBe(true)
    expect(stderr).not.toContain("build.ts")
  })

  it("prints the stack of a defect of its own", () => {
    const { status, stderr } = bench("--take", "no such line", "--checkout", ".")
    expect(status).toBe(1)
    expect(stderr).toMatch(/^Error: nothing is measured under the name no such line\n +at /m)
  })
})

describe("--only", () => {
  const names = [["page"], ["page, a move in time"], ["pod", "pod: store"], ["50 Pods rolled"]]

  it("chooses the line of just this name, or those that contain it", () => {
    expect(chosenNames(names, "page")).toEqual(["page"])
    expect(chosenNames(names, "store")).toEqual(["pod: store"])
    expect(chosenNames(names, "pod: store")).toEqual(["pod: store"])
    expect(chosenNames(names, "p")).toEqual(["page", "page, a move in time", "pod", "pod: store"])
    expect(chosenNames(names, undefined)).toEqual(names.flat())
  })

  it("chooses all lines of a measure that is called so", () => {
    expect(chosenNames(names, "pod")).toEqual(["pod", "pod: store"])
  })

  it("is refused, with all names, if no line has it", () => {
    expect(() => chosenNames(names, "pag3")).toThrow('no line has "pag3" in its name:\n  page\n')
  })
})

describe("the measures", () => {
  it("have each line once", () => {
    const lines = measures.flatMap((measure) => measure.lines)
    expect(lines.filter((name, index) => lines.indexOf(name) !== index)).toEqual([])
  })
})

describe("the reason of a failed process", () => {
  it("is the error, and not where it was thrown", () => {
    const written = `file:///a/b.ts:3\n    throw new Error("x")\n          ^\n\nTypeError: not a function\n    at f (b.ts:3)\n\nNode.js v24\n`
    expect(reasonIn(written)).toBe("TypeError: not a function")
  })

  it("is the last line if there is no error, and said to be unknown if there is none", () => {
    expect(reasonIn("one\ntwo\n")).toBe("two")
    expect(reasonIn("")).toBe("it ended without a word")
  })
})
