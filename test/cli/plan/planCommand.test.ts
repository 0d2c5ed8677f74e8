import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { instant } from "../../../src/behaviours/builtInBehaviours.ts"
import { playSeedsOnAllCores } from "../../../src/cli/plan/playSeedsOnAllCores.ts"
import { readManifests } from "../../../src/manifests/readManifests.ts"
import { planRollout } from "../../../src/plan/planRollout.ts"
import { summarizePlan } from "../../../src/plan/summarizePlan.ts"
import { charthouse, deploymentYaml } from "../harness/charthouse.ts"
import { command } from "../harness/testedCommand.ts"
import { planTitle } from "./planTitle.ts"
import { projectPath } from "../../projectPath.ts"

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
/** A Deployment with this tier label, and a Service that selects the front tier. */
const withTier = (tier: string, image: number): string =>
  deploymentYaml({ image: `web:${image}` }).replaceAll(
    /^( +)labels:\n( +)app: web/gm,
    `$&\n$2tier: ${tier}`
  ) + `---\n${service.replace("app: web", "tier: front")}`
const expiringJob = (version: number): string => `apiVersion: batch/v1
kind: Job
metadata: { name: migrate }
spec:
  ttlSecondsAfterFinished: 0
  template: { spec: { restartPolicy: Never, containers: [{ name: app, image: "app:${version}" }] } }
`
const files = {
  "job-v1.yaml": expiringJob(1),
  "job-v2.yaml": expiringJob(2),
  "v1.yaml": deploymentYaml(),
  "v2.yaml": deploymentYaml({ image: "web:2" }),
  "bad.yaml": deploymentYaml({ image: "web:broken" }),
  "service.yaml": service,
  "served-v1.yaml": `${deploymentYaml()}---\n${service}`,
  "served-v2.yaml": `${deploymentYaml({ image: "web:2" })}---\n${service}`,
  "elsewhere-v1.yaml": `${deploymentYaml()}---\n${service.replace("app: web", "app: another")}`,
  "untied-v1.yaml": withTier("front", 1),
  "untied-v2.yaml": withTier("back", 2),
  "custom-v1.yaml": [deploymentYaml(), definition, widget].join("---\n"),
  "custom-v2.yaml": [widget, deploymentYaml({ image: "web:2" })].join("\n---\n"),
  "missing.yaml": missing,
  "shop-v1.yaml": inShop(deploymentYaml()),
  "shop-v2.yaml": inShop(deploymentYaml({ image: "web:2" }))
}
const plan = (...args: ReadonlyArray<string>) => charthouse(["plan", ...args], files)
const planFlags = ["-f", "v2.yaml", "--from", "v1.yaml", "--seeds", "3"]
const servedPlanFlags = ["-f", "served-v2.yaml", "--from", "served-v1.yaml", "--seeds", "2"]
const badPlanFlags = ["-f", "bad.yaml", "--from", "v1.yaml", "--seeds", "2", "--behaviour", "missing.yaml"]

