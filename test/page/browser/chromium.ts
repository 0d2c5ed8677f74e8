import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"

/** Opens and draws pages as Chromium does, with a third of the work. */
const headlessShell = "/usr/bin/chromium-headless-shell"

const installed = [
  process.env["CHARTHOUSE_CHROMIUM"] ?? "",
  headlessShell,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome"
]

const installedPath = (): string | undefined => installed.find((path) => path !== "" && existsSync(path))

/** In CI, installs Chromium or fails, so that these tests are not skipped unnoticed. */
const installInCi = (): void => {
  if (process.env["CI"] === undefined || existsSync(headlessShell)) return
  for (const args of [
    ["update"],
    ["install", "--yes", "--no-install-recommends", "chromium-headless-shell"]
  ]) {
    const { status } = spawnSync("apt-get", args, {
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" }
    })
    if (status !== 0) break
  }
  if (installedPath() === undefined) throw new Error("no Chromium is here, and apt-get cannot install it")
}

installInCi()

/** The browser of the page tests; undefined if none is installed. */
export const chromiumPath = installedPath()

/** Suffix of the titles of skipped tests. */
export const skippedNote =
  chromiumPath === undefined ? " (skipped: no Chromium is here; apt-get install chromium-headless-shell)" : ""
