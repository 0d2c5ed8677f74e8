import { existsSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { replay } from "../../src/scenario/replay.ts"
import type { Recording } from "../../src/scenario/recordings.ts"

/** Recordings of a real control plane lie beside the project where there are any; they are too many to keep in it. */
const folder = resolve(import.meta.dirname, "../../../shared/conformance")
const files = ["mixed", "recreate", "timed"].filter((name) => existsSync(`${folder}/${name}.jsonl`))

describe("a recorded rollout, played again", () => {
  it.skipIf(files.length > 0)("is not to be had here: no recordings lie beside the project", () => {
    expect(files).toEqual([])
  })

  it.each(files)("comes out as it was recorded: %s", async (name) => {
    const stories = readFileSync(`${folder}/${name}.jsonl`, "utf8").split("\n").filter(Boolean)
    const differences = []
    for (const story of stories) {
      // The line was written by the recorder; a malformed one fails the replay by itself.
      differences.push(...(await Effect.runPromise(replay(JSON.parse(story) as Recording))))
    }
    expect(differences).toEqual([])
    expect(stories.length).toBeGreaterThan(10)
  })
})
