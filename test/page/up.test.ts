import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { aFolder } from "../cli/kubeconfigs.ts"
import { get, up } from "../cli/serving.ts"

const started = /Ctrl-C ends it/

describe("charthouse up", () => {
  it.each([
    { why: "with TLS, beside the API", args: [] },
    { why: "without, where the API is", args: ["--no-tls"] }
  ])("prints where its page is: by plain HTTP on this machine, $why", async ({ args }) => {
    const kubeconfig = join(aFolder(), "config")
    const { printed, url, end } = await up([...args, "--kubeconfig", kubeconfig], started)
    const [, base = "", token = ""] =
      /# page {2}(http:\/\/127\.0\.0\.1:\d+)\/charthouse\/#token=(\S+)/.exec(printed()) ?? []
    const page = await fetch(`${base}/charthouse/`)
    const actors = await get(base, token, "/charthouse/v1/actors")
    const open = await fetch(`${base}/charthouse/v1/actors`)
    expect([page.status, actors.status, open.status]).toEqual([200, 200, 401])
    expect(await page.text()).toContain("/charthouse/page.js")
    expect(base === url).toBe(args.length > 0)
    expect(await end("SIGINT")).toBe(0)
  })
})
