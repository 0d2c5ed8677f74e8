import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { playTrace } from "./traces/playTrace.ts"

const folder = fileURLToPath(new URL("traces", import.meta.url))

describe("traces (TRACE_UPDATE=1 rewrites them)", () => {
  it.each(readdirSync(folder).filter((file) => file.endsWith(".txt")))("%s is as recorded", (file) => {
    const path = `${folder}/${file}`
    const recorded = readFileSync(path, "utf8")
    const played = playTrace(recorded)
    if (process.env["TRACE_UPDATE"] === "1") writeFileSync(path, played)
    else expect(played).toBe(recorded)
  })
})
