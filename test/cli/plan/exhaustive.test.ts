import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { charthouse, deploymentYaml } from "../harness/charthouse.ts"
import { command } from "../harness/testedCommand.ts"
import { projectPath } from "../../projectPath.ts"

const files = {
  "v1.yaml": deploymentYaml(),
  "v2.yaml": deploymentYaml({ image: "web:2" }),
  "many.yaml": deploymentYaml({ replicas: 30 })
}
const plan = (...args: ReadonlyArray<string>) => charthouse(["plan", ...args], files)
const exhaustiveFlags = ["-f", "v2.yaml", "--from", "v1.yaml", "--exhaustive"]

const proved = `Deployment/web  3 replicas, maxSurge 25%, maxUnavailable 25%: every order of events with up to 1 failure
  1,699 states, 6,170 steps

  proved   never more than 4 Pods asked for (replicas 3 + surge 1)
  proved   no step of the Deployment's controller takes reported availability below 3 (replicas 3 - unavailable 0)
  proved   no ReplicaSet goes beyond what it is asked for, statuses add up, revisions only grow
  proved   every order leads to the end of the rollout

  fewest available   3 without a failure, 2 with 1
  most Pods          6 at once: more than the ReplicaSets ask for, while one has yet to delete its own

  how it comes to 2 available
           [1][a Pod of web-76f464fd7c] is no longer available (crash or probe)  2 available, 3 Pods
`
const broken = `  broken   never pods>4
           [1][Deployment] created ReplicaSet web-7d69448768 (new) of 1        3 available, 3 Pods
           [2][ReplicaSet web-7d69448768 (new)] created 1 Pod                  3 available, 4 Pods
           [3][a Pod of web-7d69448768 (new)] became ready, and so available   4 available, 4 Pods
           [4][ReplicaSet web-7d69448768 (new)] reported 1 Pod, 1 available    4 available, 4 Pods
           [5][Deployment] scaled ReplicaSet web-76f464fd7c (old) from 3 to 2  4 available, 4 Pods
           [6][Deployment] scaled ReplicaSet web-7d69448768 (new) from 1 to 2  4 available, 4 Pods
           [7][ReplicaSet web-7d69448768 (new)] created 1 Pod                  4 available, 5 Pods
           5 Pods, 3 desired
           broken: pods>4
  proved   never available<100%
`

describe("plan --exhaustive", () => {
  it("prints what is proved, the number of states, and the worst case", async () => {
    const { code, stdout, stderr } = await plan(...exhaustiveFlags)
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toBe(proved)
  })

  it("prints the shortest path to a --fail-on condition and exits with 1", async () => {
    const { code, stdout } = await plan(
      ...exhaustiveFlags,
      "--failures",
      "0",
      "--fail-on",
      "pods>4, available<100%"
    )
    expect(code).toBe(1)
    expect(stdout).toContain(broken)
  })

  it("counts the Pods from before a scale-down as asked for", async () => {
    const { stdout } = await charthouse(["plan", ...exhaustiveFlags], {
      "v1.yaml": deploymentYaml({ replicas: 5 }),
      "v2.yaml": deploymentYaml({ replicas: 2 })
    })
    expect(stdout).toContain(
      "\n  proved   never more than 3 Pods asked for (replicas 2 + surge 1) once scaled down from 5\n"
    )
    expect(stdout).toContain("\n  most Pods          5 at once\n")
  })

  it("prints why completion is not proved if the nodes may lack room", async () => {
    const { code, stdout } = await plan(...exhaustiveFlags, "--nodes", "0")
    expect(code).toBe(1)
    expect(stdout).toContain(`
  unproved every order leads to the end of the rollout
           up to 4 Pods asked for at once take a place each, and the nodes have room for 0: no nodes available`)
  })

  it("explores a steered rollout beside its steering", async () => {
    const steered = (image: string): string =>
      deploymentYaml({ image, replicas: 1 }).replace(
        "  name: web\n",
        "  name: web\n  annotations: { charthouse.dev/strategy: automaticRollback }\n"
      )
    const { code, stdout } = await charthouse(["plan", ...exhaustiveFlags, "--failures", "0"], {
      "v1.yaml": steered("web:1"),
      "v2.yaml": steered("web:2")
    })
    expect(code).toBe(0)
    expect(stdout).toContain(
      "1 replica, maxSurge 25%, maxUnavailable 25%, automaticRollback: every order of events with no failure\n"
    )
    expect(stdout).toMatch(/\n {2}[\d,]+ states, [\d,]+ steps\n/u)
    expect(stdout).toContain(`
  proved   never fewer than 1 Pods available, but for those that fail
`)
    expect(stdout).toContain("proved   every order ends: the revision is complete, taken back or given up")
  })

  it("prints one JSON object with -o json, the same bytes each time", async () => {
    const [one, other] = await Promise.all([
      plan(...exhaustiveFlags, "-o", "json"),
      plan(...exhaustiveFlags, "-o", "json")
    ])
    expect(one.stdout).toBe(other.stdout)
    expect(JSON.parse(one.stdout)).toMatchObject({
      failures: 1,
      rollouts: [
        { name: "web", namespace: "default", isNew: false, isWhole: true, podsMax: 4, availableMin: 3 }
      ],
      exitCode: 0
    })
  })

  it.for([
    {
      args: ["-f", "many.yaml", "--exhaustive"],
      message:
        "--exhaustive: Deployment/web: it has 30 replicas, and every order can be explored for 12 at the most"
    },
    {
      args: [...exhaustiveFlags, "--fail-on", "duration>5m"],
      message:
        "--fail-on duration>5m: where every order is explored only available and pods can be compared: " +
        "no time passes, and no client sends requests"
    },
    {
      args: [...exhaustiveFlags, "--assume", "ready=5s"],
      message: "--assume has no part in --exhaustive, which explores every order, however long anything takes"
    },
    {
      args: [...exhaustiveFlags, "--behaviour", "steady"],
      message:
        "--behaviour has no part in --exhaustive, which explores every order, however long anything takes"
    },
    {
      args: [...exhaustiveFlags, "--seeds", "5"],
      message: "--seeds has no part in --exhaustive, which leaves nothing to chance"
    },
    {
      args: ["-f", "v2.yaml", "--failures", "2"],
      message: "--failures says how many there may be with --exhaustive"
    },
    {
      args: [...exhaustiveFlags, "-o", "html"],
      message: "--exhaustive is written as a table or json, not as html"
    }
  ])("refuses $args with exit code 2", async ({ args, message }, { expect }) => {
    expect(await plan(...args)).toEqual({ code: 2, stdout: "", stderr: `error: ${message}\n` })
  })

  it("prints the output that src/plan/README.md shows", () => {
    const root = projectPath()
    const readme = readFileSync(`${root}/src/plan/README.md`, "utf8")
    const [, message = "", shown = ""] =
      /\$ npx charthouse (plan [^\n]*\\\n[^\n]*--exhaustive[^\n]*)\n([^]*?)```/.exec(readme) ?? []
    const args = message
      .replaceAll("\\\n", "")
      .split(/ +/)
      .map((word) => word.replaceAll("'", ""))
    const ended = spawnSync(process.execPath, [command, ...args], { cwd: root, encoding: "utf8" })
    expect(ended.stdout).toBe(shown)
    expect(ended.status).toBe(1)
  })

  it("refuses a --failures that is no number", async () => {
    const { code, stderr } = await plan(...exhaustiveFlags, "--failures", "many")
    expect(code).toBe(2)
    expect(stderr).toContain("0 to 7 failures")
  })
})
