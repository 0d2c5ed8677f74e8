import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { KubeconfigError } from "../../../src/cli/kubeconfig/kubeconfigFile.ts"
import { installContext } from "../../../src/cli/kubeconfig/kubeconfigContext.ts"
import {
  aKubeconfigFile,
  temporaryFolder,
  anEndedServer,
  aServer,
  contextsOf,
  userKubeconfig
} from "../harness/kubeconfigs.ts"

const test = anEndedServer("test")
const textOf = (file: string): string => readFileSync(file, "utf8")
const modeOf = (file: string): number => statSync(file).mode & 0o777
const rewrite = (file: string, from: string, to: string): void =>
  writeFileSync(file, textOf(file).replace(from, to))

describe("a context added to a kubeconfig", () => {
  it("creates a missing kubeconfig readable by its owner only, and removes it at the end", async () => {
    const file = join(temporaryFolder(), "kube", "config")
    const removeContext = await installContext(file, test)
    expect([modeOf(file), contextsOf(file).current]).toEqual([0o600, "charthouse-test"])
    removeContext()
    expect(readdirSync(dirname(file))).toEqual([])
  })

  it("becomes the current context beside the user's own, and its removal restores the file to the byte", async () => {
    const file = aKubeconfigFile(userKubeconfig)
    const removeContext = await installContext(file, test)
    expect(textOf(file)).toContain("# careful")
    expect(contextsOf(file)).toEqual({ current: "charthouse-test", contexts: ["prod", "charthouse-test"] })
    removeContext()
    expect(textOf(file)).toBe(userKubeconfig)
  })

  it("is the only thing removed from a file that was changed meanwhile", async () => {
    const file = aKubeconfigFile(userKubeconfig)
    const removeContext = await installContext(file, test)
    rewrite(file, "name: me", "name: other")
    removeContext()
    expect(textOf(file)).toContain("name: other")
    expect(textOf(file)).not.toContain("charthouse")
    expect(contextsOf(file).current).toBe("prod")
  })

  it("leaves the current context alone if it was switched meanwhile", async () => {
    const file = aKubeconfigFile(userKubeconfig)
    const removeContext = await installContext(file, test)
    rewrite(file, "current-context: charthouse-test", "current-context: other")
    removeContext()
    expect(contextsOf(file)).toEqual({ current: "other", contexts: ["prod"] })
  })

  it("is removed even if it was renamed meanwhile", async () => {
    const file = aKubeconfigFile(userKubeconfig)
    const removeContext = await installContext(file, test)
    rewrite(file, "- name: charthouse-test\n    context", "- name: mine\n    context")
    rewrite(file, "current-context: charthouse-test", "current-context: mine")
    removeContext()
    expect(contextsOf(file)).toEqual({ current: "prod", contexts: ["prod"] })
  })

  it("is written to the target of a symbolic link, and the link stays", async () => {
    const file = aKubeconfigFile(userKubeconfig)
    const link = join(temporaryFolder(), "config")
    symlinkSync(file, link)
    const removeContext = await installContext(link, test)
    expect(contextsOf(file).current).toBe("charthouse-test")
    removeContext()
    expect(textOf(file)).toBe(userKubeconfig)
  })

  it("recreates no file and no folder that was deleted meanwhile", async () => {
    const file = aKubeconfigFile(userKubeconfig)
    const removeContext = await installContext(file, test)
    rmSync(dirname(file), { recursive: true })
    removeContext()
    expect(existsSync(dirname(file))).toBe(false)
  })

  it.each([
    { mode: 0o640, why: "a file that its group may read" },
    { mode: 0o644, why: "a file that all users may read" }
  ])("makes the file readable by its owner only until its removal: $why", async ({ mode }) => {
    for (const meanwhile of ["", "# touched\n"]) {
      const file = aKubeconfigFile(userKubeconfig)
      chmodSync(file, mode)
      const removeContext = await installContext(file, test)
      expect(modeOf(file)).toBe(0o600)
      writeFileSync(file, textOf(file) + meanwhile)
      removeContext()
      expect(modeOf(file)).toBe(mode)
    }
  })
})

