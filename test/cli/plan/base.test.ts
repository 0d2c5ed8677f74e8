import { execFileSync } from "node:child_process"
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { deploymentYaml } from "../harness/charthouse.ts"
import { runHosted } from "../harness/hostedCommand.ts"

let folder: string
const git = (...args: ReadonlyArray<string>) =>
  execFileSync("git", ["-c", "user.name=test", "-c", "user.email=test@example.com", ...args], { cwd: folder })
const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
const plan = (...args: ReadonlyArray<string>) =>
  runHosted(["plan", "-f", "deploy", "--seeds", "1", ...args], folder, { NO_COLOR: "1", TMPDIR: folder })

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "charthouse-git-"))
  mkdirSync(join(folder, "deploy"))
  git("init", "--quiet", "--initial-branch", "main")
  write("deploy/web.yaml", deploymentYaml())
  write("deploy/api.yaml", deploymentYaml({ name: "api" }))
  write("deploy/old.yaml", deploymentYaml({ name: "old" }))
  git("add", "deploy")
  git("commit", "--quiet", "--message", "one")
  git("checkout", "--quiet", "-b", "topic")
  write("deploy/web.yaml", deploymentYaml({ more: "  progressDeadlineSeconds: 1\n", image: "web:2" }))
  rmSync(join(folder, "deploy/old.yaml"))
  git("commit", "--quiet", "--all", "--message", "two")
  git("checkout", "--quiet", "main")
  write("deploy/api.yaml", deploymentYaml({ name: "api", image: "api:3" }))
  git("commit", "--quiet", "--all", "--message", "three")
  git("checkout", "--quiet", "topic")
})
afterAll(() => rmSync(folder, { recursive: true }))

