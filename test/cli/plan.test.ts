import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { instant } from "../../src/behaviours/builtInBehaviours.ts"
import { playSeedsOnAllCores } from "../../src/cli/plan/playSeedsOnAllCores.ts"
import { readManifests } from "../../src/manifests/readManifests.ts"
import { planRollout, summarizePlan } from "../../src/plan/planRollout.ts"
import { charthouse, deploymentYaml } from "./charthouse.ts"
import { command } from "./command.ts"

const service = `apiVersion: v1
kind: Service
metadata:
  name: web
spec:
  selector:
    app: web
  ports:
    - port: 80
`
const missing = `apiVersion: charthouse.dev/v1
kind: Behaviour
metadata:
  name: missing
spec:
  match:
    image: "*:broken"
  pull:
    failures: forever
`
const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { plural: widgets, kind: Widget }
  versions: [{ name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object } } }]
`
const widget = "{ apiVersion: example.com/v1, kind: Widget, metadata: { name: w } }"
const inShop = (yaml: string): string => yaml.replace("metadata:\n", "metadata:\n  namespace: shop\n")
/** What a Service of the front tier finds, or does not. */
const tiered = (tier: string, image: number): string =>
  deploymentYaml({ image: `web:${image}` }).replaceAll(
    /^( +)labels:\n( +)app: web/gm,
    `$&\n$2tier: ${tier}`
  ) + `---\n${service.replace("app: web", "tier: front")}`
const files = {
  "v1.yaml": deploymentYaml(),
  "v2.yaml": deploymentYaml({ image: "web:2" }),
  "bad.yaml": deploymentYaml({ image: "web:broken" }),
  "service.yaml": service,
  "served-v1.yaml": `${deploymentYaml()}---\n${service}`,
  "served-v2.yaml": `${deploymentYaml({ image: "web:2" })}---\n${service}`,
  "elsewhere-v1.yaml": `${deploymentYaml()}---\n${service.replace("app: web", "app: another")}`,
  "untied-v1.yaml": tiered("front", 1),
  "untied-v2.yaml": tiered("back", 2),
  "custom-v1.yaml": [deploymentYaml(), definition, widget].join("---\n"),
  "custom-v2.yaml": [widget, deploymentYaml({ image: "web:2" })].join("\n---\n"),
  "missing.yaml": missing,
  "shop-v1.yaml": inShop(deploymentYaml()),
  "shop-v2.yaml": inShop(deploymentYaml({ image: "web:2" }))
}
const plan = (...args: ReadonlyArray<string>) => charthouse(["plan", ...args], files)
const next = ["-f", "v2.yaml", "--from", "v1.yaml", "--seeds", "3"]
const served = ["-f", "served-v2.yaml", "--from", "served-v1.yaml", "--seeds", "2"]
const bad = ["-f", "bad.yaml", "--from", "v1.yaml", "--seeds", "2", "--behaviour", "missing.yaml"]

describe("the exit code", () => {
  const rows: ReadonlyArray<{
    readonly why: string
    readonly args: ReadonlyArray<string>
    readonly code: number
  }> = [
    { why: "0 when the rollout goes as wished", args: next, code: 0 },
    { why: "0 when no predicate is true", args: [...next, "--fail-on", "available<100%,pods>4"], code: 0 },
    { why: "1 when one is", args: [...next, "--fail-on", "pods>9", "--fail-on", "duration>1s"], code: 1 },
    { why: "1 when requests are lost", args: [...served, "--fail-on", "lost>0"], code: 1 },
    { why: "0 when no more are than may be", args: [...served, "--fail-on", "lost>90%"], code: 0 },
    {
      why: "0 when nobody sends any",
      args: [...served, "--assume", "requests=0", "--fail-on", "lost>0"],
      code: 0
    },
    { why: "1 when a deadline is missed", args: bad, code: 1 },
    { why: "0 when that many may miss it", args: [...bad, "--fail-on", "stuck>100%"], code: 0 },
    { why: "1 when more do", args: [...bad, "--fail-on", "stuck>1"], code: 1 }
  ]
  it.for(rows)("is $why", async ({ args, code }) => {
    const ended = await plan(...args)
    expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code, stderr: "" })
  })

  const refused: ReadonlyArray<{ readonly args: ReadonlyArray<string>; readonly words: string }> = [
    {
      args: [...next, "--fail-on", "pods>4, available<ninety"],
      words:
        'error: --fail-on, column 19: available is compared with a count or a percentage, not "ninety"\n' +
        "  pods>4, available<ninety\n" +
        "                    ^\n"
    },
    {
      args: [...next, "--assume", "start=soon"],
      words:
        'error: --assume, column 7: "soon" is no duration such as 20s, and no range such as 5s..40s\n' +
        "  start=soon\n" +
        "        ^\n"
    },
    {
      args: ["-f", "service.yaml"],
      words: "error: service.yaml has no Deployment, so that there is no rollout to plan\n"
    },
    {
      args: ["-f", "v2.yaml", "--fail-on", "available<90%"],
      words:
        "error: --fail-on available<90%: a Deployment that is new has none available to lose; " +
        "say --from what it follows\n"
    },
    {
      args: [...next, "--fail-on", "lost>0"],
      words:
        "error: --fail-on lost>0: there is no Service whose requests could be lost; put it into the file\n"
    },
    {
      args: ["-f", "v2.yaml", "--from", "elsewhere-v1.yaml", "--fail-on", "lost>0"],
      words:
        "error: --fail-on lost>0: no Service selects the Pods that are rolled out, and none of its requests could be lost\n"
    },
    {
      args: ["-f", "v2.yaml", "--fail-on", "lost>0"],
      words:
        "error: --fail-on lost>0: to a Deployment that is new nobody sends requests yet; say --from what it follows\n"
    },
    {
      args: ["-f", "shop-v2.yaml", "-n", "market"],
      words:
        'shop-v2.yaml:1:1: the namespace from the provided object "shop" does not match the namespace "market". ' +
        "You must pass '--namespace=shop' to perform this operation.\n"
    },
    {
      args: ["-f", "-", "--from", "-"],
      words: "error: standard input cannot be used for multiple arguments\n"
    },
    {
      args: ["-f", "v2.yaml", "-n", "Foo_bar"],
      words:
        "error: --namespace Foo_bar: a lowercase RFC 1123 label must consist of lower case alphanumeric characters or " +
        "'-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for " +
        "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')\n"
    },
    { args: ["-f", "v3.yaml"], words: 'error: the path "v3.yaml" does not exist\n' }
  ]
  it.concurrent.for(refused)(
    "is 2 for $args, and says where and what",
    async ({ args, words }, { expect }) => {
      expect(await plan(...args)).toEqual({ code: 2, stdout: "", stderr: words })
    }
  )

  it.concurrent.for(["0", "9..3", "some", "1..999999"])("is 2 for --seeds %s", async (seeds, { expect }) => {
    const { code, stderr } = await plan("-f", "v2.yaml", "--seeds", seeds)
    expect(code).toBe(2)
    expect(stderr).toContain("a number of seeds, 1 to 100000, or a range like 1..1000")
  })
})

it("a Service that finds none of the Pods that are rolled out is warned of, and what it loses judged", async () => {
  const untied = ["-f", "untied-v2.yaml", "--from", "untied-v1.yaml", "--seeds", "2"]
  const { code, stderr, stdout } = await plan(...untied, "--fail-on", "lost>0")
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr:
      "warning: Service/web selects tier=front and finds the Pods of Deployment/web before its rollout, but none " +
      "that it makes: they have app=web,tier=back\n"
  })
  expect(stdout).toMatch(/^ {2}requests lost .*; all that is sent to web afterwards$/m)
  expect(stdout).toContain("✗ lost>0: Deployment/web comes to all that is sent to web afterwards\n")
  const every = await plan(...untied.slice(0, 4), "--exhaustive", "-o", "json")
  expect(every.stderr).toBe(stderr)
  expect(JSON.parse(every.stdout).warnings).toEqual([stderr.slice("warning: ".length, -1)])
  const page = await plan(...untied, "-o", "html")
  expect(page.stdout).toContain("; all that is sent to web afterwards")
})

describe("of which Pods nobody knows, where a quota counts them in a real cluster,", () => {
  const spec = { selector: { matchLabels: { app: "db" } }, serviceName: "db", template: {} }
  const more = [
    { apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "q" }, spec: { hard: { pods: "9" } } },
    { apiVersion: "apps/v1", kind: "StatefulSet", metadata: { name: "db" }, spec }
  ]
  const yaml = [deploymentYaml(), ...more.map((object) => JSON.stringify(object))].join("\n---\n")
  const says =
    "StatefulSet/db is not played: none of its Pods are made, and the room that they take is counted neither on nodes nor in ResourceQuota/q"
  const ask = (...args: ReadonlyArray<string>) =>
    charthouse(["plan", "-f", "a.yaml", ...args], { "a.yaml": yaml })

  it("is said beside the table", async () => {
    const { code, stderr } = await ask("--seeds", "1")
    expect({ code, stderr }).toEqual({ code: 0, stderr: `warning: ${says}\n` })
  })
  it.each([["--seeds", "1"], ["--exhaustive"]])("is told programs with %s", async (...args) => {
    const { stdout } = await ask(...args, "-o", "json")
    expect(JSON.parse(stdout).warnings).toEqual([says])
  })
  it("is on the page", async () => {
    const { stdout } = await ask("--seeds", "1", "-o", "html")
    expect(stdout).toContain(`<b>Warning:</b> ${says}.`)
  })
})

describe("custom resources are left out, with a word about each kind", () => {
  const says = "Widget of example.com/v1 is left out: nobody acts on custom resources here"
  const custom = ["-f", "custom-v2.yaml", "--from", "custom-v1.yaml"]
  it.concurrent.for([["--seeds", "1"], ["--exhaustive"]])("with %s", async (args, { expect }) => {
    const { code, stdout, stderr } = await plan(...custom, ...args, "-o", "json")
    expect({ code, stderr }).toEqual({ code: 0, stderr: `warning: ${says}\n` })
    expect(JSON.parse(stdout)).toMatchObject({ rollouts: [{ name: "web", isNew: false }], warnings: [says] })
  })
  it("and on the page", async () => {
    const { stdout } = await plan(...custom, "--seeds", "1", "-o", "html")
    expect(stdout).toContain(`<b>Warning:</b> ${says}.`)
  })
})

describe("a namespace that no file makes is taken to be there", () => {
  const rows: ReadonlyArray<{
    readonly why: string
    readonly args: ReadonlyArray<string>
    readonly first: string
  }> = [
    {
      why: "and what was in it before goes on",
      args: ["-f", "shop-v2.yaml", "--from", "shop-v1.yaml", "--seeds", "2"],
      first: "Deployment/shop/web  3 replicas, played with 2 seeds"
    },
    {
      why: "and nothing was in it before where nothing is said of that",
      args: ["-f", "shop-v2.yaml", "--seeds", "2"],
      first: "Deployment/shop/web  3 replicas, new, played with 2 seeds"
    },
    {
      why: "for what names none and is meant to be in it",
      args: ["-f", "v2.yaml", "--from", "shop-v1.yaml", "-n", "shop", "--seeds", "2"],
      first: "Deployment/shop/web  3 replicas, played with 2 seeds"
    },
    {
      why: "unless an empty name is given, which is none",
      args: ["-f", "v2.yaml", "--from", "v1.yaml", "-n", "", "--seeds", "2"],
      first: "Deployment/web  3 replicas, played with 2 seeds"
    },
    {
      why: "in every order of events",
      args: ["-f", "shop-v2.yaml", "--from", "shop-v1.yaml", "--exhaustive"],
      first:
        "Deployment/shop/web  3 replicas, maxSurge 25%, maxUnavailable 25%: every order of events with up to 1 failure"
    }
  ]
  it.concurrent.for(rows)("$why", async ({ args, first }, { expect }) => {
    const { code, stdout, stderr } = await plan(...args)
    expect({ code, stderr, first: stdout.split("\n")[0] }).toEqual({ code: 0, stderr: "", first })
  })
})

it("seeds that are played on several cores come to what they come to on one", async () => {
  const web = (image: string) =>
    readManifests([{ name: image, text: deploymentYaml({ replicas: 1, image }) }], { strict: true }).documents
  const world = { from: web("web:1"), next: web("web:2"), behaviour: instant }
  const seeds = Array.from({ length: 61 }, (_, index) => index + 500)
  const [shared, alone] = await Promise.all([
    Effect.runPromise(playSeedsOnAllCores(world, seeds)),
    Effect.runPromise(planRollout(world, seeds))
  ])
  expect(shared.map(({ seed }) => seed)).toEqual(seeds)
  expect(summarizePlan(world, shared)).toEqual(alone)
})

describe("what is printed", () => {
  it("is the same to the byte for the same seeds", async () => {
    const [table, again, json, jsonAgain] = await Promise.all([
      plan(...next),
      plan(...next),
      plan(...next, "-o", "json"),
      plan(...next, "-o", "json")
    ])
    expect(again.stdout).toBe(table.stdout)
    expect(jsonAgain.stdout).toBe(json.stdout)
  })

  it("is one JSON object for programs, with what was true of what must not be", async () => {
    const { stdout } = await plan(...bad, "-o", "json", "--fail-on", "stuck>0%")
    expect(JSON.parse(stdout)).toMatchObject({
      seeds: { first: 1, last: 2, count: 2 },
      rollouts: [{ name: "web", desired: 3, stuck: 2, duration: null, available: { fewest: 3 } }],
      failed: [{ predicate: "stuck>0%", name: "web", actual: "2 of 2" }],
      violations: [],
      exitCode: 1
    })
  })

  it("is a page that needs nothing else", async () => {
    const { code, stdout, stderr } = await plan(...served, "-o", "html")
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toMatch(/^<!doctype html>/i)
    expect(stdout).toContain("2 seeds")
    expect(stdout).not.toMatch(/(?:src|href)="https?:/)
  })

  it("prints what src/plan/README.md shows", () => {
    const root = resolve(import.meta.dirname, "../..")
    const readme = readFileSync(`${root}/src/plan/README.md`, "utf8")
    const [, words = "", shown = ""] =
      /```console\n\$ npx charthouse (plan (?:[^\n]*\\\n)?[^\n]+)\n([^]*?)```/.exec(readme) ?? []
    const args = words
      .replaceAll("\\\n", "")
      .split(/ +/)
      .map((word) => word.replaceAll("'", ""))
    const ended = spawnSync(process.execPath, [command, ...args], { cwd: root, encoding: "utf8" })
    const lines = (text: string) => text.split("\n").filter((line) => line.trim() !== "")
    expect(lines(shown).length).toBeGreaterThan(10)
    expect(lines(ended.stdout)).toEqual(lines(shown))
    expect(ended.status).toBe(1)
  })
})
