import { readFileSync, writeFileSync } from "node:fs"
import { expect, it } from "vitest"
import { aFile, anEndedServer, aServer, theirs } from "./kubeconfigs.ts"
import { requestServer, statusMessageOf, findServedContext } from "../../src/cli/served/requestServer.ts"
import { installContext } from "../../src/cli/kubeconfig/kubeconfigContext.ts"

it("a kubeconfig in which no server of ours has entries is told from one whose current context is another", async () => {
  const kubeconfig = aFile(theirs.replace("current-context: prod\n", ""))
  const ask = (name?: string) => () => findServedContext({ name, kubeconfig })
  expect(ask()).toThrow(`no cluster is being served, by what ${kubeconfig} says`)
  expect(ask("test")).toThrow(`no cluster called "test" is being served, by what ${kubeconfig} says`)
  await using server = await aServer("test")
  const takeBack = await installContext(kubeconfig, server)
  expect(ask()()).toMatchObject({ entry: "charthouse-test" })
  const text = readFileSync(kubeconfig, "utf8")
  writeFileSync(kubeconfig, text.replace("current-context: charthouse-test", "current-context: nobody"))
  expect(ask()).toThrow(`the current context of ${kubeconfig} is no cluster of ours: say which with --name`)
  takeBack()
  expect(ask()).toThrow(`no cluster is being served, by what ${kubeconfig} says`)
})

it("a context of somebody else's is not asked, even where its cluster and its user have its name", () => {
  const kubeconfig = aFile(theirs.replaceAll(/\bme\b/g, "prod"))
  expect(() => findServedContext({ name: undefined, kubeconfig })).toThrow(
    `no cluster is being served, by what ${kubeconfig} says`
  )
})

it("a server that has ended and left its context behind does not answer", async () => {
  const kubeconfig = aFile(theirs)
  await installContext(kubeconfig, anEndedServer("test"))
  const left = findServedContext({ name: undefined, kubeconfig })
  await expect(requestServer(left, { method: "GET", path: "/version" })).rejects.toThrow(
    "https://127.0.0.1:1 does not answer: "
  )
})

it.each([
  { why: "a Status says it", text: '{"kind":"Status","message":"no fault lasts"}\n', says: "no fault lasts" },
  { why: "a path that nothing is served under", text: "404 page not found\n", says: "404 page not found" },
  { why: "JSON of somebody else", text: '{"error":"gone"}', says: '{"error":"gone"}' }
])("a refusal is told in the server's words: $why", ({ text, says }) => {
  expect(statusMessageOf(text)).toBe(says)
})
