import { execFile } from "node:child_process"
import { createRequire } from "node:module"
import { readdirSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { describe, expect, it } from "vitest"

const folder = resolve(import.meta.dirname, "../scripts/scenarios")
const tsx = join(dirname(createRequire(import.meta.url).resolve("tsx/package.json")), "dist/cli.mjs")
const scenarios = readdirSync(folder).filter((name) => name !== "story.ts")

/** They import the built package, as those who read them would. */
const tell = (
  scenario: string
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> =>
  new Promise((done) => {
    execFile(
      process.execPath,
      [tsx, join(folder, scenario)],
      { timeout: 20_000 },
      (error, stdout, stderr) => {
        done({ code: typeof error?.code === "number" ? error.code : error === null ? 0 : -1, stdout, stderr })
      }
    )
  })

describe("a scenario goes as its story says:", () => {
  it.concurrent.for(scenarios)("%s", async (scenario, { expect }) => {
    const { code, stdout, stderr } = await tell(scenario)
    expect(stderr).toBe("")
    expect(stdout.trimEnd().split("\n").at(-1)).toMatch(/^\d\d:\d\d:\d\d {2}The end\.$/)
    expect(code).toBe(0)
  })
})

it("there is a story for everything that may befall a rollout", () => {
  expect(scenarios).toEqual([
    "deleteAndCreate.ts",
    "lostNode.ts",
    "pauseAndCanary.ts",
    "proportionalScaling.ts",
    "recreate.ts",
    "rollingUpdate.ts",
    "rollover.ts",
    "undo.ts"
  ])
})
