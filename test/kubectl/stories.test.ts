import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { findKubectls } from "../../scripts/kubectl.ts"
import { withoutReleaseDifferences, goldenMinor } from "./releaseDifferences.ts"
import { playStory } from "./playStory.ts"
import { openKubectlSandbox } from "./sandbox.ts"

const folder = join(import.meta.dirname, "stories")
const { found, missing } = await findKubectls()
const isRewriting = process.env["TRACE_UPDATE"] === "1"

it.skipIf(missing.length > 0)(
  `every expected kubectl is found${missing.map((why) => `; ${why}`).join("")}`,
  () => {
    expect(found.length).toBeGreaterThan(0)
  }
)

const stories = readdirSync(folder)

/** What older releases play: that they can change, follow and undo rollouts. The rest is of the newest, or of all. */
const storiesOfOlder = ["a-rollout-and-its-undo.txt", "watching.txt"]
const playsAll = process.env["KUBECTL_STORIES"] === "all"

const played = isRewriting ? found.filter(({ minor }) => minor === goldenMinor) : found

describe.each(played)("kubectl $version (TRACE_UPDATE=1 rewrites the stories)", (kubectl) => {
  it.concurrent.each(kubectl.minor === goldenMinor || playsAll ? stories : storiesOfOlder)(
    "%s has the same output",
    async (file) => {
      const path = join(folder, file)
      const expected = readFileSync(path, "utf8")
      const actual = await Effect.runPromise(
        Effect.scoped(
          Effect.flatMap(openKubectlSandbox(kubectl), (sandbox) =>
            Effect.promise(() => playStory(expected, sandbox))
          )
        )
      )
      if (isRewriting) writeFileSync(path, actual)
      else if (kubectl.minor === goldenMinor) expect(actual).toBe(expected)
      else
        expect(withoutReleaseDifferences(kubectl, actual)).toBe(withoutReleaseDifferences(kubectl, expected))
    }
  )
})
