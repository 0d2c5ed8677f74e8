import { join } from "node:path"
import { writeFileSync } from "node:fs"
import { expect, it } from "vitest"
import { charthouse, deploymentYaml } from "../harness/charthouse.ts"
import { temporaryFolder } from "../harness/kubeconfigs.ts"
import { up } from "../harness/servingCommand.ts"

it("charthouse why prints the reasons for the past steps of an actor in a served cluster", async () => {
  const folder = temporaryFolder()
  const [kubeconfig = "", file = ""] = ["config", "web.yaml"].map((name) => join(folder, name))
  writeFileSync(file, deploymentYaml({ replicas: 2 }))
  const ask = (...args: ReadonlyArray<string>) => charthouse(["why", ...args, "--kubeconfig", kubeconfig])
  const server = await up(
    ["-f", file, "--why", "--clock", "virtual", "--kubeconfig", kubeconfig],
    /Ctrl-C ends it/
  )
  try {
    const { code, stdout } = await ask("deployment/web", "--last", "2")
    expect(code).toBe(0)
    const paragraphs = stdout.trimEnd().split("\n\n")
    expect(paragraphs).toHaveLength(2)
    expect(paragraphs.at(-1)).toMatch(/^#\d+ \d\d:\d\d:\d\d Deployment default\/web: observed, because /)
    expect(paragraphs.at(-1)).toContain(
      "\n  yes  rollingUpdate.isDone: reported 2 updated, 2 there, 2 available, 2 desired"
    )

    const { stdout: lines } = await ask("deploy/web", "-o", "json", "--last", "1")
    expect(JSON.parse(lines)).toMatchObject({ kind: "Deployment", name: "web", chart: "deployment" })

    expect(await ask("deployment/absent")).toMatchObject({
      code: 2,
      stdout: "",
      stderr:
        'error: no statechart runs for Deployment "absent" in namespace "default", and none did recently\n'
    })
    expect(await ask("web")).toMatchObject({
      code: 2,
      stderr: 'error: "web" is no KIND/NAME such as deployment/web or pod/web-5d4-x7k2p\n'
    })
    expect((await ask("deployment/web", "--last", "0")).stderr).toBe(
      "error: --last 0: at least 1 is needed\n"
    )
  } finally {
    await server.end("SIGTERM")
  }
  expect((await ask("deployment/web")).stderr).toContain(
    "error: no cluster is being served: there is no kubeconfig "
  )
})
