import { join } from "node:path"
import { writeFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { aFolder } from "./kubeconfigs.ts"
import { runOnThreads } from "../../src/cli/threads/threads.ts"
import { storyOf } from "./storyFiles.ts"
import type { StorySource } from "../../src/cli/input/loadStory.ts"

const turns = Array.from({ length: 7 }, (_, index) => ({ story: 0, seed: index + 31, isWhole: false }))

const played = (source: StorySource, turnsForThread: number) => {
  const told: Array<number> = []
  const tell = (_answer: unknown, index: number): void => void told.push(index)
  const sharing = runOnThreads({ errand: "stories", sent: [source], turns, turnsForThread, tell })
  return Effect.runPromise(Effect.result(Effect.map(sharing, (answers) => ({ answers, told }))))
}

const calm = {
  file: "calm.yaml",
  text: storyOf({ name: "calm", steps: [{ scale: "deployment/web", to: 3 }] })
}

describe("turns", () => {
  it("come to the same on several threads as on this one, and are told in their order", async () => {
    const [here, elsewhere] = await Promise.all([played(calm, 100), played(calm, 2)])
    expect(elsewhere).toEqual(here)
    expect(here).toMatchObject({
      _tag: "Success",
      success: {
        answers: turns.map(({ seed }) => ({ run: { seed, outcome: "passed" } })),
        told: [0, 1, 2, 3, 4, 5, 6]
      }
    })
  })

  const folder = aFolder()
  const moduleOf = (name: string, text: string): StorySource => {
    const file = join(folder, name)
    writeFileSync(file, text)
    return { file, text: undefined }
  }
  const rows: ReadonlyArray<{ readonly why: string; readonly source: StorySource; readonly says: string }> = [
    { why: "throws", source: moduleOf("throws.mjs", `throw new Error("no way")`), says: "no way" },
    {
      why: "is not there",
      source: { file: "/nowhere/story.mjs", text: undefined },
      says: "/nowhere/story.mjs"
    },
    {
      why: "makes an end of itself",
      source: moduleOf("ends.mjs", "process.exit(3)"),
      says: "a thread came to 3"
    },
    {
      why: "throws later",
      source: moduleOf(
        "later.mjs",
        `setTimeout(() => { throw new Error("late") }, 1); await new Promise(() => {})`
      ),
      says: "late"
    }
  ]
  it.for(rows)("are lost, and nobody waits for them, where a thread $why", async ({ source, says }) => {
    const lost = await played(source, 1)
    expect(lost).toMatchObject({ _tag: "Failure", failure: { _tag: "TurnsLost" } })
    expect(lost._tag === "Failure" ? lost.failure.message : "").toContain(says)
  })
})
