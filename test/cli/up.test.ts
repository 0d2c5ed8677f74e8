import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { dirname, join, resolve } from "node:path"
import { AppsV1Api, KubeConfig } from "@kubernetes/client-node"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { charthouse } from "./charthouse.ts"
import { aFile, aFolder, contextsOf, readKubeconfig, theirs } from "./kubeconfigs.ts"
import { aFreePort, get, up } from "./serving.ts"
import type { AddressInfo } from "node:net"

const examples = resolve(import.meta.dirname, "../../scripts/examples")

const started = /Ctrl-C ends it/

const aReadOnlyFile = (): string => {
  const file = aFile(theirs)
  chmodSync(file, 0o444)
  return file
}

describe("charthouse up", () => {
  it("shows the rollouts of what it is given, serves them and goes on until it is told to go", async () => {
    const kubeconfig = join(aFolder(), "config")
    const args = ["-f", join(examples, "web-v1.yaml"), "--clock", "60x", "--name", "one"]
    const { printed, end } = await up([...args, "--kubeconfig", kubeconfig], started)
    expect(printed()).toContain('deployment "web" successfully rolled out')
    expect(printed()).toContain(
      `#   export KUBECONFIG='${kubeconfig}'\n` +
        "#   kubectl set image deployment/web web=registry.example/web:next\n"
    )
    expect(statSync(kubeconfig).mode & 0o777).toBe(0o600)

    const config = new KubeConfig()
    config.loadFromFile(kubeconfig)
    expect(config.getCurrentContext()).toBe("charthouse-one")
    const apps = config.makeApiClient(AppsV1Api)
    const web = await apps.readNamespacedDeploymentStatus({ name: "web", namespace: "default" })
    expect(web.status?.availableReplicas).toBe(5)

    expect(await end("SIGINT")).toBe(0)
    expect(existsSync(kubeconfig)).toBe(false)
  })

  it("serves plain HTTP to programs that have the token, and lends kubectl nothing", async () => {
    const kubeconfig = join(aFolder(), "config")
    const args = ["-f", join(examples, "web-v1.yaml"), "--clock", "60x", "--no-tls"]
    const { url, token, printed, end } = await up([...args, "--kubeconfig", kubeconfig], started)
    expect(printed()).toContain(
      "# kubectl sends no token over plain HTTP, so that no kubeconfig has a context for it; for programs:\n" +
        `#   curl -H "Authorization: Bearer ${token}" ${url}/version\n`
    )
    expect(printed()).not.toContain("kubectl set image")
    expect(existsSync(kubeconfig)).toBe(false)
    expect((await get(url, token, "/version")).status).toBe(200)
    expect((await fetch(`${url}/api/v1/pods`)).status).toBe(401)
    const none = await charthouse(["get", "kubeconfig", "--kubeconfig", kubeconfig])
    expect(none.stderr).toContain("with --no-tls none is in a kubeconfig")
    expect(await end("SIGINT")).toBe(0)
  })

  it.each(["SIGTERM", "SIGHUP"] as const)("puts the kubeconfig back when it gets a %s", async (signal) => {
    const kubeconfig = join(aFolder(), "config")
    const theirs = "apiVersion: v1\nkind: Config\ncurrent-context: prod # mine\n"
    writeFileSync(kubeconfig, theirs)
    const { end } = await up(["--kubeconfig", kubeconfig], started)
    expect(readKubeconfig(kubeconfig)["current-context"]).toBe("charthouse-charthouse")
    expect(await end(signal)).toBe(0)
    expect(readFileSync(kubeconfig, "utf8")).toBe(theirs)
  })

  it.each([
    { signals: ["SIGINT", "SIGINT"], why: "a terminal and npm tell it both" },
    { signals: ["SIGTERM", "SIGTERM", "SIGTERM", "SIGTERM"], why: "somebody is impatient" },
    { signals: ["SIGHUP", "SIGINT", "SIGTERM"], why: "a terminal is closed" }
  ] as const)("puts the kubeconfig back however many signals come at once: $why", async ({ signals }) => {
    const kubeconfig = aFile(theirs)
    const { end } = await up(["--kubeconfig", kubeconfig], started)
    expect(await end(...signals)).toBe(0)
    expect(readFileSync(kubeconfig, "utf8")).toBe(theirs)
    expect(readdirSync(dirname(kubeconfig))).toEqual(["config"])
  })

  it("puts the kubeconfig back though it is told to go again and again while it does", async () => {
    const kubeconfig = aFile(theirs)
    const { pester } = await up(["--kubeconfig", kubeconfig], started)
    await pester("SIGINT")
    expect(readFileSync(kubeconfig, "utf8")).toBe(theirs)
    expect(readdirSync(dirname(kubeconfig))).toEqual(["config"])
  })

  it("says in a sentence what is left in a kubeconfig that cannot be put back, and ends with 2", async () => {
    const kubeconfig = aFile(theirs)
    const { printed, end } = await up(["--kubeconfig", kubeconfig], started)
    const before = printed()
    writeFileSync(kubeconfig, "a: [")
    expect(await end("SIGINT", "SIGINT")).toBe(2)
    expect(printed().slice(before.length)).toMatch(
      /^error: .*config: the kubeconfig is not YAML: .*; charthouse-charthouse is left in it: [^\n]*\n$/
    )
  })

  it("refuses a name that is being served, and leaves the first its context", async () => {
    const kubeconfig = aFile(theirs)
    const { url, end } = await up(["--name", "a", "--kubeconfig", kubeconfig], started)
    const second = await charthouse(["up", "--name", "a", "--kubeconfig", kubeconfig])
    expect(second).toEqual({
      code: 2,
      stdout: "",
      stderr:
        `error: a cluster called "a" is being served already, at ${url}, by what ${kubeconfig} says: ` +
        "end that one, or give this one another --name\n"
    })
    expect(contextsOf(kubeconfig).current).toBe("charthouse-a")
    await end("SIGINT")
    expect(readFileSync(kubeconfig, "utf8")).toBe(theirs)
  })

  it("puts back what was there before one that was killed", async () => {
    const kubeconfig = aFile(theirs)
    const killed = await up(["--kubeconfig", kubeconfig], started)
    expect(await killed.end("SIGKILL")).toBe("SIGKILL")
    expect(contextsOf(kubeconfig).current).toBe("charthouse-charthouse")
    const next = await up(["--kubeconfig", kubeconfig], started)
    await next.end("SIGTERM")
    expect(contextsOf(kubeconfig)).toEqual({ current: "prod", contexts: ["prod"] })
  })

  it("shows its page at the port that it is given, and says so where it cannot", async () => {
    const taken = await aFreePort()
    const args = ["--page-port", String(taken), "--kubeconfig"]
    const { printed, end } = await up([...args, join(aFolder(), "config")], started)
    expect(printed()).toContain(`# page  http://127.0.0.1:${taken}/charthouse/#token=`)
    const again = await charthouse(["up", ...args, join(aFolder(), "config")])
    expect(again).toEqual({
      code: 2,
      stdout: "",
      stderr: `error: cannot listen on 127.0.0.1:${taken}: the port is in use\n`
    })
    expect(await end("SIGINT")).toBe(0)
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
    { why: "a port beyond all", args: ["--port", "70000"], says: "a port, 0 to 65535" },
    {
      why: "a port that is no number",
      args: ["--port", "abc"],
      says: 'flag --port: "abc". Expected: a port'
    },
    {
      why: "a port for a page that is at the other",
      args: ["--no-tls", "--page-port", "8080"],
      says: "--page-port goes with TLS"
    },
    {
      why: "an address of others",
      args: ["--host", "192.0.2.1"],
      says: "cannot listen on 192.0.2.1: this machine"
    }
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

describe("charthouse up with a kubeconfig that cannot be made", () => {
  it.each([
    {
      why: "a file stands in the place of its folder",
      kubeconfig: join(aFile(theirs), "x"),
      says: "is no folder"
    },
    { why: "it is read-only", kubeconfig: aReadOnlyFile(), says: "it is read-only" }
  ])("says so in a sentence: $why", async ({ kubeconfig, says }) => {
    const { code, stdout, stderr } = await charthouse(["up", "--kubeconfig", kubeconfig])
    expect({ code, stdout, lines: stderr.split("\n").length }).toEqual({ code: 2, stdout: "", lines: 2 })
    expect(stderr).toContain(`error: ${kubeconfig}: the kubeconfig cannot be written: `)
    expect(stderr).toContain(says)
  })
})

describe("charthouse get kubeconfig", () => {
  it("prints a kubeconfig for a served cluster alone, and says so where none is served", async () => {
    const kubeconfig = join(aFolder(), "config")
    writeFileSync(kubeconfig, "contexts:\n  - { name: prod, context: { cluster: prod } }\n")
    const { url, end } = await up(["--kubeconfig", kubeconfig, "--name", "two"], started)
    const printed = await charthouse(["get", "kubeconfig", "--name", "two", "--kubeconfig", kubeconfig])
    expect(printed.code).toBe(0)
    expect(parse(printed.stdout)).toMatchObject({
      clusters: [{ name: "charthouse-two", cluster: { server: url } }],
      contexts: [{ name: "charthouse-two" }],
      "current-context": "charthouse-two"
    })
    expect(printed.stdout).not.toContain("previousContext")
    await end("SIGTERM")
    const none = await charthouse(["get", "kubeconfig", "--name", "two", "--kubeconfig", kubeconfig])
    expect(none).toMatchObject({ code: 2, stdout: "" })
    expect(none.stderr).toContain('no cluster called "two" is being served')
  })
  it.each([
    { why: "a folder", kubeconfig: aFolder(), says: "the kubeconfig cannot be read: it is a folder" },
    { why: "no YAML", kubeconfig: aFile("a: ["), says: "the kubeconfig is not YAML" },
    { why: "something else", kubeconfig: aFile("[]"), says: "this is not a kubeconfig" }
  ])("tells in a sentence that the kubeconfig is $why", async ({ kubeconfig, says }) => {
    const { code, stdout, stderr } = await charthouse(["get", "kubeconfig", "--kubeconfig", kubeconfig])
    expect({ code, stdout, lines: stderr.split("\n").length }).toEqual({ code: 2, stdout: "", lines: 2 })
    expect(stderr).toContain(`error: ${kubeconfig}: ${says}`)
  })
})
