import { readFileSync, writeFileSync } from "node:fs"
import { expect, it } from "vitest"
import { aKubeconfigFile, anEndedServer, aServer, userKubeconfig } from "../harness/kubeconfigs.ts"
import { requestServer, statusMessageOf, findServedContext } from "../../../src/cli/served/requestServer.ts"
import { installContext } from "../../../src/cli/kubeconfig/kubeconfigContext.ts"

it("reports a kubeconfig without a served cluster differently from one whose current context is another cluster", async () => {
  const kubeconfig = aKubeconfigFile(userKubeconfig.replace("current-context: prod\n", ""))
  const ask = (name?: string) => () => findServedContext({ name, kubeconfig })
  expect(ask()).toThrow(`no cluster is being served, by what ${kubeconfig} says`)
  expect(ask("test")).toThrow(`no cluster called "test" is being served, by what ${kubeconfig} says`)
  await using server = await aServer("test")
  const takeBack = await installContext(kubeconfig, server)
  expect(ask()()).toMatchObject({ contextName: "charthouse-test" })
  const text = readFileSync(kubeconfig, "utf8")
  writeFileSync(kubeconfig, text.replace("current-context: charthouse-test", "current-context: absent"))
  expect(ask()).toThrow(`the current context of ${kubeconfig} is no cluster of ours: say which with --name`)
  takeBack()
  expect(ask()).toThrow(`no cluster is being served, by what ${kubeconfig} says`)
})

it("sends no request to a context that Charthouse did not write, even if its cluster and user share its name", () => {
  const kubeconfig = aKubeconfigFile(userKubeconfig.replaceAll(/\bme\b/g, "prod"))
  expect(() => findServedContext({ name: undefined, kubeconfig })).toThrow(
    `no cluster is being served, by what ${kubeconfig} says`
  )
})

it("reports that the server does not answer if it has ended and left its context behind", async () => {
  const kubeconfig = aKubeconfigFile(userKubeconfig)
  await installContext(kubeconfig, anEndedServer("test"))
  const ended = findServedContext({ name: undefined, kubeconfig })
  await expect(requestServer(ended, { method: "GET", path: "/version" })).rejects.toThrow(
    "https://127.0.0.1:1 does not answer: "
  )
})

it.each([
  {
    why: "the message of a Status",
    text: '{"kind":"Status","message":"no fault lasts"}\n',
    expectedText: "no fault lasts"
  },
  {
    why: "the text for a path that is not served",
    text: "404 page not found\n",
    expectedText: "404 page not found"
  },
  { why: "JSON that is no Status", text: '{"error":"gone"}', expectedText: '{"error":"gone"}' }
])("shows a server's error text: $why", ({ text, expectedText }) => {
  expect(statusMessageOf(text)).toBe(expectedText)
})
