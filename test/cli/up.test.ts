import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join, resolve } from "node:path"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { charthouse } from "./charthouse.ts"
import { aFolder, get, readKubeconfig, up } from "./serving.ts"
import type { AddressInfo } from "node:net"

const examples = resolve(import.meta.dirname, "../../scripts/examples")

describe("charthouse up", () => {
  it("shows the rollouts of what it is given, serves them and goes on until it is told to go", async () => {
    const kubeconfig = join(aFolder(), "config")
    const args = ["-f", join(examples, "web-v1.yaml"), "--clock", "60x", "--no-tls", "--name", "one"]
    const { url, printed, end } = await up([...args, "--kubeconfig", kubeconfig], /Ctrl-C ends it/)
    expect(printed()).toContain('deployment "web" successfully rolled out')
    expect(printed()).toContain("#   kubectl set image deployment/web web=registry.example/web:next")
    expect(statSync(kubeconfig).mode & 0o777).toBe(0o600)

    const { "current-context": context, users } = readKubeconfig(kubeconfig)
    expect(context).toBe("charthouse-one")
    const token = users[0]?.user.token ?? ""
    const answered = await get(url, token, "/apis/apps/v1/namespaces/default/deployments/web/status")
    expect(await answered.json()).toMatchObject({ status: { availableReplicas: 5 } })
    expect((await fetch(`${url}/api/v1/pods`)).status).toBe(401)

    expect(await end("SIGINT")).toBe(0)
    expect(existsSync(kubeconfig)).toBe(false)
  })

  it.each(["SIGTERM", "SIGHUP"] as const)("puts the kubeconfig back when it gets a %s", async (signal) => {
    const kubeconfig = join(aFolder(), "config")
    const theirs = "apiVersion: v1\nkind: Config\ncurrent-context: prod # mine\n"
    writeFileSync(kubeconfig, theirs)
    const { end } = await up(["--kubeconfig", kubeconfig], /Ctrl-C ends it/)
    expect(readKubeconfig(kubeconfig)["current-context"]).toBe("charthouse-charthouse")
    expect(await end(signal)).toBe(0)
    expect(readFileSync(kubeconfig, "utf8")).toBe(theirs)
  })

  it("says in a sentence that the port is taken, and has written nothing", async () => {
    const taken = createServer()
    await new Promise<void>((listening) => taken.listen(0, "127.0.0.1", listening))
    const { port } = taken.address() as AddressInfo
    const kubeconfig = join(aFolder(), "config")
    const refused = await charthouse(["up", "--port", String(port), "--kubeconfig", kubeconfig])
    taken.close()
    expect(refused).toEqual({
      code: 2,
      stdout: "",
      stderr: `error: cannot listen on 127.0.0.1:${port}: the port is in use\n`
    })
    expect(existsSync(kubeconfig)).toBe(false)
  })

  it.each([
    { why: "a kubeconfig that is no YAML", text: "a: [", says: "the kubeconfig is not YAML" },
    { why: "a kubeconfig that is something else", text: "[]", says: "this is not a kubeconfig" }
  ])("refuses $why and leaves it as it is", async ({ text, says }) => {
    const kubeconfig = join(aFolder(), "config")
    writeFileSync(kubeconfig, text)
    const { code, stdout, stderr } = await charthouse(["up", "--kubeconfig", kubeconfig])
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toContain(says)
    expect(readFileSync(kubeconfig, "utf8")).toBe(text)
  })

  it.each([
    {
      why: "a folder without manifests",
      args: ["-f", aFolder()],
      says: "has no .yaml, .yml or .json file in it"
    },
    { why: "a file that is not there", args: ["-f", "none.yaml"], says: '"none.yaml" does not exist' },
    { why: "a name for no context", args: ["--name", "a b"], says: "lower-case letters, digits and hyphens" },
    { why: "a port beyond all", args: ["--port", "70000"], says: "a port, 0 to 65535" }
  ])("refuses $why", async ({ args, says }) => {
    const { code, stdout, stderr } = await charthouse([
      "up",
      ...args,
      "--kubeconfig",
      join(aFolder(), "config")
    ])
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toContain(says)
  })
})

describe("charthouse get kubeconfig", () => {
  it("prints a kubeconfig for a served cluster alone, and says so where none is served", async () => {
    const kubeconfig = join(aFolder(), "config")
    writeFileSync(kubeconfig, "contexts:\n  - { name: prod, context: { cluster: prod } }\n")
    const { url, end } = await up(["--kubeconfig", kubeconfig, "--name", "two"], /Ctrl-C ends it/)
    const printed = await charthouse(["get", "kubeconfig", "--name", "two", "--kubeconfig", kubeconfig])
    expect(printed.code).toBe(0)
    expect(parse(printed.stdout)).toMatchObject({
      clusters: [{ name: "charthouse-two", cluster: { server: url } }],
      contexts: [{ name: "charthouse-two" }],
      "current-context": "charthouse-two"
    })
    await end("SIGTERM")
    const none = await charthouse(["get", "kubeconfig", "--name", "two", "--kubeconfig", kubeconfig])
    expect(none).toMatchObject({ code: 2, stdout: "" })
    expect(none.stderr).toContain('no cluster called "two" is being served')
  })
})
