import { spawn, spawnSync } from "node:child_process"
import { existsSync, globSync, mkdtempSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { describe, expect, it } from "vitest"
import { findKubectls } from "../scripts/kubectl.ts"
import { command } from "./cli/harness/testedCommand.ts"

const root = resolve(import.meta.dirname, "..")
const readme = readFileSync(`${root}/README.md`, "utf8")
const pages = [
  "README.md",
  ...globSync(["src/**/README.md", "machines/README.md", "scripts/README.md", "test/README.md"], {
    cwd: root
  })
]
const linesMax = 200
const glossaryMax = 20

const [kubectl] = (await findKubectls()).found

/** Starts a server and waits until it says that it is ready. */
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

/** The commands of a session, each with the lines shown of its output; ellipses are left out. */
const sessionOf = (text: string) =>
  text
    .split("$ ")
    .slice(1)
    .map((part) => {
      const [command = "", ...shown] = part.trimEnd().split("\n")
      return { command, shown: shown.filter((line) => line.trim() !== "…" && line.trim() !== "") }
    })

describe("the README", () => {
  it.skipIf(kubectl === undefined)("shows what kubectl prints in its session", async () => {
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

  it.skipIf(kubectl === undefined)("has a page on the clock that shows what its session prints", async () => {
    const clock = readFileSync(`${root}/src/runtime/README.md`, "utf8")
    const [section = ""] = /## The clock is yours\n[^]*?\n## /.exec(clock) ?? []
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

  it("shows what its first run prints", () => {
    const [, words = "", shown = ""] =
      /```console\n\$ npx charthouse (run [^\n]+)\n([^]*?)```/.exec(readme) ?? []
    const args = [command, ...words.split(" ")]
    const { stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" })
    const printed = new Set(stdout.split("\n"))
    const lines = shown.split("\n").filter((line) => line.trim() !== "" && line.trim() !== "…")
    expect(lines.length).toBeGreaterThan(5)
    expect(lines.filter((line) => !printed.has(line))).toEqual([])
  })

  it(`has at most ${linesMax} lines, and at most ${glossaryMax} words in its glossary`, () => {
    const glossary = readme.slice(readme.indexOf("## Glossary"))
    const words = [...glossary.matchAll(/^\| ([a-z, ]+) \|/gm)].flatMap(([, cell = ""]) => cell.split(", "))
    expect(words[0]).toBe("word")
    expect(words.length - 1).toBeLessThanOrEqual(glossaryMax)
    expect(readme.split("\n").length).toBeLessThanOrEqual(linesMax)
  })
})

describe("scripts/README.md", () => {
  it("names every package that the sources need, and no other", () => {
    const page = readFileSync(`${root}/scripts/README.md`, "utf8")
    const tables = page.slice(page.indexOf("## Dependencies"))
    const rows = tables.matchAll(/^\| \[?(@?[a-z][\w/-]+)\]?(?:\([^)]*\))? \|/gm)
    const named = Array.from(rows, ([, name]) => name)
    // Read as what npm writes there.
    const { dependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(
      readFileSync(`${root}/package.json`, "utf8")
    ) as Readonly<
      Record<"dependencies" | "peerDependencies" | "peerDependenciesMeta", Readonly<Record<string, unknown>>>
    >
    const optional = Object.keys(peerDependenciesMeta)
    const needed = [...Object.keys(dependencies), ...Object.keys(peerDependencies), ...importedPackages()]
    const headings = ["peer", "dependency", "packed"]
    expect(new Set(named.filter((name) => !headings.includes(name ?? "")))).toEqual(
      new Set(needed.filter((name) => !optional.includes(name)))
    )
  })
})

/** The packages that the library and the command import; the page is a script of its own. */
const importedPackages = (): ReadonlyArray<string> => {
  const sources = globSync(["src/**/*.ts", "machines/**/*.ts"], { cwd: root }).filter(
    (path) => !/^src.(page|generated)/.test(path)
  )
  return sources.flatMap((path) =>
    [
      ...readFileSync(join(root, path), "utf8").matchAll(
        /^(?:import|export)\s(?:[^"']*?\sfrom\s)?"(@[^/"]+\/[^/"]+|[^@./"][^/":]*)(?=["/])/gm
      )
    ].map(([, name = ""]) => name)
  )
}

describe("test/README.md", () => {
  it("names only files and folders that exist", () => {
    const page = readFileSync(`${root}/test/README.md`, "utf8")
    const names = [...page.matchAll(/`([\w*./-]+(?:\/|\.tsx?|\.txt))`/g)].map(([, name = ""]) => name)
    expect(names.length).toBeGreaterThan(100)
    const isThere = (name: string): boolean =>
      globSync(name, { cwd: `${root}/test` }).length > 0 || existsSync(join(root, name))
    expect([...new Set(names)].filter((name) => !isThere(name))).toEqual([])
  })
})

/** The anchor that GitHub gives a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Number} _-]/gu, "")
    .replaceAll(" ", "-")

describe.each(pages)("%s", (page) => {
  it("links only to files and headings that exist", () => {
    const text = readFileSync(join(root, page), "utf8")
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)]
    const broken = links.filter(([, path = "", anchor]) => {
      const target = path === "" ? join(root, page) : join(root, dirname(page), path)
      if (!existsSync(target)) return true
      if (anchor === undefined) return false
      const headings = [...readFileSync(target, "utf8").matchAll(/^#+ (.+)$/gm)]
      return !headings.some(([, heading = ""]) => anchorOf(heading) === anchor)
    })
    expect(broken.map(([link]) => link)).toEqual([])
  })

  // Pages of the package name sources without a link: the package has none.
  it("names only sources that exist, by their path from the page or from the top", () => {
    const text = readFileSync(join(root, page), "utf8")
    const names = [...text.matchAll(/`([\w./-]+\/[\w.-]+\.tsx?|[\w./]+\/)`/g)]
      .map(([, name = ""]) => name)
      .filter((name) => !name.includes("KIND"))
    const isThere = (name: string): boolean =>
      existsSync(join(root, dirname(page), name)) || existsSync(join(root, name))
    expect(names.filter((name) => !isThere(name))).toEqual([])
  })
})
