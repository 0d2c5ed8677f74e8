import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { dirname, join } from "node:path"
import { AppsV1Api, KubeConfig } from "@kubernetes/client-node"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { charthouse, charthouseProcess } from "../harness/charthouse.ts"
import {
  aKubeconfigFile,
  temporaryFolder,
  contextsOf,
  readKubeconfig,
  userKubeconfig
} from "../harness/kubeconfigs.ts"
import { aFreePort, fetchWithToken, up } from "../harness/servingCommand.ts"
import { projectPath } from "../../projectPath.ts"
import type { AddressInfo } from "node:net"

const examples = projectPath("scripts/examples")

const started = /Ctrl-C ends it/

const aReadOnlyFile = (): string => {
  const file = aKubeconfigFile(userKubeconfig)
  chmodSync(file, 0o444)
  return file
}

describe("charthouse up", () => {
  it("prints the rollouts of its files and serves the cluster until Ctrl-C", async () => {
    const kubeconfig = join(temporaryFolder(), "config")
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

  it("serves plain HTTP with --no-tls, and adds no context to the kubeconfig", async () => {
    const kubeconfig = join(temporaryFolder(), "config")
    const args = ["-f", join(examples, "web-v1.yaml"), "--clock", "60x", "--no-tls"]
    const { url, token, printed, end } = await up([...args, "--kubeconfig", kubeconfig], started)
    expect(printed()).toContain(
      "# kubectl sends no token over plain HTTP, so that no kubeconfig has a context for it; for programs:\n" +
        `#   curl -H "Authorization: Bearer ${token}" ${url}/version\n`
    )
    expect(printed()).not.toContain("kubectl set image")
    expect(existsSync(kubeconfig)).toBe(false)
    expect((await fetchWithToken(url, token, "/version")).status).toBe(200)
    expect((await fetch(`${url}/api/v1/pods`)).status).toBe(401)
    const none = await charthouse(["get", "kubeconfig", "--kubeconfig", kubeconfig])
    expect(none.stderr).toContain("with --no-tls none is in a kubeconfig")
    expect(await end("SIGINT")).toBe(0)
  })

  it.each(["SIGTERM", "SIGHUP"] as const)("restores the kubeconfig on %s", async (signal) => {
    const kubeconfig = join(temporaryFolder(), "config")
    const userKubeconfig = "apiVersion: v1\nkind: Config\ncurrent-context: prod # mine\n"
    writeFileSync(kubeconfig, userKubeconfig)
    const { end } = await up(["--kubeconfig", kubeconfig], started)
    expect(readKubeconfig(kubeconfig)["current-context"]).toBe("charthouse-charthouse")
    expect(await end(signal)).toBe(0)
    expect(readFileSync(kubeconfig, "utf8")).toBe(userKubeconfig)
  })

  it.each([
    { signals: ["SIGINT", "SIGINT"], why: "a terminal and npm both send one" },
    { signals: ["SIGTERM", "SIGTERM", "SIGTERM", "SIGTERM"], why: "a user repeats it" },
    { signals: ["SIGHUP", "SIGINT", "SIGTERM"], why: "a terminal is closed" }
  ] as const)("restores the kubeconfig if several signals arrive at once: $why", async ({ signals }) => {
    const kubeconfig = aKubeconfigFile(userKubeconfig)
    const { end } = await up(["--kubeconfig", kubeconfig], started)
    expect(await end(...signals)).toBe(0)
    expect(readFileSync(kubeconfig, "utf8")).toBe(userKubeconfig)
    expect(readdirSync(dirname(kubeconfig))).toEqual(["config"])
  })

  it("restores the kubeconfig if signals keep arriving meanwhile", async () => {
    const kubeconfig = aKubeconfigFile(userKubeconfig)
    const { pester } = await up(["--kubeconfig", kubeconfig], started)
    await pester("SIGINT")
    expect(readFileSync(kubeconfig, "utf8")).toBe(userKubeconfig)
    expect(readdirSync(dirname(kubeconfig))).toEqual(["config"])
  })

  it("reports the entries left in a kubeconfig that cannot be restored, and exits with 2", async () => {
    const kubeconfig = aKubeconfigFile(userKubeconfig)
    const { printed, end } = await up(["--kubeconfig", kubeconfig], started)
    const before = printed()
    writeFileSync(kubeconfig, "a: [")
    expect(await end("SIGINT", "SIGINT")).toBe(2)
    expect(printed().slice(before.length)).toMatch(
      /^error: .*config: the kubeconfig is not YAML: .*; charthouse-charthouse is left in it: [^\n]*\n$/
    )
  })

  it("refuses a name that is being served, and leaves the first server's context unchanged", async () => {
    const kubeconfig = aKubeconfigFile(userKubeconfig)
    const { url, end } = await up(["--name", "a", "--kubeconfig", kubeconfig], started)
    const second = await charthouseProcess(["up", "--name", "a", "--kubeconfig", kubeconfig])
    expect(second).toEqual({
      code: 2,
      stdout: "",
      stderr:
        `error: a cluster called "a" is being served already, at ${url}, by what ${kubeconfig} says: ` +
        "end that one, or give this one another --name\n"
    })
    expect(contextsOf(kubeconfig).current).toBe("charthouse-a")
    await end("SIGINT")
    expect(readFileSync(kubeconfig, "utf8")).toBe(userKubeconfig)
  })

  it("restores the current context of before a server that was killed", async () => {
    const kubeconfig = aKubeconfigFile(userKubeconfig)
    const killed = await up(["--kubeconfig", kubeconfig], started)
    expect(await killed.end("SIGKILL")).toBe("SIGKILL")
    expect(contextsOf(kubeconfig).current).toBe("charthouse-charthouse")
    const next = await up(["--kubeconfig", kubeconfig], started)
    await next.end("SIGTERM")
    expect(contextsOf(kubeconfig)).toEqual({ current: "prod", contexts: ["prod"] })
  })

  it("serves its page at --page-port, and reports a port in use", async () => {
    const taken = await aFreePort()
    const args = ["--page-port", String(taken), "--kubeconfig"]
    const { printed, end } = await up([...args, join(temporaryFolder(), "config")], started)
    expect(printed()).toContain(`# page  http://127.0.0.1:${taken}/charthouse/#token=`)
    const again = await charthouseProcess(["up", ...args, join(temporaryFolder(), "config")])
    expect(again).toEqual({
      code: 2,
      stdout: "",
      stderr: `error: cannot listen on 127.0.0.1:${taken}: the port is in use\n`
    })
    expect(await end("SIGINT")).toBe(0)
  })

  it("reports a --port in use, and writes no kubeconfig", async () => {
    const taken = createServer()
    await new Promise<void>((listening) => taken.listen(0, "127.0.0.1", listening))
    const { port } = taken.address() as AddressInfo
    const kubeconfig = join(temporaryFolder(), "config")
    const refused = await charthouseProcess(["up", "--port", String(port), "--kubeconfig", kubeconfig])
    taken.close()
    expect(refused).toEqual({
      code: 2,
      stdout: "",
      stderr: `error: cannot listen on 127.0.0.1:${port}: the port is in use\n`
    })
    expect(existsSync(kubeconfig)).toBe(false)
  })

  it.each([
    { why: "a kubeconfig that is no YAML", text: "a: [", expectedText: "the kubeconfig is not YAML" },
    { why: "YAML that is no kubeconfig", text: "[]", expectedText: "this is not a kubeconfig" }
  ])("refuses $why and leaves it unchanged", async ({ text, expectedText }) => {
    const kubeconfig = join(temporaryFolder(), "config")
    writeFileSync(kubeconfig, text)
    const { code, stdout, stderr } = await charthouseProcess(["up", "--kubeconfig", kubeconfig])
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toContain(expectedText)
    expect(readFileSync(kubeconfig, "utf8")).toBe(text)
  })

  it.each([
    {
      why: "a folder without manifests",
      args: ["-f", temporaryFolder()],
      expectedText: "has no .yaml, .yml or .json file in it"
    },
    { why: "a missing file", args: ["-f", "none.yaml"], expectedText: '"none.yaml" does not exist' },
    {
      why: "a name that is no valid context name",
      args: ["--name", "a b"],
      expectedText: "lower-case letters, digits and hyphens"
    },
    { why: "a port above 65535", args: ["--port", "70000"], expectedText: "a port, 0 to 65535" },
    {
      why: "a port that is no number",
      args: ["--port", "abc"],
      expectedText: 'flag --port: "abc". Expected: a port'
    },
    {
      why: "a --page-port with --no-tls",
      args: ["--no-tls", "--page-port", "8080"],
      expectedText: "--page-port goes with TLS"
    },
    {
      why: "an address of another machine",
      args: ["--host", "192.0.2.1"],
      expectedText: "cannot listen on 192.0.2.1: this machine"
    }
  ])("refuses $why", async ({ args, expectedText }) => {
    const { code, stdout, stderr } = await charthouseProcess([
      "up",
      ...args,
      "--kubeconfig",
      join(temporaryFolder(), "config")
    ])
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toContain(expectedText)
  })
})

describe("charthouse up with a kubeconfig that cannot be written", () => {
  it.each([
    {
      why: "a file stands in the place of its folder",
      kubeconfig: join(aKubeconfigFile(userKubeconfig), "x"),
      expectedText: "is no folder"
    },
    { why: "it is read-only", kubeconfig: aReadOnlyFile(), expectedText: "it is read-only" }
  ])("reports it in one line: $why", async ({ kubeconfig, expectedText }) => {
    const { code, stdout, stderr } = await charthouseProcess(["up", "--kubeconfig", kubeconfig])
    expect({ code, stdout, lines: stderr.split("\n").length }).toEqual({ code: 2, stdout: "", lines: 2 })
    expect(stderr).toContain(`error: ${kubeconfig}: the kubeconfig cannot be written: `)
    expect(stderr).toContain(expectedText)
  })
})

describe("charthouse get kubeconfig", () => {
  it("prints a kubeconfig with only the served cluster, and reports that none is served", async () => {
    const kubeconfig = join(temporaryFolder(), "config")
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
    {
      why: "a folder",
      kubeconfig: temporaryFolder(),
      expectedText: "the kubeconfig cannot be read: it is a folder"
    },
    { why: "no YAML", kubeconfig: aKubeconfigFile("a: ["), expectedText: "the kubeconfig is not YAML" },
    {
      why: "YAML of another kind",
      kubeconfig: aKubeconfigFile("[]"),
      expectedText: "this is not a kubeconfig"
    }
  ])("reports in one line that the kubeconfig is $why", async ({ kubeconfig, expectedText }) => {
    const { code, stdout, stderr } = await charthouse(["get", "kubeconfig", "--kubeconfig", kubeconfig])
    expect({ code, stdout, lines: stderr.split("\n").length }).toEqual({ code: 2, stdout: "", lines: 2 })
    expect(stderr).toContain(`error: ${kubeconfig}: ${expectedText}`)
  })
})
