import { describe, expect, it } from "vitest"
import { charthouse, deploymentYaml } from "../harness/charthouse.ts"

const behaviour = (spec: string): string =>
  `apiVersion: charthouse.dev/v1\nkind: Behaviour\nmetadata:\n  name: odd\nspec:\n${spec}`

const surgeAndUnavailable = `  strategy:
    rollingUpdate:
      maxSurge: 0
      maxUnavailable: 0
`

interface Row {
  readonly why: string
  readonly files: Readonly<Record<string, string>>
  readonly args?: ReadonlyArray<string>
  readonly expectedText: ReadonlyArray<string>
}

const rows: ReadonlyArray<Row> = [
  {
    why: "YAML that does not parse",
    files: { "a.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: [web\nspec: {}\n" },
    expectedText: ["a.yaml:5:1: not readable as YAML: "]
  },
  {
    why: "a kind that is not served",
    files: { "a.yaml": "apiVersion: apps/v2\nkind: Deploymint\nmetadata:\n  name: web\n" },
    expectedText: ['a.yaml:2:1: no matches for kind "Deploymint" in version "apps/v2"']
  },
  {
    why: "a field of the wrong type",
    files: { "a.yaml": deploymentYaml({ replicas: "three" }) },
    expectedText: [
      'a.yaml:6:3: Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal ' +
        "string into Go struct field DeploymentSpec.spec.replicas of type int32"
    ]
  },
  {
    why: "a field that does not exist",
    files: { "a.yaml": deploymentYaml({ more: "  replica: 3\n" }) },
    expectedText: ["a.yaml:18:3:", 'strict decoding error: unknown field "spec.replica"']
  },
  {
    why: "a selector that does not match its template",
    files: { "a.yaml": deploymentYaml({ selects: "shop" }) },
    expectedText: [
      'a.yaml:12:7: The Deployment "web" is invalid: spec.template.metadata.labels: Invalid value: ' +
        '{"app":"web"}: `selector` does not match template `labels`'
    ]
  },
  {
    why: "surge and unavailable both 0",
    files: { "a.yaml": deploymentYaml({ more: surgeAndUnavailable }) },
    expectedText: [
      'a.yaml:21:7: The Deployment "web" is invalid: spec.strategy.rollingUpdate.maxUnavailable: ' +
        "Invalid value: 0: may not be 0 when `maxSurge` is 0"
    ]
  },
  {
    why: "a Deployment of -1 Pods",
    files: { "a.yaml": deploymentYaml({ replicas: -1 }) },
    expectedText: [
      'a.yaml:6:3: The Deployment "web" is invalid: spec.replicas: Invalid value: -1: ' +
        "must be greater than or equal to 0"
    ]
  },
  {
    why: "a Deployment of ten million Pods",
    files: { "a.yaml": deploymentYaml({ replicas: 10_000_000 }) },
    expectedText: ['a.yaml:6:3: Deployment "web" asks for 10000000 Pods, and a run takes 100000 at the most']
  },
  {
    why: "Deployments that have too many Pods only together",
    files: {
      "a.yaml": `${deploymentYaml({ replicas: 70_001 })}---\n${deploymentYaml({ name: "shop", replicas: 30_002 })}`
    },
    expectedText: ["error: all files together ask for 100003 Pods, and a run takes 100000 at the most"]
  },
  {
    why: "a file without any object",
    files: { "a.yaml": "# nothing\n" },
    expectedText: ["a.yaml: there is no object in this file"]
  },
  {
    why: "a missing file",
    files: { "b.yaml": deploymentYaml() },
    args: ["-f", "b.yaml", "-f", "a.yaml"],
    expectedText: ['error: the path "a.yaml" does not exist']
  },
  {
    why: "a folder in place of a file",
    files: {},
    args: ["-f", "."],
    expectedText: ['error: the path "." is a directory']
  },
  {
    why: "a file that changes an immutable field of another file's object",
    files: {
      "a.yaml": deploymentYaml(),
      "b.yaml": deploymentYaml({ selects: "next" }).replaceAll("app: web", "app: next")
    },
    args: ["-f", "a.yaml", "-f", "b.yaml"],
    expectedText: ['b.yaml:7:3: The Deployment "web" is invalid: spec.selector: ', ": field is immutable"]
  },
  {
    why: "a behaviour that contradicts itself",
    files: {
      "a.yaml": deploymentYaml(),
      "b.yaml": behaviour("  exit:\n    after: 2s\n    code: 0\n    reason: OOMKilled\n")
    },
    args: ["-f", "a.yaml", "--behaviour", "b.yaml"],
    expectedText: ["b.yaml:8:5: spec.exit.code a container that is OOMKilled exits with 137 (SIGKILL), not 0"]
  },
  {
    why: "two behaviours with one name",
    files: {
      "a.yaml": deploymentYaml(),
      "b.yaml": `${behaviour("  start: 1s\n")}---\n${behaviour("  start: 2s\n")}`
    },
    args: ["-f", "a.yaml", "--behaviour", "b.yaml"],
    expectedText: ['b.yaml:8:1: Behaviour "odd" is given twice: first at b.yaml:1:1']
  },
  {
    why: "standard input for two flags",
    files: {},
    args: ["-f", "-", "--behaviour", "-"],
    expectedText: ["error: standard input cannot be used for multiple arguments"]
  },
  {
    why: "an unknown behaviour",
    files: { "a.yaml": deploymentYaml() },
    args: ["-f", "a.yaml", "--behaviour", "stedy"],
    expectedText: [
      'the path "stedy" does not exist',
      'no behaviour is called "stedy"; the built-in ones are steady, instant, manual'
    ]
  },
  {
    why: "a Deployment among the behaviours",
    files: { "a.yaml": deploymentYaml() },
    args: ["-f", "a.yaml", "--behaviour", "a.yaml"],
    expectedText: ["a.yaml:1:1: only Behaviours are expected in this file, and this is a Deployment"]
  },
  {
    why: "a file of nodes with a taint without an effect, at the line of the taint",
    files: {
      "a.yaml": deploymentYaml(),
      "nodes.yaml": [
        "apiVersion: v1",
        "kind: Node",
        "metadata: { name: big }",
        "---",
        "apiVersion: v1",
        "kind: Node",
        "metadata: { name: gpu }",
        "spec:",
        "  taints:",
        "    - key: gpu"
      ].join("\n")
    },
    args: ["-f", "a.yaml", "--nodes", "nodes.yaml"],
    expectedText: ['nodes.yaml:10:7: The Node "gpu" is invalid: metadata.taints[0].effect: Required value']
  },
  {
    why: "a file of nodes with two of one name, with both places",
    files: {
      "a.yaml": deploymentYaml(),
      "nodes.yaml": [
        "apiVersion: v1",
        "kind: Node",
        "metadata: { name: big }",
        "---",
        "apiVersion: v1",
        "kind: Node",
        "metadata: { name: big }"
      ].join("\n")
    },
    args: ["-f", "a.yaml", "--nodes", "nodes.yaml"],
    expectedText: ['nodes.yaml:5:1: nodes "big" is given twice: first at nodes.yaml:1:1']
  },
  {
    why: "a file of nodes with an object that is none",
    files: { "a.yaml": deploymentYaml() },
    args: ["-f", "a.yaml", "--nodes", "a.yaml"],
    expectedText: ["a.yaml:1:1: Deployment/web is no Node: --nodes takes Nodes only"]
  },
  {
    why: "a file of nodes that is missing",
    files: { "a.yaml": deploymentYaml() },
    args: ["-f", "a.yaml", "--nodes", "none.yaml"],
    expectedText: ['the path "none.yaml" does not exist']
  }
]

