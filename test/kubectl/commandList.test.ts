import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { projectPath } from "../projectPath.ts"

/** Compares the list of kubectl's commands in test/README.md with the transcripts. */

const readme = readFileSync(projectPath("test/README.md"), "utf8")
const transcriptTexts = new Map(
  readdirSync(join(import.meta.dirname, "stories")).map((file) => [
    file.replace(/\.txt$/, ""),
    readFileSync(join(import.meta.dirname, "stories", file), "utf8")
  ])
)

const rows = [...readme.matchAll(/^\| `kubectl ([^`]+)` \| ([^|]+) \| (.+) \|$/gm)].map(
  ([, command = "", state = "", transcripts = ""]) => ({
    command,
    state,
    transcripts: [...transcripts.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name)
  })
)

const commandsIn = (story: string): ReadonlyArray<string> =>
  [...story.matchAll(/^\$ .*/gm)].flatMap(([line]) =>
    [...line.matchAll(/kubectl ((?:-\S+ )*)([a-z-]+(?: [a-z-]+)?)/g)].map(([, , command = ""]) => command)
  )

describe("the list of kubectl's commands in test/README.md", () => {
  it.each(rows)("names transcripts that run kubectl $command", ({ command, transcripts }) => {
    const missing = transcripts.filter(
      (name) =>
        !commandsIn(transcriptTexts.get(name) ?? "").some(
          (line) => line === command || line.startsWith(`${command} `)
        )
    )
    expect({ isListed: transcripts.length > 0, missing }).toEqual({ isListed: true, missing: [] })
  })

  it("has every command of the transcripts", () => {
    const listed = rows.map(({ command }) => command.split(" ")[0])
    const all = new Set(
      [...transcriptTexts.values()].flatMap(commandsIn).map((command) => command.split(" ")[0])
    )
    expect([...all].filter((command) => !listed.includes(command))).toEqual([])
  })
})
