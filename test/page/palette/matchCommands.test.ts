import { describe, expect, it } from "vitest"
import { matchCommands } from "../../../src/page/palette/matchCommands.ts"

const labels = [
  "Pause Deployment web",
  "Copy a link to this moment",
  "Deployment web",
  "Deployment website",
  "Deployment team-a/web",
  "Node node-3"
]
const commands = labels.map((label) => ({ label, run: () => undefined }))

describe("the commands that have the words of a query", () => {
  it.each<[query: string, expected: ReadonlyArray<string>]>([
    ["", labels],
    ["  ", labels],
    ["NODE 3", ["Node node-3"]],
    ["web", ["Pause Deployment web", "Deployment web", "Deployment team-a/web", "Deployment website"]],
    ["web pau", ["Pause Deployment web"]],
    ["site", ["Deployment website"]],
    ["web nothing", []]
  ])("are found, whole words first: %j", (query, expected) => {
    expect(matchCommands(commands, query).map(({ label }) => label)).toEqual(expected)
  })
})