describe("the exit code of plan", () => {
  const rows: ReadonlyArray<{
    readonly why: string
    readonly args: ReadonlyArray<string>
    readonly code: number
  }> = [
    { why: "0 when the rollout completes", args: planFlags, code: 0 },
    {
      why: "0 when a Job that is gone by then runs again",
      args: ["-f", "job-v2.yaml", "--from", "job-v1.yaml", "--seeds", "1"],
      code: 0
    },
    {
      why: "0 when no predicate is true",
      args: [...planFlags, "--fail-on", "available<100%,pods>4"],
      code: 0
    },
    {
      why: "1 when a predicate is true",
      args: [...planFlags, "--fail-on", "pods>9", "--fail-on", "duration>1s"],
      code: 1
    },
    { why: "1 when requests are lost", args: [...servedPlanFlags, "--fail-on", "lost>0"], code: 1 },
    {
      why: "0 when no more requests are lost than the predicate allows",
      args: [...servedPlanFlags, "--fail-on", "lost>90%"],
      code: 0
    },
    {
      why: "0 when no requests are sent",
      args: [...servedPlanFlags, "--assume", "requests=0", "--fail-on", "lost>0"],
      code: 0
    },
    { why: "1 when a deadline is missed", args: badPlanFlags, code: 1 },
    {
      why: "0 when as many seeds miss the deadline as the predicate allows",
      args: [...badPlanFlags, "--fail-on", "stuck>100%"],
      code: 0
    },
    {
      why: "1 when more seeds miss the deadline than the predicate allows",
      args: [...badPlanFlags, "--fail-on", "stuck>1"],
      code: 1
    }
  ]
  it.for(rows)("is $why", async ({ args, code }) => {
    const ended = await plan(...args)
    expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code, stderr: "" })
  })

  const refused: ReadonlyArray<{ readonly args: ReadonlyArray<string>; readonly expectedWords: string }> = [
    {
      args: [...planFlags, "--fail-on", "pods>4, available<ninety"],
      expectedWords:
        'error: --fail-on, column 19: available is compared with a count or a percentage, not "ninety"\n' +
        "  pods>4, available<ninety\n" +
        "                    ^\n"
    },
    {
      args: [...planFlags, "--assume", "start=soon"],
      expectedWords:
        'error: --assume, column 7: "soon" is no duration such as 20s, and no range such as 5s..40s\n' +
        "  start=soon\n" +
        "        ^\n"
    },
    {
      args: ["-f", "service.yaml"],
      expectedWords:
        "error: service.yaml has no Deployment, StatefulSet, DaemonSet or Job, so that there is no rollout to plan\n"
    },
    {
      args: ["-f", "v2.yaml", "--fail-on", "available<90%"],
      expectedWords:
        "error: --fail-on available<90%: a workload that is new has no available Pods to lose; " +
        "say with --from what runs before\n"
    },
    {
      args: [...planFlags, "--fail-on", "lost>0"],
      expectedWords:
        "error: --fail-on lost>0: there is no Service whose requests could be lost; put it into the file\n"
    },
    {
      args: ["-f", "v2.yaml", "--from", "elsewhere-v1.yaml", "--fail-on", "lost>0"],
      expectedWords:
        "error: --fail-on lost>0: no Service selects the Pods that are rolled out, and none of its requests could be lost\n"
    },
    {
      args: ["-f", "v2.yaml", "--fail-on", "lost>0"],
      expectedWords:
        "error: --fail-on lost>0: no client sends requests to a new workload yet; say with --from what runs before\n"
    },
    {
      args: ["-f", "shop-v2.yaml", "-n", "market"],
      expectedWords:
        'shop-v2.yaml:1:1: the namespace from the provided object "shop" does not match the namespace "market". ' +
        "You must pass '--namespace=shop' to perform this operation.\n"
    },
    {
      args: ["-f", "-", "--from", "-"],
      expectedWords: "error: standard input cannot be used for multiple arguments\n"
    },
    {
      args: ["-f", "v2.yaml", "-n", "Foo_bar"],
      expectedWords:
        "error: --namespace Foo_bar: a lowercase RFC 1123 label must consist of lower case alphanumeric characters or " +
        "'-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for " +
        "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')\n"
    },
    { args: ["-f", "v3.yaml"], expectedWords: 'error: the path "v3.yaml" does not exist\n' }
  ]
  it.concurrent.for(refused)(
    "is 2 for $args, and the error names the place",
    async ({ args, expectedWords }, { expect }) => {
      expect(await plan(...args)).toEqual({ code: 2, stdout: "", stderr: expectedWords })
    }
  )

  it.concurrent.for(["0", "9..3", "some", "1..999999"])("is 2 for --seeds %s", async (seeds, { expect }) => {
    const { code, stderr } = await plan("-f", "v2.yaml", "--seeds", seeds)
    expect(code).toBe(2)
    expect(stderr).toContain("a number of seeds, 1 to 100000, or a range like 1..1000")
  })
})

