import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { kubeconfigEntries } from "../../src/api/kubeconfig.ts"
import { KubeconfigProblem, kubeconfigPath, writeKubeconfig } from "../../src/cli/kubeconfigFile.ts"

const folder = (): string => mkdtempSync(join(tmpdir(), "charthouse-kubeconfig-"))
const aFile = (text: string): string => {
  const file = join(folder(), "config")
  writeFileSync(file, text)
  return file
}

const entries = kubeconfigEntries({ name: "test", url: "https://127.0.0.1:1", ca: "PEM", token: "secret" })

/** Somebody's own, with a comment, a quirk and a context. */
const theirs = `# mine
apiVersion: v1
kind: Config
clusters:
- {name: prod, cluster: {server: "https://prod"}}   # careful
users: [{name: me, user: {token: t}}]
contexts:
- name: prod
  context: {cluster: prod, user: me}
current-context: prod
`

describe("a context that is lent", () => {
  it("makes a kubeconfig where there is none, for its owner's eyes only, and takes it away again", () => {
    const file = join(folder(), "kube", "config")
    const takeBack = writeKubeconfig(file, entries)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file, "utf8")).toContain("current-context: charthouse-test")
    takeBack()
    expect(existsSync(file)).toBe(false)
  })

  it("stands beside those of others and is current, and their file is theirs again to the last byte", () => {
    const file = aFile(theirs)
    const takeBack = writeKubeconfig(file, entries)
    const lent = readFileSync(file, "utf8")
    expect(lent).toContain("# careful")
    expect(lent).toContain("name: prod")
    expect(lent).toContain("current-context: charthouse-test")
    takeBack()
    expect(readFileSync(file, "utf8")).toBe(theirs)
  })

  it("leaves what was written meanwhile, and takes only its own out of it", () => {
    const file = aFile(theirs)
    const takeBack = writeKubeconfig(file, entries)
    writeFileSync(file, readFileSync(file, "utf8").replace("name: me", "name: somebody"))
    takeBack()
    const left = readFileSync(file, "utf8")
    expect(left).toContain("name: somebody")
    expect(left).not.toContain("charthouse")
    expect(left).toContain("current-context: prod")
  })

  it("does not become current again when somebody has turned to another one meanwhile", () => {
    const file = aFile(theirs)
    const takeBack = writeKubeconfig(file, entries)
    const text = readFileSync(file, "utf8")
    writeFileSync(file, text.replace("current-context: charthouse-test", "current-context: other"))
    takeBack()
    expect(readFileSync(file, "utf8")).toContain("current-context: other")
  })

  it("that a killed process left behind is replaced, and what was current before that is again", () => {
    const file = aFile(theirs)
    writeKubeconfig(file, entries)
    const takeBack = writeKubeconfig(file, entries)
    writeFileSync(file, `${readFileSync(file, "utf8")}# touched\n`)
    takeBack()
    const left = readFileSync(file, "utf8")
    expect(left).toContain("current-context: prod")
    expect(left).not.toContain("charthouse-test")
  })

  it("is written to the file that a link leads to, and the link stays", () => {
    const file = aFile(theirs)
    const link = join(folder(), "config")
    symlinkSync(file, link)
    const takeBack = writeKubeconfig(link, entries)
    expect(readFileSync(file, "utf8")).toContain("charthouse-test")
    takeBack()
    expect(readFileSync(file, "utf8")).toBe(theirs)
  })
})

describe("a kubeconfig that cannot be used", () => {
  it.each([
    { why: "it is not YAML", text: "a: [", says: "is not YAML" },
    { why: "it is no map", text: "- a\n- b\n", says: "not a kubeconfig" },
    { why: "its contexts are no list", text: "contexts: {a: b}\n", says: '"contexts" of the kubeconfig' }
  ])("is told in a sentence and left as it is: $why", ({ text, says }) => {
    const file = aFile(text)
    expect(() => writeKubeconfig(file, entries)).toThrow(KubeconfigProblem)
    expect(() => writeKubeconfig(file, entries)).toThrow(says)
    expect(readFileSync(file, "utf8")).toBe(text)
  })

  it("is not written to while kubectl or another one has its lock", () => {
    const file = aFile(theirs)
    writeFileSync(`${file}.lock`, "")
    expect(() => writeKubeconfig(file, entries)).toThrow("it is locked")
    expect(readFileSync(file, "utf8")).toBe(theirs)
  })

  it.skipIf(process.getuid?.() === 0)("is left alone in a folder that cannot be written", () => {
    const file = aFile(theirs)
    chmodSync(join(file, ".."), 0o500)
    expect(() => writeKubeconfig(file, entries)).toThrow("permission denied")
  })

  it("is told of where a folder stands in its place", () => {
    expect(() => writeKubeconfig(folder(), entries)).toThrow(KubeconfigProblem)
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
