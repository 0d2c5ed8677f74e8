import { spawnSync } from "node:child_process"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { describe, expect, it } from "vitest"
import { aStory } from "./aStory.ts"

const script = resolve(import.meta.dirname, "../../scripts/conformance.ts")

const conformance = (...paths: ReadonlyArray<string>) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...paths], { encoding: "utf8" })
  return { status, lines: stdout.trimEnd().split("\n"), stderr: stderr.trimEnd() }
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
  it("counts the stories that came out as recorded, and is content", () => {
    const { status, lines } = conformance(aFile("good.jsonl", aStory(), aStory()))
    expect({ status, lines }).toEqual({ status: 0, lines: ["2 passed, 0 failed"] })
  })

  it("tells each difference and what led to it, counts the story as failed and exits 1", () => {
    const { status, lines } = conformance(aFile("bad.jsonl", aStory(), aStory({ readyPods: 3 })))
    expect(status).toBe(1)
    expect(lines[0]).toBe("one step 2 (ready) pods.v1.ready: expected 3, found 1")
    expect(lines[1]).toBe("  what led to step 2 of one:")
    expect(lines.slice(2, -1).join("\n")).toContain("deployment/default/d is in rollout.complete")
    expect(lines.at(-1)).toBe("1 passed, 1 failed")
  })

  it("counts a story as failed whose step is refused, says why and goes on with the others", () => {
    const story = '{"id":"odd","steps":[{"do":"update","deployment":{"v":2},"then":{}}]}'
    const { status, lines } = conformance(aFile("odd.jsonl", story, aStory()))
    expect(status).toBe(1)
    expect(lines[0]).toBe(
      'odd step 1 (update) (the step itself): expected "done", found "deployments.apps \\"d\\" not found"'
    )
    expect(lines.at(-1)).toBe("1 passed, 1 failed")
  })

  it.each([
    { why: "a file that is not there", name: "none.jsonl", says: "no such file, or it cannot be read" },
    { why: "an empty file", name: "void.jsonl", text: [""], says: "no story is in it" },
    { why: "a line that is cut off", name: "cut.jsonl", text: ['{"id": "x"'], says: ":1: not JSON" },
    {
      why: "another kind of JSON",
      name: "other.jsonl",
      text: ["", '{"kind":"Pod"}'],
      says: ":2: not a story"
    },
    {
      why: "a step of another kind",
      name: "step.jsonl",
      text: ['{"id":"x","steps":[{"do":"explode","then":{}}]}'],
      says: ':1: step 1: nobody knows how to "explode"'
    },
    {
      why: "a story in which nothing is done",
      name: "empty.jsonl",
      text: ['{"id":"x","steps":[]}'],
      says: ":1: not a story"
    },
    {
      why: "a size that is no number",
      name: "size.jsonl",
      text: ['{"id":"x","steps":[{"do":"create","deployment":{"v":1,"replicas":"three"},"then":{}}]}'],
      says: ':1: step 1: "deployment.replicas" cannot be "three"'
    },
    {
      why: "a number of Pods that is none",
      name: "pods.jsonl",
      text: ['{"id":"x","steps":[{"do":"ready","n":"x","then":{}}]}'],
      says: ':1: step 1: "n" cannot be "x"'
    },
    {
      why: "a step that does not say what it needs to",
      name: "needs.jsonl",
      text: ['{"id":"x","steps":[{"do":"scaleReplicaSet","v":1,"then":{}}]}'],
      says: ':1: step 1: scaleReplicaSet without "replicas"'
    }
  ])("says where the matter lies and exits 2: $why", ({ name, text, says }) => {
    const { status, stderr, lines } = conformance(
      text === undefined ? join(folder, name) : aFile(name, ...text)
    )
    expect(status).toBe(2)
    expect(lines).toEqual([""])
    expect(stderr).toContain(says)
    expect(stderr).toContain(name)
  })
})
