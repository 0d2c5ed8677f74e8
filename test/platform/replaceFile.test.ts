import { spawn, spawnSync } from "node:child_process"
import {
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { text as textOf } from "node:stream/consumers"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { openReplacement, replaceFile } from "../../src/platform/replaceFile.ts"
import { aKubeconfigFile, temporaryFolder } from "../cli/harness/kubeconfigs.ts"

const modeOf = (file: string): string => (statSync(file).mode & 0o7777).toString(8)

describe("replaceFile", () => {
  it.each([
    { why: "keeps the file's mode, whatever the umask", before: 0o666, mode: undefined, after: "666" },
    { why: "sets the given mode", before: 0o644, mode: 0o600, after: "600" }
  ])("$why", ({ before, mode, after }) => {
    const file = aKubeconfigFile("before")
    chmodSync(file, before)
    const { ino } = statSync(file)
    replaceFile(file, "after", mode === undefined ? {} : { mode })
    expect([readFileSync(file, "utf8"), modeOf(file)]).toEqual(["after", after])
    expect(statSync(file).ino).not.toBe(ino)
    expect(readdirSync(dirname(file))).toEqual(["config"])
  })

  it("creates a missing file with the given mode", () => {
    const file = join(temporaryFolder(), "new")
    replaceFile(file, "after", { mode: 0o600 })
    expect([readFileSync(file, "utf8"), modeOf(file)]).toEqual(["after", "600"])
  })

  it.each([{ target: "exists" }, { target: "is missing" }])(
    "replaces the target of symbolic links and keeps the links: the target $target",
    ({ target }) => {
      const [folder, links] = [temporaryFolder(), temporaryFolder()]
      const file = join(folder, "config")
      if (target === "exists") writeFileSync(file, "before")
      mkdirSync(join(links, "deep"))
      symlinkSync(file, join(links, "first"))
      symlinkSync("../first", join(links, "deep", "second"))
      replaceFile(join(links, "deep", "second"), "after")
      expect([readFileSync(file, "utf8"), readdirSync(folder)]).toEqual(["after", ["config"]])
      expect(lstatSync(join(links, "first")).isSymbolicLink()).toBe(true)
      expect(lstatSync(join(links, "deep", "second")).isSymbolicLink()).toBe(true)
    }
  )
})

describe("replaceFile writes into a file that is not regular:", () => {
  it("a pipe", async () => {
    const pipe = join(temporaryFolder(), "pipe")
    spawnSync("mkfifo", [pipe])
    const reader = spawn("cat", [pipe], { stdio: ["ignore", "pipe", "inherit"] })
    replaceFile(pipe, "through")
    expect(await textOf(reader.stdout)).toBe("through")
    expect(statSync(pipe).isFIFO()).toBe(true)
  })

  it("a device, also through a link", () => {
    const link = join(temporaryFolder(), "link")
    symlinkSync("/dev/null", link)
    for (const file of ["/dev/null", link]) replaceFile(file, "nothing")
    expect(statSync("/dev/null").isCharacterDevice()).toBe(true)
  })

  it.skipIf(!existsSync("/proc/self/fd"))("the open file of a process, such as /dev/stdout", () => {
    const file = aKubeconfigFile("before,")
    const fd = openSync(file, "a")
    replaceFile(`/proc/self/fd/${fd}`, "after")
    closeSync(fd)
    expect(readFileSync(file, "utf8")).toBe("before,after")
  })
})

describe("a file that cannot be replaced", () => {
  it.each([
    {
      why: "it is read-only",
      prepare: (file: string) => chmodSync(file, 0o444),
      expectedText: "it is read-only"
    },
    {
      why: "its folder is missing",
      name: "none/config",
      expectedText: "there is no such place"
    },
    { why: "it is a folder", name: "..", expectedText: "it is a folder" }
  ])(
    "is left unchanged, and the error names it: $why",
    async ({ prepare, name = "config", expectedText }) => {
      const before = aKubeconfigFile("before")
      prepare?.(before)
      const file = join(dirname(before), name)
      expect(() => replaceFile(file, "after")).toThrow(`${file} cannot be written: ${expectedText}`)
      await expect(openReplacement(file)).rejects.toThrow(`${file} cannot be written: ${expectedText}`)
      expect([readFileSync(before, "utf8"), readdirSync(dirname(before))]).toEqual(["before", ["config"]])
    }
  )

  it.skipIf(process.getuid?.() === 0)("is named with its folder if that is not writable", () => {
    const file = aKubeconfigFile("before")
    chmodSync(dirname(file), 0o500)
    const expectedText = `no file can be made beside it in ${dirname(file)}: permission denied`
    expect(() => replaceFile(file, "after")).toThrow(`${file} cannot be written: ${expectedText}`)
  })
})
