import { describe, it } from "vitest"
import { charthouse, deploymentYaml } from "../harness/charthouse.ts"

const named = (name: string, image: string) =>
  deploymentYaml({ name, image, selects: name }).replaceAll("app: web", `app: ${name}`)
const files = {
  "web-v1.yaml": named("web", "web:1"),
  "web-v2.yaml": named("web", "web:2"),
  "api-v2.yaml": named("api", "api:2"),
  "node.yaml":
    "{ apiVersion: v1, kind: Node, metadata: { name: only }, status: { allocatable: { cpu: '4', memory: 8Gi, pods: '4' } } }",
  "widget.yaml": "{ apiVersion: example.com/v1, kind: Widget, metadata: { name: w } }",
  "old/web.yml": named("web", "web:1"),
  "old/api.json": JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "api" } }),
  "new/b.yaml": named("web", "web:2"),
  "new/a.yaml": named("api", "api:2"),
  "new/notes.txt": "no manifest",
  "new/below/c.yaml": "neither is this",
  "none/notes.txt": "no manifest"
}
const plan = (...args: ReadonlyArray<string>) => charthouse(["plan", "--seeds", "1", ...args], files)

describe("a plan of several files", () => {
  const rows: ReadonlyArray<{
    readonly why: string
    readonly args: ReadonlyArray<string>
    readonly rollouts: ReadonlyArray<string>
  }> = [
    {
      why: "plans rollouts in the order of the files",
      args: ["-f", "web-v2.yaml", "-f", "widget.yaml", "-f", "api-v2.yaml", "--from", "web-v1.yaml"],
      rollouts: ["web", "api, new"]
    },
    {
      why: "reads the files of a folder by name, without its subfolders",
      args: ["-f", "new", "--from", "old"],
      rollouts: ["api, new", "web"]
    },
    {
      why: "takes several files for --from too",
      args: ["-f", "new", "--from", "web-v1.yaml", "--from", "api-v2.yaml"],
      rollouts: ["api", "web"]
    }
  ]
  it.concurrent.for(rows)("$why", async ({ args, rollouts }, { expect }) => {
    const { code, stdout } = await plan(...args, "-o", "json")
    const found = JSON.parse(stdout).rollouts.map(
      ({ name, isNew }: { readonly name: string; readonly isNew: boolean }) =>
        `${name}${isNew ? ", new" : ""}`
    )
    expect({ code, found }).toEqual({ code: 0, found: rollouts })
  })
})

it.concurrent.for([
  { file: "--from", args: ["--from", "node.yaml", "--from", "web-v1.yaml", "-f", "web-v2.yaml"] },
  { file: "-f", args: ["--from", "web-v1.yaml", "-f", "node.yaml", "-f", "web-v2.yaml"] }
])("Nodes of $file replace the default ones", async ({ args }, { expect }) => {
  const { stdout } = await plan(...args, "--what-if", "none", "-o", "json")
  expect(JSON.parse(stdout)).toMatchObject({ nodes: 1, verdict: "ships" })
})

describe("a plan of several files is refused", () => {
  const rows: ReadonlyArray<{
    readonly why: string
    readonly args: ReadonlyArray<string>
    readonly expectedText: string
  }> = [
    {
      why: "without any file",
      args: [],
      expectedText: "error: must specify one of -f, -k and --helm, or have a charthouse.yaml here\n"
    },
    {
      why: "if no file has a Deployment, and says what is left out",
      args: ["-f", "widget.yaml", "-f", "old/api.json"],
      expectedText:
        "warning: Widget of example.com/v1 is left out: no controller acts on custom resources here\n" +
        "error: widget.yaml, old/api.json have no Deployment, StatefulSet, DaemonSet or Job, so that there is no rollout to plan\n"
    },
    {
      why: "if a folder has no manifest",
      args: ["-f", "web-v2.yaml", "--from", "none"],
      expectedText: 'error: the folder "none" has no .yaml, .yml or .json file in it\n'
    },
    {
      why: "if standard input would be read twice",
      args: ["-f", "-", "-f", "web-v2.yaml", "-f", "-"],
      expectedText: "error: standard input cannot be used for multiple arguments\n"
    }
  ]
  it.concurrent.for(rows)("$why", async ({ args, expectedText }, { expect }) => {
    const { code, stdout, stderr } = await plan(...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr.startsWith(expectedText)).toBe(true)
  })
})
