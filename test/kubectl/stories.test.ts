import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { findKubectls } from "../../scripts/kubectl.ts"
import { regardless, teller } from "./releases.ts"
import { playStory } from "./play.ts"
import { openKubectlWorld } from "./world.ts"

const folder = join(import.meta.dirname, "stories")
const { found, missing } = await findKubectls()
const isRewriting = process.env["TRACE_UPDATE"] === "1"

it.skipIf(missing.length > 0)(`every kubectl is there${missing.map((why) => `; ${why}`).join("")}`, () => {
  expect(found.length).toBeGreaterThan(0)
})

const played = isRewriting ? found.filter(({ minor }) => minor === teller) : found

describe.each(played)("kubectl $version (TRACE_UPDATE=1 rewrites the stories)", (kubectl) => {
  it.concurrent.each(readdirSync(folder))("%s goes as it is told", async (file) => {
    const path = join(folder, file)
    const told = readFileSync(path, "utf8")
    const again = await Effect.runPromise(
      Effect.scoped(
        Effect.flatMap(openKubectlWorld(kubectl), (world) => Effect.promise(() => playStory(told, world)))
      )
    )
    if (isRewriting) writeFileSync(path, again)
    else if (kubectl.minor === teller) expect(again).toBe(told)
    else expect(regardless(kubectl, again)).toBe(regardless(kubectl, told))
  })
})
