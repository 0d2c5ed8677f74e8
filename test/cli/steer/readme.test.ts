import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { readFileSync, writeFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { charthouse } from "../harness/charthouse.ts"
import { findKubectls } from "../../../scripts/kubectl.ts"
import { openCluster } from "../../../src/cluster/openCluster.ts"
import { projectPath } from "../../projectPath.ts"
import { stringify } from "yaml"
import { temporaryFolder } from "../harness/kubeconfigs.ts"
import { webDeployment } from "../../steering/steeredShop.ts"

const [kubectl] = (await findKubectls()).found
const example = (name: string): string => readFileSync(projectPath(`scripts/examples/${name}`), "utf8")
const readme = readFileSync(projectPath("src/steering/README.md"), "utf8")
const [section = ""] = /## A canary, from a file to a cluster\n[^]*?\n## /u.exec(readme) ?? []

/** The commands of a session, each with the lines shown of its output. */
const sessionOf = (block: string) =>
  block
    .replaceAll("\\\n", "")
    .split("$ ")
    .slice(1)
    .map((part) => {
      const [line = "", ...shown] = part.trimEnd().split("\n")
      return {
        line,
        shown: shown.map((it) => it.replace(/\s*…$/u, "").trimEnd()).filter((it) => it.trim() !== "")
      }
    })
const sessions = [...section.matchAll(/```console\n([^]*?)```/gu)].map(([, block = ""]) => sessionOf(block))
const [losing = [], proved = [], played = []] = sessions

/** The command runs in a folder of its own. */
const argsOf = (line: string): ReadonlyArray<string> =>
  line
    .split(/ +/u)
    .slice(2)
    .map((it) => (it.startsWith("scripts/") ? projectPath(it) : it))

const spaced = (text: string): string => text.replaceAll(/\s+/gu, " ")

describe("src/steering/README.md", () => {
  it("shows an annotation as the examples have it", () => {
    const [, annotation = ""] = /```yaml\n([^]*?)```/u.exec(section) ?? []
    for (const version of ["v1", "v2", "v3", "v4"])
      expect(example(`canary-${version}.yaml`)).toContain(annotation)
  })

  it.each([
    { what: "a canary that loses requests", session: losing },
    { what: "one that loses none", session: proved }
  ])("shows the plan of $what", async ({ session }) => {
    const [{ line, shown } = { line: "", shown: [] }] = session
    const { stdout } = await charthouse(argsOf(line))
    expect(shown.length).toBeGreaterThan(5)
    expect(shown.filter((it) => !stdout.includes(it))).toEqual([])
  })

  it("shows the check and the proof of a chart of a user's own", async () => {
    const [, block = ""] = /## A steering chart of your own\n[^]*?```console\n([^]*?)```/u.exec(readme) ?? []
    const [checked, planned] = sessionOf(block)
    const web = stringify(webDeployment("firstCrash", { replicas: 2 }))
    const files = { "web.yaml": web, "web-v2.yaml": web.replace("image: web:1", "image: web:2") }
    const chart = projectPath("test/steering/firstCrash.ts")
    const missing: Array<string> = []
    for (const { line, shown } of [checked, planned].filter((it) => it !== undefined)) {
      const { code, stdout } = await charthouse(
        argsOf(line).map((it) => (it === "./firstCrash.ts" ? chart : it)),
        files
      )
      expect(code).toBe(0)
      missing.push(...shown.filter((it) => !stdout.includes(it)))
    }
    expect(planned?.shown.length).toBe(2)
    expect(missing).toEqual([])
  })

  it.skipIf(kubectl === undefined)("shows a bad image that is taken back, as kubectl sees it", async () => {
    await using cluster = await openCluster({
      behaviours: [
        {
          name: "missing-image",
          match: { image: "*:broken" },
          pull: { delay: "800ms", failures: "forever", error: "manifest unknown" }
        }
      ]
    })
    await cluster.apply(example("canary-v3.yaml"))
    await cluster.settle()
    const config = join(temporaryFolder(), "config")
    writeFileSync(config, (await cluster.serve()).kubeconfig)
    const run = async (line: string): Promise<string> => {
      if (line.startsWith("npx")) return (await charthouse([...argsOf(line), "--kubeconfig", config])).stdout
      const args = [...line.split(" ").slice(1), "--kubeconfig", config]
      return (await promisify(execFile)(kubectl?.path ?? "", args)).stdout
    }
    const missing: Array<string> = []
    // The first one is the server.
    for (const { line, shown } of played.slice(1)) {
      const printed = spaced(await run(line))
      missing.push(...shown.filter((it) => !printed.includes(spaced(it).trim())))
    }
    expect(played.length).toBeGreaterThan(4)
    expect(missing).toEqual([])
  })
})