describe("charthouse run refuses, before the run begins,", () => {
  it.concurrent.for(rows)("$why", async ({ files, args = ["-f", "a.yaml"], expectedText }, { expect }) => {
    const { code, stdout, stderr } = await charthouse(["run", ...args], files)
    for (const sentence of expectedText) expect(stderr).toContain(sentence)
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
  })
})

it("charthouse run reports the errors of all files at once", async () => {
  const { code, stderr } = await charthouse(["run", "-f", "a.yaml", "-f", "b.yaml"], {
    "a.yaml": deploymentYaml({ replicas: "three" }),
    "b.yaml": "kind: Service\n"
  })
  expect(stderr.trimEnd().split("\n")).toEqual([
    expect.stringMatching(/^a\.yaml:6:3:/),
    expect.stringMatching(/^b\.yaml:1:1:/)
  ])
  expect(code).toBe(2)
})

describe("an invalid command line exits with 2:", () => {
  const lines: ReadonlyArray<{
    readonly why: string
    readonly args: ReadonlyArray<string>
    readonly expectedText: string
  }> = [
    { why: "an unknown flag", args: ["run", "-f", "a.yaml", "--bogus"], expectedText: "--bogus" },
    { why: "an unknown command", args: ["rum"], expectedText: 'Unknown subcommand "rum"' },
    { why: "no file", args: ["run"], expectedText: "--filename" },
    {
      why: "a clock that stands still",
      args: ["run", "-f", "a.yaml", "--clock", "0x"],
      expectedText: "a speed like 60x"
    },
    {
      why: "a seed that is no number",
      args: ["run", "-f", "a.yaml", "--seed", "x"],
      expectedText: 'Invalid value for flag --seed: "x". Expected: a whole number'
    },
    {
      why: "a fraction of a node",
      args: ["run", "-f", "a.yaml", "--nodes", "2.5"],
      expectedText: 'Invalid value for flag --nodes: "2.5". Expected: 0 to 5000 nodes'
    },
    {
      why: "a negative number of nodes",
      args: ["run", "-f", "a.yaml", "--nodes=-1"],
      expectedText: "0 to 5000 nodes"
    },
    ...["run", "plan"].map((verb) => ({
      why: `a feature gate that ${verb} does not know`,
      args: [verb, "-f", "a.yaml", "--feature-gates", "Foo=true"],
      expectedText: 'invalid argument "Foo=true" for "--feature-gates" flag: unrecognized feature gate: Foo'
    })),
    { why: "an unknown output", args: ["run", "-f", "a.yaml", "-o", "xml"], expectedText: "tree" }
  ]
  it.concurrent.for(lines)("$why", async ({ args, expectedText }, { expect }) => {
    const { code, stdout, stderr } = await charthouse(args, { "a.yaml": deploymentYaml() })
    expect(stderr).toContain(expectedText)
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
  })
})
