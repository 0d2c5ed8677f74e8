import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { changeKubeconfig, KubeconfigError, kubeconfigPath } from "../../src/cli/kubeconfig/kubeconfigFile.ts"
import { aFile, aFolder, theirs } from "./kubeconfigs.ts"

const modeOf = (file: string): number => statSync(file).mode & 0o777
const toNext = () => ({ text: "kind: Config\n", mode: 0o600 })

describe("a kubeconfig that is changed", () => {
  it("is made with the folders that it lies in, for its owner's eyes only", () => {
    const file = join(aFolder(), "kube", "deep", "config")
    changeKubeconfig(file, toNext)
    expect([modeOf(dirname(file)), modeOf(file)]).toEqual([0o700, 0o600])
    expect(readdirSync(dirname(file))).toEqual(["config"])
  })

  it("is left as it is where what was told is what is to be", () => {
    const file = aFile(theirs)
    const { ino, mtimeMs } = statSync(file)
    changeKubeconfig(file, (present) => present)
    expect(statSync(file)).toMatchObject({ ino, mtimeMs })
  })

  it("keeps no lock when the change is refused half-way", () => {
    const file = aFile(theirs)
    const refused = () =>
      changeKubeconfig(file, () => {
        throw new KubeconfigError("no")
      })
    expect(refused).toThrow("no")
    expect(readdirSync(dirname(file))).toEqual(["config"])
  })
})

describe("a kubeconfig that cannot be used", () => {
  it("is not written to while kubectl or another one has its lock", () => {
    const file = aFile(theirs)
    writeFileSync(`${file}.lock`, "")
    expect(() => changeKubeconfig(file, toNext)).toThrow(`it is locked (${file}.lock exists`)
    expect(readFileSync(file, "utf8")).toBe(theirs)
  })

  it("is not written to where it is read-only, though its folder is not", () => {
    const file = aFile(theirs)
    chmodSync(file, 0o444)
    expect(() => changeKubeconfig(file, toNext)).toThrow(
      `${file}: the kubeconfig cannot be written: it is read-only`
    )
    expect([readFileSync(file, "utf8"), modeOf(file), readdirSync(dirname(file))]).toEqual([
      theirs,
      0o444,
      ["config"]
    ])
  })

  it.skipIf(process.getuid?.() === 0)("is left alone in a folder that cannot be written", () => {
    const file = aFile(theirs)
    chmodSync(dirname(file), 0o500)
    expect(() => changeKubeconfig(file, toNext)).toThrow("permission denied")
  })

  it("is told of where a folder stands in its place", () => {
    const folder = aFolder()
    expect(() => changeKubeconfig(folder, toNext)).toThrow(
      `${folder}: the kubeconfig cannot be read: it is a folder`
    )
  })

  it("is told of where a file stands in the place of its folder, which is no lock", () => {
    const file = aFile(theirs)
    const below = join(file, "config")
    expect(() => changeKubeconfig(below, toNext)).toThrow(
      `${below}: the kubeconfig cannot be written: ${file} is no folder`
    )
  })

  it.skipIf(!existsSync("/proc/self"))("is told of where no folder can be made, soon", () => {
    expect(() => changeKubeconfig("/proc/none/kube/config", toNext)).toThrow(
      "the folder /proc/none cannot be made"
    )
  })

  it("leaves nothing beside it where it cannot be put in its place", () => {
    const folder = aFolder()
    const file = join(folder, "config")
    const meanwhile = () => {
      mkdirSync(file)
      return toNext()
    }
    expect(() => changeKubeconfig(file, meanwhile)).toThrow(`${file}: the kubeconfig cannot be written`)
    expect(readdirSync(folder)).toEqual(["config"])
  })
})

describe("the kubeconfig that is meant", () => {
  it("is the first of KUBECONFIG that exists, the first of all where none does, else the one at home", () => {
    const file = aFile(theirs)
    expect(kubeconfigPath({ KUBECONFIG: `/nowhere/a:${file}` })).toBe(file)
    expect(kubeconfigPath({ KUBECONFIG: "/nowhere/a:/nowhere/b" })).toBe("/nowhere/a")
    expect(kubeconfigPath({})).toMatch(/\.kube\/config$/)
  })
})
