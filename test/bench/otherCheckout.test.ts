import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { checkoutAt } from "../../scripts/bench/checkout.ts"
import { CannotMeasure } from "../../scripts/bench/measure.ts"
import { keepBuild, makeFolderOfUser, otherCheckout } from "../../scripts/bench/otherCheckout.ts"

const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "charthouse-checkout-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

describe("another checkout", () => {
  it("is refused if git does not know the commit", () => {
    expect(() => otherCheckout("--upload-pack=x")).toThrow("--against: git knows no commit --upload-pack=x")
  })

  it("that is not built cannot be measured", () => {
    const empty = checkoutAt(temporaryFolder())
    expect(() => empty.command()).toThrow(CannotMeasure)
    expect(() => empty.libraryFile()).toThrow(new CannotMeasure("its package has no entry charthouse"))
  })
})

describe.skipIf(process.getuid === undefined)("the folder of builds", () => {
  const refused = /is not a folder of this user alone/

  it("is made for this user alone, and used again", () => {
    const folder = join(temporaryFolder(), "builds")
    makeFolderOfUser(folder)
    makeFolderOfUser(folder)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
  })

  it("is refused if another user has made it", () => {
    const folder = join(temporaryFolder(), "builds")
    mkdirSync(folder, { mode: 0o700 })
    expect(() => makeFolderOfUser(folder, statSync(folder).uid + 1)).toThrow(refused)
  })

  it("is refused if others can open it", () => {
    const folder = join(temporaryFolder(), "builds")
    makeFolderOfUser(folder)
    chmodSync(folder, 0o770)
    expect(() => makeFolderOfUser(folder)).toThrow(refused)
  })

  it("is refused if it is a link", () => {
    const folder = temporaryFolder()
    symlinkSync(folder, join(folder, "builds"))
    expect(() => makeFolderOfUser(join(folder, "builds"))).toThrow(refused)
  })
})

describe("a finished build", () => {
  const made = (folder: string, name: string): string => {
    const path = join(folder, name)
    mkdirSync(path)
    writeFileSync(join(path, `${name}.js`), "")
    return path
  }

  it("gets its name", () => {
    const folder = temporaryFolder()
    keepBuild(made(folder, "one"), join(folder, "commit"))
    expect(readdirSync(folder)).toEqual(["commit"])
    expect(readdirSync(join(folder, "commit"))).toEqual(["one.js"])
  })

  it("gives way to that of another run of the same commit", () => {
    const folder = temporaryFolder()
    keepBuild(made(folder, "one"), join(folder, "commit"))
    keepBuild(made(folder, "other"), join(folder, "commit"))
    expect(readdirSync(folder)).toEqual(["commit"])
    expect(readdirSync(join(folder, "commit"))).toEqual(["one.js"])
  })

  it("that cannot get its name stays, with the reason", () => {
    const folder = temporaryFolder()
    const build = made(folder, "one")
    expect(() => keepBuild(build, join(folder, "missing", "commit"))).toThrow("ENOENT")
    expect(existsSync(build)).toBe(true)
  })
})
