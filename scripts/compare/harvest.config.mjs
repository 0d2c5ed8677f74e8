// Collects what the tests of the older tree give to the command: arguments, files and stories.
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { defineConfig } from "vitest/config"

const root = process.cwd()
const out = process.env["HARVEST_OUT"] ?? "harvest"
mkdirSync(out, { recursive: true })

/** Inserts a call at the beginning of a function, whose head ends with `after`. */
const keeping = (after, call) => (code) => {
  const kept = code.replace(after, `${after}\n${call}\n`)
  if (kept === code) throw new Error(`nothing to harvest after ${after}`)
  return kept
}
const harvests = {
  "/test/cli/charthouse.ts": keeping("): Promise<Ended> => {", "globalThis.harvest?.({ args, files })"),
  "/src/scenario/stories/readStory.ts": keeping(
    "): Effect.fn.Return<Story, StoryRefused> {",
    "globalThis.harvest?.({ story: text })"
  )
}

export default defineConfig({
  root,
  plugins: [
    {
      name: "harvest",
      enforce: "pre",
      transform: (code, id) =>
        Object.entries(harvests).find(([file]) => id.endsWith(`${root}${file}`))?.[1](code)
    }
  ],
  test: {
    include: ["test/cli/**/*.test.ts", "test/scenario/**/*.test.ts", "test/inspect/*.test.ts"],
    isolate: false,
    testTimeout: 600_000,
    hookTimeout: 600_000,
    setupFiles: [join(import.meta.dirname, "harvest.setup.ts")]
  }
})