it("plan warns of a Service that selects none of the new Pods, and counts its lost requests", async () => {
  const unselected = ["-f", "untied-v2.yaml", "--from", "untied-v1.yaml", "--seeds", "2"]
  const { code, stderr, stdout } = await plan(...unselected, "--fail-on", "lost>0")
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr:
      "warning: Service/web selects tier=front and finds the Pods of Deployment/web before its rollout, but none " +
      "that it makes: they have app=web,tier=back\n"
  })
  expect(stdout).toMatch(/^ {2}requests lost .*; all that is sent to web afterwards$/m)
  expect(stdout).toContain("✗ lost>0: Deployment/web comes to all that is sent to web afterwards\n")
  const every = await plan(...unselected.slice(0, 4), "--exhaustive", "-o", "json")
  expect(every.stderr).toBe(stderr)
  expect(JSON.parse(every.stdout).warnings).toEqual([stderr.slice("warning: ".length, -1)])
  const page = await plan(...unselected, "-o", "html")
  expect(page.stdout).toContain("; all that is sent to web afterwards")
})

describe("a ReplicationController in a namespace with a quota", () => {
  const labels = { app: "db" }
  const template = { metadata: { labels }, spec: { containers: [{ name: "db", image: "postgres" }] } }
  const spec = { selector: labels, template }
  const more = [
    { apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "q" }, spec: { hard: { pods: "9" } } },
    { apiVersion: "v1", kind: "ReplicationController", metadata: { name: "db" }, spec }
  ]
  const yaml = [deploymentYaml(), ...more.map((object) => JSON.stringify(object))].join("\n---\n")
  const expectedText =
    "ReplicationController/db is not played: none of its Pods are made, and the room that they take is counted neither on nodes nor in ResourceQuota/q"
  const ask = (...args: ReadonlyArray<string>) =>
    charthouse(["plan", "-f", "a.yaml", ...args], { "a.yaml": yaml })

  it("is warned of on standard error", async () => {
    const { code, stderr } = await ask("--seeds", "1")
    expect({ code, stderr }).toEqual({ code: 0, stderr: `warning: ${expectedText}\n` })
  })
  it.each([["--seeds", "1"], ["--exhaustive"]])(
    "is among the warnings of the JSON with %s",
    async (...args) => {
      const { stdout } = await ask(...args, "-o", "json")
      expect(JSON.parse(stdout).warnings).toEqual([expectedText])
    }
  )
  it("is warned of on the page", async () => {
    const { stdout } = await ask("--seeds", "1", "-o", "html")
    expect(stdout).toContain(`<b>Warning:</b> ${expectedText}.`)
  })
})

describe("a plan with custom resources", () => {
  const expectedText = "Widget of example.com/v1 is left out: no controller acts on custom resources here"
  const custom = ["-f", "custom-v2.yaml", "--from", "custom-v1.yaml"]
  it.concurrent.for([["--seeds", "1"], ["--exhaustive"]])(
    "leaves them out with a warning for each kind: %s",
    async (args, { expect }) => {
      const { code, stdout, stderr } = await plan(...custom, ...args, "-o", "json")
      expect({ code, stderr }).toEqual({ code: 0, stderr: `warning: ${expectedText}\n` })
      expect(JSON.parse(stdout)).toMatchObject({
        rollouts: [{ name: "web", isNew: false }],
        warnings: [expectedText]
      })
    }
  )
  it("leaves them out with a warning on the page", async () => {
    const { stdout } = await plan(...custom, "--seeds", "1", "-o", "html")
    expect(stdout).toContain(`<b>Warning:</b> ${expectedText}.`)
  })
})

