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
import { KubeconfigError } from "../../src/cli/kubeconfig/kubeconfigFile.ts"
import { installContext } from "../../src/cli/kubeconfig/kubeconfigContext.ts"
import { aFile, aFolder, anEndedServer, aServer, contextsOf, theirs } from "./kubeconfigs.ts"

const test = anEndedServer("test")
const textOf = (file: string): string => readFileSync(file, "utf8")
const modeOf = (file: string): number => statSync(file).mode & 0o777
const rewrite = (file: string, from: string, to: string): void =>
  writeFileSync(file, textOf(file).replace(from, to))

describe("a context that is lent", () => {
  it("makes a kubeconfig where there is none, for its owner's eyes only, and takes it away again", async () => {
    const file = join(aFolder(), "kube", "config")
    const takeBack = await installContext(file, test)
    expect([modeOf(file), contextsOf(file).current]).toEqual([0o600, "charthouse-test"])
    takeBack()
    expect(readdirSync(dirname(file))).toEqual([])
  })

  it("stands beside those of others and is current, and their file is theirs again to the last byte", async () => {
    const file = aFile(theirs)
    const takeBack = await installContext(file, test)
    expect(textOf(file)).toContain("# careful")
    expect(contextsOf(file)).toEqual({ current: "charthouse-test", contexts: ["prod", "charthouse-test"] })
    takeBack()
    expect(textOf(file)).toBe(theirs)
  })

  it("leaves what was written meanwhile, and takes only its own out of it", async () => {
    const file = aFile(theirs)
    const takeBack = await installContext(file, test)
    rewrite(file, "name: me", "name: somebody")
    takeBack()
    expect(textOf(file)).toContain("name: somebody")
    expect(textOf(file)).not.toContain("charthouse")
    expect(contextsOf(file).current).toBe("prod")
  })

  it("does not become current again when somebody has turned to another one meanwhile", async () => {
    const file = aFile(theirs)
    const takeBack = await installContext(file, test)
    rewrite(file, "current-context: charthouse-test", "current-context: other")
    takeBack()
    expect(contextsOf(file)).toEqual({ current: "other", contexts: ["prod"] })
  })

  it("takes with it a context that somebody has named anew or made to lead to it", async () => {
    const file = aFile(theirs)
    const takeBack = await installContext(file, test)
    rewrite(file, "- name: charthouse-test\n    context", "- name: mine\n    context")
    rewrite(file, "current-context: charthouse-test", "current-context: mine")
    takeBack()
    expect(contextsOf(file)).toEqual({ current: "prod", contexts: ["prod"] })
  })

  it("is written to the file that a link leads to, and the link stays", async () => {
    const file = aFile(theirs)
    const link = join(aFolder(), "config")
    symlinkSync(file, link)
    const takeBack = await installContext(link, test)
    expect(contextsOf(file).current).toBe("charthouse-test")
    takeBack()
    expect(textOf(file)).toBe(theirs)
  })

  it("makes no file and no folder anew that somebody has taken away meanwhile", async () => {
    const file = aFile(theirs)
    const takeBack = await installContext(file, test)
    rmSync(dirname(file), { recursive: true })
    takeBack()
    expect(existsSync(dirname(file))).toBe(false)
  })

  it.each([
    { mode: 0o640, why: "a group that may read it" },
    { mode: 0o644, why: "everybody" }
  ])(
    "is its owner's alone for as long as it is there, and after that the file is again for $why",
    async ({ mode }) => {
      for (const meanwhile of ["", "# touched\n"]) {
        const file = aFile(theirs)
        chmodSync(file, mode)
        const takeBack = await installContext(file, test)
        expect(modeOf(file)).toBe(0o600)
        writeFileSync(file, textOf(file) + meanwhile)
        takeBack()
        expect(modeOf(file)).toBe(mode)
      }
    }
  )
})