describe("plan --base", () => {
  it("plans what the branch changes, and says that it gets worse", async () => {
    const { code, stdout, stderr } = await plan("--base", "main")
    expect(stdout.split("\n").slice(0, 2).join("\n")).toMatch(
      /^✗ stuck {4}Deployment\/web {2}misses its deadline.*\n +worse than in main \(risky\): late or stuck with 1 seed, instead of 0/
    )
    expect(stdout).not.toContain("Deployment/api")
    expect(stderr).toContain("Deployment default/old is in main and no more in the manifests")
    expect(code).toBe(1)
  })

  it("plans another revision than the working tree, and names its files", async () => {
    write("deploy/web.yaml", deploymentYaml())
    const { stdout } = await plan("--base", "main", "--head", "topic", "-o", "github")
    expect(stdout).toMatch(/^::error file=deploy\/web\.yaml,line=18,/)
    git("checkout", "--quiet", "deploy")
  })

  it("compares a file that the branch has renamed", async () => {
    git("checkout", "--quiet", "-b", "renamed")
    git("mv", "deploy/api.yaml", "deploy/backend.yaml")
    write(
      "deploy/backend.yaml",
      deploymentYaml({ name: "api", more: "  progressDeadlineSeconds: 1\n", image: "api:2" })
    )
    git("commit", "--quiet", "--all", "--message", "renamed")
    const planFile = (...args: ReadonlyArray<string>) =>
      runHosted(["plan", "-f", "deploy/backend.yaml", "--base", "main", "--seeds", "1", ...args], folder, {})
    const inTree = await planFile()
    git("checkout", "--quiet", "topic")
    const inHead = await planFile("--head", "renamed")
    for (const { stdout } of [inTree, inHead]) expect(stdout).toMatch(/^ +worse than in main /m)
  })

  it("compares a folder that the branch has renamed", async () => {
    git("checkout", "--quiet", "-b", "moved")
    git("mv", "deploy", "manifests")
    git("commit", "--quiet", "--all", "--message", "moved")
    git("checkout", "--quiet", "topic")
    const flags = ["-f", "manifests", "--base", "main", "--head", "moved", "--seeds", "1"]
    const { stdout } = await runHosted(["plan", ...flags], folder, {})
    expect(stdout).toMatch(/^ +worse than in main /m)
    expect(stdout).not.toContain("Deployment/api")
  })

  it.each(["top/deploy/web.yaml", "deploy"])("reads %s through a linked folder", async (path) => {
    const links = mkdtempSync(join(tmpdir(), "charthouse-links-"))
    symlinkSync(folder, join(links, "top"))
    symlinkSync(join(folder, "deploy"), join(links, "deploy"))
    const { stdout } = await plan("--base", "main", "-f", join(links, path))
    rmSync(links, { recursive: true })
    expect(stdout).toMatch(/^✗ stuck {4}Deployment\/web /)
  })

  describe("with a chart that the working tree lacks", () => {
    const planChart = (...args: ReadonlyArray<string>) =>
      runHosted(["plan", "-f", "deploy", "--helm", "shop", "--seeds", "1", ...args], folder, {
        NO_COLOR: "1",
        PATH: `${join(folder, ".git/bin")}:${process.env["PATH"]}`
      })
    beforeAll(() => {
      mkdirSync(join(folder, ".git/bin"))
      writeFileSync(join(folder, ".git/bin/helm"), '#!/bin/sh\ncat "$3/shop.yaml"\n', { mode: 0o755 })
      git("checkout", "--quiet", "-b", "charted")
      mkdirSync(join(folder, "shop"))
      write("shop/shop.yaml", deploymentYaml({ name: "shop" }))
      git("add", "shop")
      git("commit", "--quiet", "--message", "a chart")
      git("checkout", "--quiet", "-b", "chartless")
      git("rm", "--quiet", "-r", "shop")
      git("commit", "--quiet", "--message", "no chart")
      git("checkout", "--quiet", "topic")
    })

    it("plans the one of the head", async () => {
      const { stdout } = await planChart("--base", "topic", "--head", "charted")
      expect(stdout).toContain("Deployment/shop")
    })

    it("reads the one of the base", async () => {
      const { stderr } = await planChart("--base", "charted", "--head", "chartless")
      expect(stderr).toContain("Deployment default/shop is in charted and no more in the manifests")
    })

    it.each([
      { base: "topic", head: "charted", path: "shop/shop.yaml" },
      { base: "charted", head: "chartless", path: "charted:shop/shop.yaml" }
    ])(
      "names the files of $path in what Helm says, and leaves the rest of it",
      async ({ base, head, path }) => {
        const helm = join(folder, ".git/bin/helm")
        const works = readFileSync(helm)
        writeFileSync(helm, '#!/bin/sh\necho "$3/shop.yaml: see https://helm.sh/docs/../faq" >&2\nexit 1\n')
        const { stderr } = await planChart("--base", base, "--head", head)
        writeFileSync(helm, works)
        expect(stderr).toContain(`\n${path}: see https://helm.sh/docs/../faq`)
      }
    )
  })

  it("has nothing to plan when no workload changes", async () => {
    const { code, stdout } = await plan("--base", "topic")
    expect({ code, stdout }).toEqual({ code: 0, stdout: "No workload changes since topic.\n" })
  })

  it("writes all formats without a rollout", async () => {
    const formats = ["json", "html", "markdown", "sarif", "junit"]
    const files = formats.map((format) => join(folder, ".git", format))
    const outputs = formats.flatMap((format, index) => ["-o", `${format}=${files[index]}`])
    const { code, stdout } = await plan("--base", "topic", "-o", "github", ...outputs)
    expect(code).toBe(0)
    expect(stdout).toBe("::notice title=charthouse plan::no rollout to plan\n")
    expect(files.filter((file) => readFileSync(file, "utf8") === "")).toEqual([])
  })

  it.each([
    {
      why: "there is no such revision",
      args: ["--base", "nowhere"],
      message: "has no such commit, branch or tag"
    },
    {
      why: "what runs before is given twice",
      args: ["--base", "main", "--from", "deploy"],
      message: "give one of"
    },
    {
      why: "only the head is given",
      args: ["--head", "topic"],
      message: "--head has no part without --base"
    },
    {
      why: "a path is elsewhere",
      args: ["--base", "main", "-f", ".."],
      message: "is outside the repository"
    },
    { why: "standard input is read", args: ["--base", "main", "-f", "-"], message: "has no version in git" }
  ])("is refused when $why", async ({ args, message }) => {
    const { code, stderr } = await plan(...args)
    expect(stderr).toContain(message)
    expect(code).toBe(2)
  })

  it("leaves the repository and the folder for temporary files as they were", () => {
    expect(String(git("status", "--short"))).toBe("")
    expect(readdirSync(folder).toSorted()).toEqual([".git", "deploy"])
  })
})
