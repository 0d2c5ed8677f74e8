import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

/** The list of kubectl's commands in the README of the tests, held against the stories. */

const readme = readFileSync(join(import.meta.dirname, "../README.md"), "utf8")
const stories = new Map(
  readdirSync(join(import.meta.dirname, "stories")).map((file) => [
    file.replace(/\.txt$/, ""),
    readFileSync(join(import.meta.dirname, "stories", file), "utf8")
  ])
)

const rows = [...readme.matchAll(/^\| `kubectl ([^`]+)` \| ([^|]+) \| (.+) \|$/gm)].map(
  ([, command = "", state = "", told = ""]) => ({
    command,
    state,
    told: [...told.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name)
  })
)

const typed = (story: string): ReadonlyArray<string> =>
  [...story.matchAll(/^\$ .*/gm)].flatMap(([line]) =>
    [...line.matchAll(/kubectl ((?:-\S+ )*)([a-z-]+(?: [a-z-]+)?)/g)].map(([, , command = ""]) => command)
  )

describe("the list of commands", () => {
  it.each(rows)("kubectl $command is told where it says", ({ command, told }) => {
    const untold = told.filter(
      (name) =>
        !typed(stories.get(name) ?? "").some((line) => line === command || line.startsWith(`${command} `))
    )
    expect({ told: told.length > 0, untold }).toEqual({ told: true, untold: [] })
  })

  it("leaves no command out that a story has", () => {
    const listed = rows.map(({ command }) => command.split(" ")[0])
    const all = new Set([...stories.values()].flatMap(typed).map((command) => command.split(" ")[0]))
    expect([...all].filter((command) => !listed.includes(command))).toEqual([])
  })
})
