import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openCluster } from "../../src/cluster/openCluster.ts"
import { refuse } from "../../src/server/traffic/interceptors.ts"
import { charthouse, deploymentYaml } from "./charthouse.ts"
import type { OpenCluster, ServedCluster } from "../../src/cluster/openCluster.ts"

/** A cluster that is there: three of web behind a Service, and somebody else's Pods on the same nodes. */
const service = `apiVersion: v1
kind: Service
metadata:
  name: web
spec:
  type: NodePort
  selector:
    app: web
  ports:
    - port: 80
`
const quota = `apiVersion: v1
kind: ResourceQuota
metadata:
  name: compute
spec:
  hard:
    pods: "12"
    services: "9"
`
const others = deploymentYaml({ name: "others", replicas: 4 }).replaceAll("app: web", "app: others")

let cluster: OpenCluster
let served: ServedCluster
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "plan-live-"))
  cluster = await openCluster({ nodes: { count: 2, pods: 20, cpu: "8", memory: "16Gi" } })
  await cluster.apply([deploymentYaml({ image: "web:1" }), service, quota, others].join("---\n"))
  await cluster.rollout("web")
  await cluster.advance("10m")
  served = await cluster.serve()
  writeFileSync(join(folder, "config"), served.kubeconfig)
})
afterAll(async () => {
  await cluster.close()
  rmSync(folder, { recursive: true })
})

const plan = (...args: ReadonlyArray<string>) =>
  charthouse(["plan", "--seeds", "2", "-f", "v2.yaml", ...args], {
    "v2.yaml": deploymentYaml({ image: "web:2" }),
    "garbage.yaml": "just a text"
  })
const live = (...args: ReadonlyArray<string>) => plan("--kubeconfig", join(folder, "config"), ...args)

describe("what runs before is read from a cluster", () => {
  it("with its Services, the room that others leave on its nodes, and its quotas", async () => {
    const { code, stdout } = await live("-o", "json")
    expect(code).toBe(0)
    const report = JSON.parse(stdout)
    expect(report).toMatchObject({
      nodes: 2,
      room: { nodes: 2, cpu: "16" },
      rollouts: [
        {
          name: "web",
          isNew: false,
          available: { fewest: 3 },
          requests: { services: ["web"] },
          // Four are somebody else's.
          quotas: [
            { namespace: "default", name: "compute", resource: "pods", most: "10", hard: "12", others: "4" }
          ]
        }
      ],
      violations: []
    })
    expect(report.rollouts[0].requests.lost).toBeGreaterThan(0)
  })

  it("and says what was read, and how fast its Pods were", async () => {
    const { stderr } = await live()
    expect(stderr).toMatch(
      /^read from context "charthouse-charthouse": 1 Deployment, 2 nodes, 7 Pods, 1 Service, 1 ResourceQuota\n/
    )
    expect(stderr).toMatch(/\n3 live Pods of default\/web took .* from creation until ready \(.*\)\n/)
  })

  it("and changes nothing there", async () => {
    const before = JSON.stringify(await cluster.list("deployments.apps"))
    await live()
    expect(JSON.stringify(await cluster.list("deployments.apps"))).toBe(before)
  })

  it("in the namespace that kubectl would take for what names none", async () => {
    const config = readFileSync(join(folder, "config"), "utf8")
    const elsewhere = join(folder, "elsewhere")
    writeFileSync(elsewhere, config.replace(/^( +)(user: .*)$/m, "$1$2\n$1namespace: shop"))
    const { code, stderr } = await plan("--kubeconfig", elsewhere)
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'Error from server (NotFound): namespaces "shop" not found\n'
    })
    await cluster.apply("{ apiVersion: v1, kind: Namespace, metadata: { name: shop } }")
    const { stdout } = await plan("--kubeconfig", elsewhere)
    await cluster.delete({ resource: "namespaces", name: "shop" })
    expect(stdout.split("\n")[0]).toBe("Deployment/shop/web  3 replicas, new, played with 2 seeds")
    const named = await plan("--kubeconfig", elsewhere, "-n", "default")
    expect(named.stdout.split("\n")[0]).toBe("Deployment/web  3 replicas, played with 2 seeds")
  })

  it("with a namespace that is made before what is in it, or is there", async () => {
    const made = "{ apiVersion: v1, kind: Namespace, metadata: { name: made } }\n"
    const files = {
      "first.yaml": `${made}---\n${deploymentYaml()}`,
      "late.yaml": `${deploymentYaml()}---\n${made}`
    }
    const ask = async (file: string) => {
      const { code, stdout, stderr } = await charthouse(
        ["plan", "--seeds", "1", "-f", file, "--kubeconfig", join(folder, "config"), "-n", "made"],
        files
      )
      return { code, says: (code === 2 ? stderr : stdout).split("\n")[0] }
    }
    const goes = { code: 0, says: "Deployment/made/web  3 replicas, new, played with 1 seed" }
    expect(await ask("first.yaml")).toEqual(goes)
    expect(await ask("late.yaml")).toEqual({
      code: 2,
      says:
        'late.yaml:1:1: Error from server (NotFound): namespaces "made" not found: documents are applied in the order ' +
        "given, and the one that makes it comes later: late.yaml:19:1"
    })
    await cluster.apply(made)
    const there = await ask("late.yaml")
    await cluster.delete({ resource: "namespaces", name: "made" })
    expect(there).toEqual(goes)
  })

  it("with a Service that finds none of the Pods before the file makes it", async () => {
    const front = service.replace("name: web", "name: front")
    await cluster.apply(front.replace("app: web", "app: none"))
    const { stdout } = await charthouse(
      ["plan", "--seeds", "1", "-f", "v2.yaml", "--kubeconfig", join(folder, "config"), "-o", "json"],
      { "v2.yaml": `${deploymentYaml({ image: "web:2" })}---\n${front}` }
    )
    await cluster.delete({ resource: "services", name: "front" })
    expect(JSON.parse(stdout)).toMatchObject({ rollouts: [{ requests: { services: ["web", "front"] } }] })
  })

  it("with its own nodes and no others", async () => {
    const { code, stdout, stderr } = await live("--nodes", "5")
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: "",
      stderr: "error: --nodes has no part in a plan for a cluster whose nodes are known: 2 nodes\n"
    })
  })

  it("where a Deployment that is not there is new", async () => {
    const { code, stdout, stderr } = await charthouse(
      ["plan", "--seeds", "1", "-f", "new.yaml", "--kubeconfig", join(folder, "config")],
      { "new.yaml": deploymentYaml({ name: "new" }).replaceAll("app: web", "app: new") }
    )
    expect({ code, first: stdout.split("\n")[0] }).toEqual({
      code: 0,
      first: "Deployment/new  3 replicas, new, played with 1 seed"
    })
    expect(stderr).toContain(": 0 Deployments, 2 nodes, 7 Pods, 0 Services, 1 ResourceQuota\n")
  })
})

