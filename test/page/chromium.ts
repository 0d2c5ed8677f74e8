import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"

const places = [
  process.env["CHARTHOUSE_CHROMIUM"] ?? "",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome"
]

const found = (): string | undefined => places.find((path) => path !== "" && existsSync(path))

/** Nobody looks at what CI has skipped: there a browser is put in place, or the tests fail for want of it. */
const installed = (): string | undefined => {
  if (process.env["CI"] === undefined) return undefined
  for (const args of [["update"], ["install", "--yes", "--no-install-recommends", "chromium"]]) {
    const { status } = spawnSync("apt-get", args, {
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" }
    })
    if (status !== 0) break
  }
  const path = found()
  if (path === undefined) throw new Error("no Chromium is here, and apt-get cannot install it")
  return path
}

/** The browser that the tests of the page drive; undefined where there is none. */
export const chromiumPath = found() ?? installed()

/** Stands in the title of what is skipped. */
export const skipped =
  chromiumPath === undefined ? " (skipped: no Chromium is here; apt-get install chromium)" : ""
