import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"

const candidates = [
  process.env["CHARTHOUSE_CHROMIUM"] ?? "",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome"
]

const installedPath = (): string | undefined => candidates.find((path) => path !== "" && existsSync(path))

/** In CI, installs Chromium or fails, so that these tests are not skipped unnoticed. */
const installInCi = (): string | undefined => {
  if (process.env["CI"] === undefined) return undefined
  for (const args of [["update"], ["install", "--yes", "--no-install-recommends", "chromium"]]) {
    const { status } = spawnSync("apt-get", args, {
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" }
    })
    if (status !== 0) break
  }
  const path = installedPath()
  if (path === undefined) throw new Error("no Chromium is here, and apt-get cannot install it")
  return path
}

/** The browser of the page tests; undefined if none is installed. */
export const chromiumPath = installedPath() ?? installInCi()

/** Suffix of the titles of skipped tests. */
export const skippedNote =
  chromiumPath === undefined ? " (skipped: no Chromium is here; apt-get install chromium)" : ""
