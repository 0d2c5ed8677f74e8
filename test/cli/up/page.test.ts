import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { temporaryFolder } from "../harness/kubeconfigs.ts"
import { fetchWithToken, up } from "../harness/servingCommand.ts"

const started = /Ctrl-C ends it/

describe("charthouse up", () => {
  it.each([
    { why: "beside the API with TLS", args: [] },
    { why: "at the API's address with --no-tls", args: ["--no-tls"] }
  ])("prints the address of its page, which is plain HTTP on this machine: $why", async ({ args }) => {
    const kubeconfig = join(temporaryFolder(), "config")
    const { printed, url, end } = await up([...args, "--kubeconfig", kubeconfig], started)
    const [, base = "", token = ""] =
      /# page {2}(http:\/\/127\.0\.0\.1:\d+)\/charthouse\/#token=(\S+)/.exec(printed()) ?? []
    const page = await fetch(`${base}/charthouse/`)
    const actors = await fetchWithToken(base, token, "/charthouse/v1/actors")
    const open = await fetch(`${base}/charthouse/v1/actors`)
    expect([page.status, actors.status, open.status]).toEqual([200, 200, 401])
    expect(await page.text()).toContain("/charthouse/page.js")
    expect(base === url).toBe(args.length > 0)
    expect(await end("SIGINT")).toBe(0)
  })
})
