import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { playStory } from "../../src/scenario/stories/playing/playStory.ts"
import { projectPath } from "../projectPath.ts"
import { readStory } from "../../src/scenario/stories/reading/readStory.ts"

const folder = projectPath("scripts/scenarios/steering")
const files = readdirSync(folder).filter((name) => name.endsWith(".yaml"))

describe("what users of other tools have reported does not happen:", () => {
  it("there are ten of them at least, each with the address of its report", () => {
    const reports = files.map((name) => readFileSync(join(folder, name), "utf8"))
    expect(reports.length).toBeGreaterThanOrEqual(10)
    for (const text of reports) expect(text).toMatch(/https:\/\/github\.com\/\S+\/issues\/\d+/u)
  })

  it.for(files)("%s", async (name) => {
    const file = join(folder, name)
    const story = await Effect.runPromise(readStory(readFileSync(file, "utf8"), file))
    expect(`${story.name}.yaml`).toBe(name)
    for (const seed of [1, 2]) {
      const { outcome, failures } = await Effect.runPromise(playStory(story, seed))
      expect([seed, failures]).toEqual([seed, []])
      expect(outcome).toBe("passed")
    }
  })
})
