import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { charthouse } from "../harness/charthouse.ts"
import { temporaryFolder } from "../harness/kubeconfigs.ts"
import { openCluster } from "../../../src/cluster/openCluster.ts"
import { projectPath } from "../../projectPath.ts"
import type { OpenCluster } from "../../../src/cluster/openCluster.ts"

const readme = readFileSync(projectPath("src/explain/README.md"), "utf8")
const web = readFileSync(projectPath("scripts/examples/web-v1.yaml"), "utf8").replace(
  "replicas: 5",
  "replicas: 5\n  progressDeadlineSeconds: 60"
)
const config = join(temporaryFolder(), "config")

let cluster: OpenCluster

/** The cluster of src/explain/README.md: the image of version 2 does not exist. */
beforeAll(async () => {
  cluster = await openCluster({
    why: true,
    behaviours: [
      {
        name: "missing-image",
        match: { image: "*:broken" },
        pull: { delay: "800ms", failures: "forever", error: "manifest unknown" }
      }
    ]
  })
  await cluster.apply(web)
  await cluster.settle()
  await cluster.apply(web.replace("web:1.0", "web:broken"))
  await cluster.advance("45s")
  writeFileSync(config, (await cluster.serve()).kubeconfig)
})
afterAll(() => cluster.close())

/** The lines below a command, each up to its ellipsis. */
const shownBelow = (command: string): ReadonlyArray<string> => {
  const [, shown = ""] = readme.split(`\`\`\`console\n$ npx charthouse ${command}\n`)
  const [block = ""] = shown.split("\n```")
  return block
    .split("\n")
    .map((line) => line.replace(/\s*…$/, ""))
    .filter((line) => line.trim() !== "")
}

/** Without the numbers of writes, which depend on all earlier writes. */
const unnumbered = (text: string): string => text.replaceAll(/#\d+|version \d+/g, "")

describe("src/explain/README.md", () => {
  it.each([
    { command: "explain deployment/web", code: 1 },
    { command: "explain deployment/web --next", code: 1 },
    { command: "get rollout web", code: 0 }
  ])("shows the output of $command", async ({ command, code }) => {
    const run = await charthouse([...command.split(" "), "--kubeconfig", config])
    const shown = shownBelow(command)
    expect({ code: run.code, stderr: run.stderr }).toEqual({ code, stderr: "" })
    expect(shown.length).toBeGreaterThan(4)
    // Long sentences are wrapped on the page.
    const printed = run.stdout.replaceAll(/\s+/g, " ")
    expect(shown.filter((line) => !printed.includes(line.trim().replaceAll(/\s+/g, " ")))).toEqual([])
  })

  it("shows the output of charthouse why", async () => {
    const { stdout } = await charthouse(["why", "deployment/web", "--kubeconfig", config])
    const [, shown = ""] = readme.split("```console\n#98 ")
    const [block = ""] = shown.split("\n```")
    const lines = block.split("\n").map((line) => unnumbered(line).replace(/\s*…$/, ""))
    expect(lines).toHaveLength(5)
    expect(lines.filter((line) => !unnumbered(stdout).includes(line))).toEqual([])
  })
})