describe("two contexts added to one kubeconfig", () => {
  const addTwoContexts = async () => {
    const file = aKubeconfigFile(userKubeconfig)
    chmodSync(file, 0o640)
    const a = await aServer("a")
    const b = await aServer("b")
    return { file, a, b, endA: await installContext(file, a), endB: await installContext(file, b) }
  }

  it("restore the previous current context when the earlier one ends first", async () => {
    const { file, a, b, endA, endB } = await addTwoContexts()
    await using _ = a
    await using __ = b
    endA()
    expect(contextsOf(file)).toEqual({ current: "charthouse-b", contexts: ["prod", "charthouse-b"] })
    expect(modeOf(file)).toBe(0o600)
    endB()
    expect(contextsOf(file)).toEqual({ current: "prod", contexts: ["prod"] })
    expect(modeOf(file)).toBe(0o640)
  })

  it("restore the file to the byte when the later one ends first", async () => {
    const { file, a, b, endA, endB } = await addTwoContexts()
    await using _ = a
    await using __ = b
    endB()
    expect(contextsOf(file)).toEqual({ current: "charthouse-a", contexts: ["prod", "charthouse-a"] })
    endA()
    expect([textOf(file), modeOf(file)]).toEqual([userKubeconfig, 0o640])
  })

  it("cannot share a name while the first is served, and the first stays unchanged", async () => {
    const file = aKubeconfigFile(userKubeconfig)
    await using first = await aServer("a")
    await using second = await aServer("a")
    const removeContext = await installContext(file, first)
    const lent = textOf(file)
    await expect(installContext(file, second)).rejects.toThrow(
      `a cluster called "a" is being served already, at ${first.url}, by what ${file} says: ` +
        "end that one, or give this one another --name"
    )
    expect(textOf(file)).toBe(lent)
    removeContext()
    expect(textOf(file)).toBe(userKubeconfig)
  })

  it("with the same name at the same time: one is added, one is refused", async () => {
    const file = aKubeconfigFile(userKubeconfig)
    await using first = await aServer("a")
    await using second = await aServer("a")
    const ended = await Promise.allSettled([installContext(file, first), installContext(file, second)])
    expect(ended.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"])
  })

  it("with the same name remove only entries that are still their own", async () => {
    const file = aKubeconfigFile(userKubeconfig)
    const removeContext = await installContext(file, anEndedServer("a"))
    await using second = await aServer("a")
    await installContext(file, second)
    removeContext()
    expect(contextsOf(file)).toEqual({ current: "charthouse-a", contexts: ["prod", "charthouse-a"] })
    expect(textOf(file)).toContain(second.token)
  })
})

describe("a context left behind by a killed server", () => {
  it.each([
    { next: "a", meanwhile: "", why: "the next server has the same name" },
    {
      next: "a",
      meanwhile: "# touched\n",
      why: "the next server has the same name, and the file is changed meanwhile"
    },
    { next: "b", meanwhile: "", why: "the next server has another name" },
    {
      next: "b",
      meanwhile: "# touched\n",
      why: "the next server has another name, and the file is changed meanwhile"
    }
  ])("is removed with the next server's: $why", async ({ next, meanwhile }) => {
    const file = aKubeconfigFile(userKubeconfig)
    chmodSync(file, 0o640)
    await installContext(file, anEndedServer("a"))
    const removeContext = await installContext(file, { ...anEndedServer(next), token: "another" })
    expect(contextsOf(file).contexts).toEqual(["prod", `charthouse-${next}`])
    writeFileSync(file, textOf(file) + meanwhile)
    removeContext()
    expect(contextsOf(file)).toEqual({ current: "prod", contexts: ["prod"] })
    expect(textOf(file)).not.toContain("charthouse")
    expect(modeOf(file)).toBe(0o640)
  })

  it("counts as left behind if another server has its port now", async () => {
    const file = aKubeconfigFile(userKubeconfig)
    await using stranger = await aServer("stranger")
    await using former = await aServer("a")
    await installContext(file, { ...former, url: stranger.url })
    const removeContext = await installContext(file, anEndedServer("a"))
    removeContext()
    expect(contextsOf(file)).toEqual({ current: "prod", contexts: ["prod"] })
  })
})

describe("a kubeconfig that cannot be changed", () => {
  it.each([
    { why: "it is not YAML", text: "a: [", expectedText: "is not YAML" },
    { why: "it is no map", text: "- a\n- b\n", expectedText: "not a kubeconfig" },
    {
      why: "its contexts are no list",
      text: "contexts: {a: b}\n",
      expectedText: '"contexts" of the kubeconfig'
    }
  ])("is reported in a sentence and left unchanged: $why", async ({ text, expectedText }) => {
    const file = aKubeconfigFile(text)
    await expect(installContext(file, test)).rejects.toThrow(KubeconfigError)
    await expect(installContext(file, test)).rejects.toThrow(expectedText)
    expect(textOf(file)).toBe(text)
  })

  it("is reported once with the entries left in it when the context cannot be removed", async () => {
    const file = aKubeconfigFile(userKubeconfig)
    const removeContext = await installContext(file, test)
    writeFileSync(`${file}.lock`, "")
    expect(removeContext).toThrow(/it is locked .*; charthouse-test is left in it: take out/)
    expect(removeContext).not.toThrow()
  })
})
