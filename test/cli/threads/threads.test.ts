import { join } from "node:path"
import { writeFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { temporaryFolder } from "../harness/kubeconfigs.ts"
import { runOnThreads } from "../../../src/cli/threads/threads.ts"
import { storyOf } from "../harness/storyFiles.ts"
import type { StoryFile } from "../../../src/cli/input/loadStory.ts"

const turns = Array.from({ length: 7 }, (_, index) => ({ story: 0, seed: index + 31, keepsDetails: false }))

const played = (source: StoryFile, jobsPerThread: number) => {
  const answered: Array<number> = []
  const onResult = (_answer: unknown, index: number): void => void answered.push(index)
  const sharing = runOnThreads({ task: "stories", input: [source], jobs: turns, jobsPerThread, onResult })
  return Effect.runPromise(Effect.result(Effect.map(sharing, (answers) => ({ answers, answered }))))
}

const calm = {
  file: "calm.yaml",
  text: storyOf({ name: "calm", steps: [{ scale: "deployment/web", to: 3 }] })
}

describe("jobs on several threads", () => {
  it("give the same results as on one thread, in the order of the jobs", async () => {
    const [here, elsewhere] = await Promise.all([played(calm, 100), played(calm, 2)])
    expect(elsewhere).toEqual(here)
    expect(here).toMatchObject({
      _tag: "Success",
      success: {
        answers: turns.map(({ seed }) => ({ run: { seed, outcome: "passed" } })),
        answered: [0, 1, 2, 3, 4, 5, 6]
      }
    })
  })

  const folder = temporaryFolder()
  const moduleOf = (name: string, text: string): StoryFile => {
    const file = join(folder, name)
    writeFileSync(file, text)
    return { file, text: undefined }
  }
  const rows: ReadonlyArray<{
    readonly why: string
    readonly source: StoryFile
    readonly expectedText: string
  }> = [
    { why: "throws", source: moduleOf("throws.mjs", `throw new Error("no way")`), expectedText: "no way" },
    {
      why: "has no module",
      source: { file: "/nowhere/story.mjs", text: undefined },
      expectedText: "/nowhere/story.mjs"
    },
    {
      why: "exits",
      source: moduleOf("ends.mjs", "process.exit(3)"),
      expectedText: "a thread exited with code 3"
    },
    {
      why: "throws later",
      source: moduleOf(
        "later.mjs",
        `setTimeout(() => { throw new Error("late") }, 1); await new Promise(() => {})`
      ),
      expectedText: "late"
    }
  ]
  it.for(rows)("fail at once if a thread $why", async ({ source, expectedText }) => {
    const lost = await played(source, 1)
    expect(lost).toMatchObject({ _tag: "Failure", failure: { _tag: "ThreadsFailed" } })
    expect(lost._tag === "Failure" ? lost.failure.message : "").toContain(expectedText)
  })
})
