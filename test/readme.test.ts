import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { describe, expect, it } from "vitest"
import { findKubectls } from "../scripts/kubectl.ts"
import { command } from "./cli/command.ts"

const root = resolve(import.meta.dirname, "..")
const readme = readFileSync(`${root}/README.md`, "utf8")

const [kubectl] = (await findKubectls()).found

/** Starts what the README starts, and waits till it says that it is done. */
const up = async (args: ReadonlyArray<string>, kubeconfig: string) => {
  const all = [command, ...args, "--kubeconfig", kubeconfig]
  const child = spawn(process.execPath, all, { cwd: root, stdio: ["ignore", "pipe", "inherit"] })
  let printed = ""
  await new Promise<void>((done, failed) => {
    child.stdout.on("data", (chunk: Buffer) => {
      printed += String(chunk)
      if (printed.includes("Ctrl-C ends it")) done()
    })
    child.once("exit", failed)
  })
  const ended = new Promise((done) => child.once("exit", done))
  return { printed, end: () => (child.kill("SIGTERM"), ended) }
}

/** Commands and what is shown of their output, without the places where something is left out. */
const sessionOf = (text: string) =>
  text
    .split("$ ")
    .slice(1)
    .map((part) => {
      const [command = "", ...shown] = part.trimEnd().split("\n")
      return { command, shown: shown.filter((line) => line.trim() !== "…" && line.trim() !== "") }
    })

describe("the README", () => {
  it.skipIf(kubectl === undefined)("tells a session with kubectl that goes just so", async () => {
    const [, started = ""] = /```console\n\$ npx charthouse (up [^\n]+)\n/.exec(readme) ?? []
    const [, session = ""] = /```console\n(\$ kubectl [^]*?)```/.exec(readme) ?? []
    const home = mkdtempSync(join(tmpdir(), "charthouse-readme-"))
    const kubeconfig = join(home, "config")
    const { printed, end } = await up(started.split(" "), kubeconfig)
    expect(printed).toContain('deployment "web" successfully rolled out')
    for (const { command, shown } of sessionOf(session)) {
      const args = command.split(" ").slice(1)
      const env = { ...process.env, KUBECONFIG: kubeconfig, HOME: home }
      const { stdout } = spawnSync(kubectl?.path ?? "", args, { cwd: root, env, encoding: "utf8" })
      const lines = stdout.split("\n").map((line) => line.trimEnd())
      expect(shown.filter((line) => !lines.includes(line) && !line.startsWith("Waiting"))).toEqual([])
      expect(lines.length).toBeGreaterThan(0)
    }
    await end()
  })

  it.skipIf(kubectl === undefined)("moves time just so", async () => {
    const [section = ""] = /## The clock is yours\n[^]*?\n## /.exec(readme) ?? []
    const [, started = ""] = /\$ npx charthouse (up --clock virtual [^\n]+)\n/.exec(section) ?? []
    const blocks = [...section.matchAll(/```console\n([^]*?)```/g)].map(([, block = ""]) => block)
    const session = blocks.join("").replace(`$ npx charthouse ${started}\n`, "")
    const home = mkdtempSync(join(tmpdir(), "charthouse-readme-"))
    const kubeconfig = join(home, "config")
    const { end } = await up(started.split(" "), kubeconfig)
    const programs: Readonly<Record<string, ReadonlyArray<string>>> = {
      kubectl: [kubectl?.path ?? ""],
      npx: [process.execPath, command]
    }
    const played = sessionOf(session).map(({ command, shown }) => {
      const [name = "", ...words] = command.split(" ")
      const [program = "", ...first] = programs[name] ?? []
      const env = { ...process.env, KUBECONFIG: kubeconfig, HOME: home }
      const args = [...first, ...words.filter((word) => word !== "charthouse")]
      const { stdout, stderr } = spawnSync(program, args, { cwd: root, env, encoding: "utf8" })
      const lines = `${stdout}${stderr}`.split("\n").map((line) => line.trimEnd())
      return { command, missing: shown.filter((line) => !lines.includes(line)) }
    })
    expect(played.filter(({ missing }) => missing.length > 0)).toEqual([])
    expect(played).toHaveLength(9)
    await end()
  })

  it("shows what its first run really prints", () => {
    const [, words = "", shown = ""] =
      /```console\n\$ npx charthouse (run [^\n]+)\n([^]*?)```/.exec(readme) ?? []
    const args = [command, ...words.split(" ")]
    const { stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" })
    const printed = new Set(stdout.split("\n"))
    const lines = shown.split("\n").filter((line) => line.trim() !== "" && line.trim() !== "…")
    expect(lines.length).toBeGreaterThan(5)
    expect(lines.filter((line) => !printed.has(line))).toEqual([])
  })

  it("names every dependency, and no other", () => {
    const table = readme.slice(readme.indexOf("## Dependencies"))
    const named = [...table.matchAll(/^\| \[?(@?[a-z][\w/-]+)\]?(?:\([^)]*\))? \|/gm)].map(([, name]) => name)
    // Read as what npm writes there.
    const { dependencies } = JSON.parse(readFileSync(`${root}/package.json`, "utf8")) as {
      readonly dependencies: Readonly<Record<string, string>>
    }
    expect(new Set(named.filter((name) => name !== "package"))).toEqual(new Set(Object.keys(dependencies)))
  })

  it("links only to what is there", () => {
    const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(([, path = ""]) => path)
    expect(links.filter((path) => spawnSync("test", ["-e", `${root}/${path}`]).status !== 0)).toEqual([])
  })
})
