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
import { aFile, aFolder } from "./kubeconfigs.ts"

const modeOf = (file: string): string => (statSync(file).mode & 0o7777).toString(8)

describe("a file that is replaced", () => {
  it.each([
    { why: "keeps its mode, whatever the umask is", before: 0o666, mode: undefined, after: "666" },
    { why: "gets the mode that is asked for", before: 0o644, mode: 0o600, after: "600" }
  ])("$why", ({ before, mode, after }) => {
    const file = aFile("before")
    chmodSync(file, before)
    const { ino } = statSync(file)
    replaceFile(file, "after", mode === undefined ? {} : { mode })
    expect([readFileSync(file, "utf8"), modeOf(file)]).toEqual(["after", after])
    expect(statSync(file).ino).not.toBe(ino)
    expect(readdirSync(dirname(file))).toEqual(["config"])
  })

  it("is made with the mode that is asked for where there is none", () => {
    const file = join(aFolder(), "new")
    replaceFile(file, "after", { mode: 0o600 })
    expect([readFileSync(file, "utf8"), modeOf(file)]).toEqual(["after", "600"])
  })

  it.each([{ target: "is there" }, { target: "is missing" }])(
    "behind symbolic links is replaced where it is, and the links stay: the target $target",
    ({ target }) => {
      const [folder, links] = [aFolder(), aFolder()]
      const file = join(folder, "config")
      if (target === "is there") writeFileSync(file, "before")
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

describe("what is no regular file is written into", () => {
  it("a pipe", async () => {
    const pipe = join(aFolder(), "pipe")
    spawnSync("mkfifo", [pipe])
    const reader = spawn("cat", [pipe], { stdio: ["ignore", "pipe", "inherit"] })
    replaceFile(pipe, "through")
    expect(await textOf(reader.stdout)).toBe("through")
    expect(statSync(pipe).isFIFO()).toBe(true)
  })

  it("a device, by a link as well", () => {
    const link = join(aFolder(), "link")
    symlinkSync("/dev/null", link)
    for (const file of ["/dev/null", link]) replaceFile(file, "nothing")
    expect(statSync("/dev/null").isCharacterDevice()).toBe(true)
  })

  it.skipIf(!existsSync("/proc/self/fd"))("the open file of a process, such as /dev/stdout", () => {
    const file = aFile("before,")
    const fd = openSync(file, "a")
    replaceFile(`/proc/self/fd/${fd}`, "after")
    closeSync(fd)
    expect(readFileSync(file, "utf8")).toBe("before,after")
  })
})

describe("a file that cannot be replaced", () => {
  it.each([
    { why: "it is read-only", prepare: (file: string) => chmodSync(file, 0o444), says: "it is read-only" },
    {
      why: "its folder is missing",
      name: "none/config",
      says: "there is no such place"
    },
    { why: "it is a folder", name: "..", says: "it is a folder" }
  ])("is left as it is, and the error names it: $why", async ({ prepare, name = "config", says }) => {
    const before = aFile("before")
    prepare?.(before)
    const file = join(dirname(before), name)
    expect(() => replaceFile(file, "after")).toThrow(`${file} cannot be written: ${says}`)
    await expect(openReplacement(file)).rejects.toThrow(`${file} cannot be written: ${says}`)
    expect([readFileSync(before, "utf8"), readdirSync(dirname(before))]).toEqual(["before", ["config"]])
  })

  it.skipIf(process.getuid?.() === 0)("is named with its folder where that may not be written to", () => {
    const file = aFile("before")
    chmodSync(dirname(file), 0o500)
    const says = `no file can be made beside it in ${dirname(file)}: permission denied`
    expect(() => replaceFile(file, "after")).toThrow(`${file} cannot be written: ${says}`)
  })
})
