import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import {
  changeKubeconfig,
  KubeconfigError,
  kubeconfigPath
} from "../../../src/cli/kubeconfig/kubeconfigFile.ts"
import { aKubeconfigFile, temporaryFolder, userKubeconfig } from "../harness/kubeconfigs.ts"

const modeOf = (file: string): number => statSync(file).mode & 0o777
const toNext = () => ({ text: "kind: Config\n", mode: 0o600 })

describe("changeKubeconfig", () => {
  it("creates a missing kubeconfig and its folders, readable by the owner only", () => {
    const file = join(temporaryFolder(), "kube", "deep", "config")
    changeKubeconfig(file, toNext)
    expect([modeOf(dirname(file)), modeOf(file)]).toEqual([0o700, 0o600])
    expect(readdirSync(dirname(file))).toEqual(["config"])
  })

  it("does not write a file whose text would stay the same", () => {
    const file = aKubeconfigFile(userKubeconfig)
    const { ino, mtimeMs } = statSync(file)
    changeKubeconfig(file, (present) => present)
    expect(statSync(file)).toMatchObject({ ino, mtimeMs })
  })

  it("releases its lock when the change throws", () => {
    const file = aKubeconfigFile(userKubeconfig)
    const refused = () =>
      changeKubeconfig(file, () => {
        throw new KubeconfigError("no")
      })
    expect(refused).toThrow("no")
    expect(readdirSync(dirname(file))).toEqual(["config"])
  })
})

describe("changeKubeconfig, refused,", () => {
  it("does not write while another process holds the lock", () => {
    const file = aKubeconfigFile(userKubeconfig)
    writeFileSync(`${file}.lock`, "")
    expect(() => changeKubeconfig(file, toNext)).toThrow(`it is locked (${file}.lock exists`)
    expect(readFileSync(file, "utf8")).toBe(userKubeconfig)
  })

  it("does not write a read-only file in a writable folder", () => {
    const file = aKubeconfigFile(userKubeconfig)
    chmodSync(file, 0o444)
    expect(() => changeKubeconfig(file, toNext)).toThrow(
      `${file}: the kubeconfig cannot be written: it is read-only`
    )
    expect([readFileSync(file, "utf8"), modeOf(file), readdirSync(dirname(file))]).toEqual([
      userKubeconfig,
      0o444,
      ["config"]
    ])
  })

  it.skipIf(process.getuid?.() === 0)("reports a folder that is not writable", () => {
    const file = aKubeconfigFile(userKubeconfig)
    chmodSync(dirname(file), 0o500)
    expect(() => changeKubeconfig(file, toNext)).toThrow("permission denied")
  })

  it("reports a folder in place of the file", () => {
    const folder = temporaryFolder()
    expect(() => changeKubeconfig(folder, toNext)).toThrow(
      `${folder}: the kubeconfig cannot be read: it is a folder`
    )
  })

  it("reports a file in place of its folder, and does not take that for a lock", () => {
    const file = aKubeconfigFile(userKubeconfig)
    const below = join(file, "config")
    expect(() => changeKubeconfig(below, toNext)).toThrow(
      `${below}: the kubeconfig cannot be written: ${file} is no folder`
    )
  })

  it.skipIf(!existsSync("/proc/self"))("reports at once a folder that cannot be created", () => {
    expect(() => changeKubeconfig("/proc/none/kube/config", toNext)).toThrow(
      "the folder /proc/none cannot be made"
    )
  })

  it("leaves no temporary file if the file cannot be replaced", () => {
    const folder = temporaryFolder()
    const file = join(folder, "config")
    const meanwhile = () => {
      mkdirSync(file)
      return toNext()
    }
    expect(() => changeKubeconfig(file, meanwhile)).toThrow(`${file}: the kubeconfig cannot be written`)
    expect(readdirSync(folder)).toEqual(["config"])
  })
})

describe("kubeconfigPath", () => {
  it("is the first existing file of KUBECONFIG, its first entry if none exists, ~/.kube/config without KUBECONFIG", () => {
    const file = aKubeconfigFile(userKubeconfig)
    expect(kubeconfigPath({ KUBECONFIG: `/nowhere/a:${file}` })).toBe(file)
    expect(kubeconfigPath({ KUBECONFIG: "/nowhere/a:/nowhere/b" })).toBe("/nowhere/a")
    expect(kubeconfigPath({})).toMatch(/\.kube\/config$/)
  })
})
