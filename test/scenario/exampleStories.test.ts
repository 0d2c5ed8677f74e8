import { execFile } from "node:child_process"
import { createRequire } from "node:module"
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { commandMillisMax } from "../cli/harness/testedCommand.ts"
import { playStory } from "../../src/scenario/stories/playing/playStory.ts"
import { readStory } from "../../src/scenario/stories/reading/readStory.ts"
import type { Story } from "../../src/scenario/stories/story.ts"
import { projectPath } from "../projectPath.ts"

const folder = projectPath("scripts/scenarios")
const tsx = join(dirname(createRequire(import.meta.url).resolve("tsx/package.json")), "dist/cli.mjs")

/** The expected failure of each story. */
const stories: Readonly<Record<string, "nothing" | RegExp>> = {
  autoRollback: "nothing",
  badImage: "nothing",
  badWeather: "nothing",
  deleteAndCreate: "nothing",
  holdAtPartition: "nothing",
  lateUnhealthyPod: "nothing",
  lostNode: "nothing",
  lostNodeDuringSurge: "nothing",
  lostRequests: /^service\/web lost is [1-9]\d*, not = 0$/,
  noRoomToMove: "nothing",
  pauseAndCanary: "nothing",
  preStop: "nothing",
  proportionalScaling: "nothing",
  recreateLeftBehind: /^deployment\/web available is 5, not >= 6$/,
  recreateSetBack: "nothing",
  restartedInTheMiddle: "nothing",
  rollingUpdate: "nothing",
  undo: "nothing"
}

describe("an example story has the expected outcome:", () => {
  it.for(Object.entries(stories))("%s", async ([name, expected]) => {
    const file = join(folder, `${name}.yaml`)
    const story = await Effect.runPromise(readStory(readFileSync(file, "utf8"), file))
    expect(story.name).toBe(name)
    for (const seed of [1, 2, 3]) {
      const { outcome, failures } = await Effect.runPromise(playStory(story, seed))
      const [failure] = failures
      if (expected === "nothing") expect([seed, failures]).toEqual([seed, []])
      else
        expect(failure?.type === "violation" ? failure.violation.broken : failure?.message).toMatch(expected)
      expect(outcome).toBe("passed")
    }
  })
})

/** Runs an example program, which imports the built package. */
const runProgram = (
  scenario: string
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> =>
  new Promise((done) => {
    execFile(
      process.execPath,
      [tsx, join(folder, scenario)],
      { timeout: commandMillisMax },
      (error, stdout, stderr) => {
        done({ code: typeof error?.code === "number" ? error.code : error === null ? 0 : -1, stdout, stderr })
      }
    )
  })

const programs = [
  "databaseUpdate",
  "drainedDaemonSet",
  "autoscaledDay",
  "everyThirdIndexFails",
  "nightlyJobs",
  "recreate",
  "rollover"
]

describe("an example story in TypeScript passes as a program:", () => {
  it.concurrent.for(programs)("%s", async (name, { expect }) => {
    const { code, stdout, stderr } = await runProgram(`${name}.ts`)
    expect(stderr).toBe("")
    expect(stdout.trimEnd().split("\n").at(-1)).toMatch(
      new RegExp(`^${name}( with seed 10)?: passed after [\\d.]+ (seconds|hours)$`)
    )
    expect(code).toBe(0)
  })
})

it.each(programs)("%s exports its story for `charthouse run`", async (name) => {
  const { story } = (await import(join(folder, `${name}.ts`))) as { readonly story?: Story }
  expect(story?.name).toBe(name)
})

it("every example story is tested", () => {
  // The stories of `steering` are played in test/steering/reportedFailures.test.ts.
  expect(readdirSync(folder).sort()).toEqual(
    [
      "steering",
      ...Object.keys(stories).map((name) => `${name}.yaml`),
      ...programs.map((name) => `${name}.ts`)
    ].sort()
  )
})
