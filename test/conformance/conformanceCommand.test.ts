import { spawnSync } from "node:child_process"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { describe, expect, it } from "vitest"
import { runConformance } from "../../scripts/conformance/runConformance.ts"
import { recordedStory } from "./recordedStory.ts"

const script = resolve(import.meta.dirname, "../../scripts/conformance.ts")

const conformanceProcess = (...paths: ReadonlyArray<string>) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...paths], { encoding: "utf8" })
  return { status, lines: stdout.trimEnd().split("\n"), stderr: stderr.trimEnd() }
}

/** As the command does, without a process of its own. */
const conformance = async (...paths: ReadonlyArray<string>) => {
  const lines: Array<string> = []
  const errors: Array<string> = []
  const status = await runConformance(paths, {
    print: (text) => lines.push(text),
    printError: (text) => errors.push(text)
  })
  return { status, lines, stderr: errors.join("\n") }
}

const folder = mkdtempSync(join(tmpdir(), "charthouse-conformance-"))
const aFile = (name: string, ...lines: ReadonlyArray<unknown>): string => {
  const file = join(folder, name)
  writeFileSync(
    file,
    lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n")
  )
  return file
}

describe("the conformance command", () => {
  it("exits 0 when every recorded story is reproduced", () => {
    const { status, lines } = conformanceProcess(aFile("good.jsonl", recordedStory(), recordedStory()))
    expect({ status, lines }).toEqual({ status: 0, lines: ["2 passed, 0 failed"] })
  })

  it("exits 1 and prints each difference with the steps that led to it", async () => {
    const { status, lines } = await conformance(
      aFile("bad.jsonl", recordedStory(), recordedStory({ readyPods: 3 }))
    )
    expect(status).toBe(1)
    expect(lines[0]).toBe("one step 2 (ready) pods.v1.ready: expected 3, found 1")
    expect(lines[1]).toBe("  what led to step 2 of one:")
    expect(lines.slice(2, -1).join("\n")).toContain("deployment/default/d is in rollout.complete")
    expect(lines.at(-1)).toBe("1 passed, 1 failed")
  })

  it("counts a story as failed when a step is refused, prints the error and runs the other stories", async () => {
    const story = '{"id":"odd","steps":[{"do":"update","deployment":{"v":2},"then":{}}]}'
    const { status, lines } = await conformance(aFile("odd.jsonl", story, recordedStory()))
    expect(status).toBe(1)
    expect(lines[0]).toBe(
      'odd step 1 (update) (the step itself): expected "done", found "deployments.apps \\"d\\" not found"'
    )
    expect(lines.at(-1)).toBe("1 passed, 1 failed")
  })

  it.each([
    { why: "a file that does not exist", name: "none.jsonl", says: "no such file, or it cannot be read" },
    { why: "an empty file", name: "void.jsonl", text: [""], says: "no recording is in it" },
    { why: "a truncated line", name: "cut.jsonl", text: ['{"id": "x"'], says: ":1: not JSON" },
    {
      why: "JSON that is no story",
      name: "other.jsonl",
      text: ["", '{"kind":"Pod"}'],
      says: ":2: not a recording"
    },
    {
      why: "a step with an unknown action",
      name: "step.jsonl",
      text: ['{"id":"x","steps":[{"do":"explode","then":{}}]}'],
      says: ':1: step 1: unknown action "explode"'
    },
    {
      why: "a story without steps",
      name: "empty.jsonl",
      text: ['{"id":"x","steps":[]}'],
      says: ":1: not a recording"
    },
    {
      why: "replicas that are no number",
      name: "size.jsonl",
      text: ['{"id":"x","steps":[{"do":"create","deployment":{"v":1,"replicas":"three"},"then":{}}]}'],
      says: ':1: step 1: "deployment.replicas" cannot be "three"'
    },
    {
      why: "a Pod count that is no number",
      name: "pods.jsonl",
      text: ['{"id":"x","steps":[{"do":"ready","n":"x","then":{}}]}'],
      says: ':1: step 1: "n" cannot be "x"'
    },
    {
      why: "a step without a required field",
      name: "needs.jsonl",
      text: ['{"id":"x","steps":[{"do":"scaleReplicaSet","v":1,"then":{}}]}'],
      says: ':1: step 1: scaleReplicaSet without "replicas"'
    }
  ])("exits 2 and names the file and the mistake: $why", async ({ name, text, says }) => {
    const { status, stderr, lines } = await conformance(
      text === undefined ? join(folder, name) : aFile(name, ...text)
    )
    expect(status).toBe(2)
    expect(lines).toEqual([])
    expect(stderr).toContain(says)
    expect(stderr).toContain(name)
  })
})