describe("two contexts that are lent", () => {
  const lendTwo = async () => {
    const file = aFile(theirs)
    chmodSync(file, 0o640)
    const a = await aServer("a")
    const b = await aServer("b")
    return { file, a, b, endA: await installContext(file, a), endB: await installContext(file, b) }
  }

  it("leave what was before them when they end in the order they came", async () => {
    const { file, a, b, endA, endB } = await lendTwo()
    await using _ = a
    await using __ = b
    endA()
    expect(contextsOf(file)).toEqual({ current: "charthouse-b", contexts: ["prod", "charthouse-b"] })
    expect(modeOf(file)).toBe(0o600)
    endB()
    expect(contextsOf(file)).toEqual({ current: "prod", contexts: ["prod"] })
    expect(modeOf(file)).toBe(0o640)
  })

  it("leave the file to the last byte when the later one ends first", async () => {
    const { file, a, b, endA, endB } = await lendTwo()
    await using _ = a
    await using __ = b
    endB()
    expect(contextsOf(file)).toEqual({ current: "charthouse-a", contexts: ["prod", "charthouse-a"] })
    endA()
    expect([textOf(file), modeOf(file)]).toEqual([theirs, 0o640])
  })

  it("cannot have one name while the first is served, which loses nothing by it", async () => {
    const file = aFile(theirs)
    await using first = await aServer("a")
    await using second = await aServer("a")
    const takeBack = await installContext(file, first)
    const lent = textOf(file)
    await expect(installContext(file, second)).rejects.toThrow(
      `a cluster called "a" is being served already, at ${first.url}, by what ${file} says: ` +
        "end that one, or give this one another --name"
    )
    expect(textOf(file)).toBe(lent)
    takeBack()
    expect(textOf(file)).toBe(theirs)
  })

  it("of one name that begin in one moment are one that is lent and one that is refused", async () => {
    const file = aFile(theirs)
    await using first = await aServer("a")
    await using second = await aServer("a")
    const ended = await Promise.allSettled([installContext(file, first), installContext(file, second)])
    expect(ended.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"])
  })

  it("of one name take out only what is still their own", async () => {
    const file = aFile(theirs)
    const takeBack = await installContext(file, anEndedServer("a"))
    await using second = await aServer("a")
    await installContext(file, second)
    takeBack()
    expect(contextsOf(file)).toEqual({ current: "charthouse-a", contexts: ["prod", "charthouse-a"] })
    expect(textOf(file)).toContain(second.token)
  })
})

describe("a context that a killed server has left behind", () => {
  it.each([
    { next: "a", meanwhile: "", why: "the next is of its name" },
    { next: "a", meanwhile: "# touched\n", why: "the next is of its name and somebody else writes as well" },
    { next: "b", meanwhile: "", why: "the next is of another name" },
    {
      next: "b",
      meanwhile: "# touched\n",
      why: "the next is of another name and somebody else writes as well"
    }
  ])("is not there after the next one either: $why", async ({ next, meanwhile }) => {
    const file = aFile(theirs)
    chmodSync(file, 0o640)
    await installContext(file, anEndedServer("a"))
    const takeBack = await installContext(file, { ...anEndedServer(next), token: "another" })
    expect(contextsOf(file).contexts).toEqual(["prod", `charthouse-${next}`])
    writeFileSync(file, textOf(file) + meanwhile)
    takeBack()
    expect(contextsOf(file)).toEqual({ current: "prod", contexts: ["prod"] })
    expect(textOf(file)).not.toContain("charthouse")
    expect(modeOf(file)).toBe(0o640)
  })

  it("is one where another server has its port now", async () => {
    const file = aFile(theirs)
    await using stranger = await aServer("stranger")
    await using former = await aServer("a")
    await installContext(file, { ...former, url: stranger.url })
    const takeBack = await installContext(file, anEndedServer("a"))
    takeBack()
    expect(contextsOf(file)).toEqual({ current: "prod", contexts: ["prod"] })
  })
})

describe("a kubeconfig that cannot be used", () => {
  it.each([
    { why: "it is not YAML", text: "a: [", says: "is not YAML" },
    { why: "it is no map", text: "- a\n- b\n", says: "not a kubeconfig" },
    { why: "its contexts are no list", text: "contexts: {a: b}\n", says: '"contexts" of the kubeconfig' }
  ])("is told in a sentence and left as it is: $why", async ({ text, says }) => {
    const file = aFile(text)
    await expect(installContext(file, test)).rejects.toThrow(KubeconfigError)
    await expect(installContext(file, test)).rejects.toThrow(says)
    expect(textOf(file)).toBe(text)
  })

  it("when it is over says what is left in it, once", async () => {
    const file = aFile(theirs)
    const takeBack = await installContext(file, test)
    writeFileSync(`${file}.lock`, "")
    expect(takeBack).toThrow(/it is locked .*; charthouse-test is left in it: take out/)
    expect(takeBack).not.toThrow()
  })
})