it("what may not be read is left out of account, and said to be", async () => {
  const forbid = refuse(403, { reason: "Forbidden", message: 'nodes is forbidden: User "ci" cannot list' })
  const allow = cluster.intercept({ resource: ["nodes", "resourcequotas", "namespaces"] }, forbid)
  const { code, stdout, stderr } = await live("-o", "json")
  // Whatever is answered last, nodes were asked for first.
  const { promise: quotasRefused, resolve } = Promise.withResolvers<void>()
  const late = cluster.intercept({ resource: "nodes" }, () => quotasRefused)
  const early = cluster.intercept({ resource: "resourcequotas" }, () => setImmediate(resolve) && undefined)
  const five = await live("-o", "json", "--nodes", "5")
  for (const stop of [early, late, allow]) stop()
  expect(code).toBe(0)
  const warnings = [
    "nodes may not be read, and are left out of account",
    "resourcequotas of namespace default may not be read, and are left out of account"
  ]
  for (const warning of warnings) expect(stderr).toContain(`\nwarning: ${warning}\n`)
  // Those that there would be without a cluster.
  expect(JSON.parse(stdout)).toMatchObject({ room: { nodes: 3 }, rollouts: [{ quotas: [] }], warnings })
  expect(JSON.parse(five.stdout)).toMatchObject({ room: { nodes: 5 }, warnings })
  // What is kept from us is not said to be none.
  expect(stderr).toContain(": 1 Deployment, 7 Pods, 1 Service\n")
})

it("what is not played is told, and what runs there has the ConfigMaps that it needs", async () => {
  const withClaim = (name: string, configMap: string) =>
    deploymentYaml({ name })
      .replaceAll("app: web", `app: ${name}`)
      .replace(
        /^( +)containers:/m,
        `$1volumes: [{ name: v, persistentVolumeClaim: { claimName: c } }, { name: w, configMap: { name: ${configMap} } }]\n$&`
      )
  await cluster.apply(withClaim("claims", "known"))
  await cluster.rollout("claims")
  const next = [withClaim("claims", "known"), withClaim("fresh", "new")].join("---\n")
  const { stderr } = await charthouse(
    ["plan", "--seeds", "1", "-f", "next.yaml", "--kubeconfig", join(folder, "config")],
    { "next.yaml": next }
  )
  await cluster.delete({ resource: "deployments.apps", name: "claims" })
  const unplayed = "asks for PersistentVolumeClaim c: that is not played here, and its Pods run without it"
  expect(stderr.split("\n").filter((line) => line.startsWith("warning: Deployment/"))).toEqual([
    `warning: Deployment/claims ${unplayed}`,
    `warning: Deployment/fresh ${unplayed}`,
    "warning: Deployment/fresh needs ConfigMap/new, which no file makes: it is taken to be there"
  ])
})

it("there is none of what an older server does not serve", async () => {
  const path = "404 page not found"
  const older = cluster.intercept(
    { resource: "horizontalpodautoscalers.autoscaling" },
    refuse(404, { reason: "", message: path })
  )
  const { code, stderr } = await live()
  older()
  expect({ code, isTold: stderr.includes(path) }).toEqual({ code: 0, isTold: false })
})