describe("a namespace that no file creates", () => {
  const rows: ReadonlyArray<{
    readonly why: string
    readonly args: ReadonlyArray<string>
    readonly first: string
  }> = [
    {
      why: "exists, with the objects of --from in it",
      args: ["-f", "shop-v2.yaml", "--from", "shop-v1.yaml", "--seeds", "2"],
      first: "Deployment/shop/web  3 replicas, played with 2 seeds"
    },
    {
      why: "exists and is empty without --from",
      args: ["-f", "shop-v2.yaml", "--seeds", "2"],
      first: "Deployment/shop/web  3 replicas, new, played with 2 seeds"
    },
    {
      why: "exists, and -n puts objects without a namespace into it",
      args: ["-f", "v2.yaml", "--from", "shop-v1.yaml", "-n", "shop", "--seeds", "2"],
      first: "Deployment/shop/web  3 replicas, played with 2 seeds"
    },
    {
      why: "is default if -n is empty",
      args: ["-f", "v2.yaml", "--from", "v1.yaml", "-n", "", "--seeds", "2"],
      first: "Deployment/web  3 replicas, played with 2 seeds"
    },
    {
      why: "exists with --exhaustive too",
      args: ["-f", "shop-v2.yaml", "--from", "shop-v1.yaml", "--exhaustive"],
      first:
        "Deployment/shop/web  3 replicas, maxSurge 25%, maxUnavailable 25%: every order of events with up to 1 failure"
    }
  ]
  it.concurrent.for(rows)("$why", async ({ args, first }, { expect }) => {
    const { code, stdout, stderr } = await plan(...args)
    expect({ code, stderr, first: planTitle(stdout) }).toEqual({ code: 0, stderr: "", first })
  })
})

it("seeds played on several cores give the same plan as on one core", async () => {
  const web = (image: string) =>
    readManifests([{ name: image, text: deploymentYaml({ replicas: 1, image }) }], { strict: true }).documents
  const planInput = { from: web("web:1"), next: web("web:2"), behaviour: instant }
  const seeds = Array.from({ length: 41 }, (_, index) => index + 500)
  const [onAllCores, onOneCore] = await Promise.all([
    Effect.runPromise(playSeedsOnAllCores(planInput, seeds, { startFactor: 5 })),
    Effect.runPromise(planRollout(planInput, seeds, 5))
  ])
  const { played, ...beside } = onAllCores
  expect(played.map(({ seed }) => seed)).toEqual(seeds)
  expect(summarizePlan(planInput, played, beside)).toEqual(onOneCore)
})

describe("the output of plan", () => {
  it("has the same bytes for the same seeds", async () => {
    const [table, again, json, jsonAgain] = await Promise.all([
      plan(...planFlags),
      plan(...planFlags),
      plan(...planFlags, "-o", "json"),
      plan(...planFlags, "-o", "json")
    ])
    expect(again.stdout).toBe(table.stdout)
    expect(jsonAgain.stdout).toBe(json.stdout)
  })

  it("is one JSON object with -o json, with the --fail-on predicates that were true", async () => {
    const { stdout } = await plan(...badPlanFlags, "-o", "json", "--fail-on", "stuck>0%")
    expect(JSON.parse(stdout)).toMatchObject({
      seeds: { first: 1, last: 2, count: 2 },
      rollouts: [{ name: "web", desired: 3, stuck: 2, duration: null, available: { fewest: 3 } }],
      failed: [{ predicate: "stuck>0%", name: "web", actual: "2 of 2" }],
      violations: [],
      exitCode: 1
    })
  })

  it("is a self-contained page with -o html", async () => {
    const { code, stdout, stderr } = await plan(...servedPlanFlags, "-o", "html")
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toMatch(/^<!doctype html>/i)
    expect(stdout).toContain("2 seeds")
    expect(stdout).not.toMatch(/(?:src|href)="https?:/)
  })

  it("is as src/plan/README.md shows it", () => {
    const root = projectPath()
    const readme = readFileSync(`${root}/src/plan/README.md`, "utf8")
    const [, expectedWords = "", shown = ""] =
      /```console\n\$ npx charthouse (plan (?:[^\n]*\\\n)?[^\n]+)\n([^]*?)```/.exec(readme) ?? []
    const args = expectedWords
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