it("a Deployment that may not be read is not taken for one that is new", async () => {
  const message = 'deployments.apps "web" is forbidden: User "ci" cannot get resource "deployments"'
  const allow = cluster.intercept(
    { resource: "deployments.apps" },
    refuse(403, { reason: "Forbidden", message })
  )
  const { code, stdout, stderr } = await live()
  allow()
  expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: "", stderr: `error: ${message}\n` })
})

describe("a cluster that cannot be read is said to be so, with 2", () => {
  const rows: ReadonlyArray<{
    readonly why: string
    readonly args: ReadonlyArray<string>
    readonly words: RegExp
  }> = [
    {
      why: "no such file",
      args: ["--kubeconfig", "nowhere.yaml"],
      words: /^error: .*nowhere\.yaml: there is no such kubeconfig\n$/
    },
    {
      why: "no kubeconfig",
      args: ["--kubeconfig", "garbage.yaml"],
      words: /^error: .*garbage\.yaml: this is no kubeconfig\n$/
    },
    {
      why: "two answers to one question",
      args: ["--kubeconfig", "live", "--from", "v2.yaml"],
      words: /^error: what runs before is either in a file or in a cluster: give --from or --kubeconfig\n$/
    }
  ]
  it.concurrent.for(rows)("$why", async ({ args, words }, { expect }) => {
    const { code, stdout, stderr } = await plan(...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toMatch(words)
  })

  it("no such context", async () => {
    const { code, stderr } = await live("--context", "prod")
    expect(code).toBe(2)
    expect(stderr).toMatch(/^error: .*config: there is no context "prod": there is charthouse-charthouse\n$/)
  })

  it("nobody there", async () => {
    writeFileSync(
      join(folder, "gone"),
      served.kubeconfig.replace(/server: .*/, "server: https://127.0.0.1:1")
    )
    const { code, stderr } = await plan("--kubeconfig", join(folder, "gone"))
    expect(code).toBe(2)
    expect(stderr).toMatch(/^error: https:\/\/127\.0\.0\.1:1 cannot be reached: .*\n$/)
  })

  it("nobody who is known", async () => {
    writeFileSync(join(folder, "stranger"), served.kubeconfig.replace(/token: .*/, "token: wrong"))
    const { code, stderr } = await plan("--kubeconfig", join(folder, "stranger"))
    expect(code).toBe(2)
    expect(stderr).toMatch(/^error: .* does not know user "charthouse-charthouse" \(401\)\n$/)
  })
})

describe("a rollout that is half way there", () => {
  const half = (image: string) =>
    deploymentYaml({ name: "half", replicas: 4, image }).replaceAll("app: web", "app: half")
  const planned = (image: string, ...args: ReadonlyArray<string>) =>
    charthouse(["plan", "-f", "half.yaml", "--kubeconfig", join(folder, "config"), ...args], {
      "half.yaml": half(image)
    })
  beforeAll(async () => {
    for (const image of ["web:0", "web:1"]) {
      await cluster.apply(half(image))
      await cluster.rollout("half")
    }
    await cluster.apply(half("Bad:::1"))
    await cluster.advance("30s")
  })

  it("goes on from where it is, with the ReplicaSets of every revision", async () => {
    const { stdout, stderr } = await planned("web:2", "--seeds", "2", "-o", "json")
    expect(stderr).toContain(
      "\nwarning: Deployment half is in the middle of a rollout there: 2 of its 5 Pods are of its newest revision, and 3 are " +
        "available. The plan goes on from there\n"
    )
    const [rollout] = JSON.parse(stdout).rollouts
    expect(rollout).toMatchObject({
      desired: 4,
      before: { desired: 4, available: 3, reasons: [expect.stringMatching(/^InvalidImageName: /)] },
      available: { fewest: 3 },
      pods: { most: 5 },
      stuck: 0,
      // Back is to the image that cannot be had.
      undo: { stuck: 2 }
    })
    // Both that are of no use make room at once.
    expect(rollout.typical.phases[0]).toMatchObject({ updated: 2, available: 3, pods: 5 })
  })

  it("and goes back to the revision before it, as it was kept there", async () => {
    const { stdout } = await planned("web:1", "--seeds", "1", "-o", "json")
    const [rollout] = JSON.parse(stdout).rollouts
    // Three of that revision are there and serve.
    expect(rollout.typical.phases[0]).toMatchObject({ updated: 4, updatedReady: 3, available: 3 })
  })

  it("begins as if all were of the newest where nobody may see its ReplicaSets, and for every order", async () => {
    const words =
      "2 of its 5 Pods are of its newest revision, and 3 are available. The plan begins as if all were of that revision\n"
    const allow = cluster.intercept(
      { resource: "replicasets.apps" },
      refuse(403, { reason: "Forbidden", message: 'User "ci" cannot list' })
    )
    const { stderr } = await planned("web:2", "--seeds", "1")
    allow()
    expect(stderr).toContain("replicasets.apps of namespace default may not be read")
    expect(stderr).toContain(words)
    expect((await planned("web:2", "--exhaustive")).stderr).toContain(words)
  })
})
