import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { claimManifest } from "../../builders.ts"
import { openCluster } from "../../../src/cluster/openCluster.ts"
import { refuse } from "../../../src/server/traffic/interceptors.ts"
import { charthouse, deploymentYaml } from "../harness/charthouse.ts"
import { planTitle } from "./planTitle.ts"
import type { OpenCluster } from "../../../src/cluster/openCluster.ts"
import type { ServedCluster } from "../../../src/cluster/calls/clusterCalls.ts"

/** A live cluster: three Pods of web behind a Service, and Pods of another Deployment on the same nodes. */
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
const othersYaml = deploymentYaml({ name: "others", replicas: 4 }).replaceAll("app: web", "app: others")

let cluster: OpenCluster
let served: ServedCluster
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "plan-live-"))
  cluster = await openCluster({ nodes: { count: 2, pods: 20, cpu: "8", memory: "16Gi" } })
  await cluster.apply([deploymentYaml({ image: "web:1" }), service, quota, othersYaml].join("---\n"))
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

describe("a plan for a live cluster", () => {
  it("reads Services, free room on nodes, and quotas", async () => {
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
          // Four Pods are of the Deployment `others`.
          quotas: [
            {
              namespace: "default",
              name: "compute",
              resource: "pods",
              most: "10",
              hard: "12",
              others: "4"
            }
          ]
        }
      ],
      violations: []
    })
    expect(report.rollouts[0].requests.lost).toBeGreaterThan(0)
  })

  it("prints which objects were read, and how fast Pods became ready", async () => {
    const { stderr } = await live()
    expect(stderr).toMatch(
      /^read from context "charthouse-charthouse": 1 Deployment, 2 nodes, 7 Pods, 1 Service, 1 ResourceQuota\n/
    )
    expect(stderr).toMatch(/\n3 live Pods of default\/web took .* from creation until ready \(.*\)\n/)
  })

  it("changes nothing in the cluster", async () => {
    const before = JSON.stringify(await cluster.list("deployments.apps"))
    await live()
    expect(JSON.stringify(await cluster.list("deployments.apps"))).toBe(before)
  })

  it("takes the namespace of the kubeconfig's context, as kubectl does", async () => {
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
    expect(planTitle(stdout)).toBe("Deployment/shop/web  3 replicas, new, played with 2 seeds")
    const named = await plan("--kubeconfig", elsewhere, "-n", "default")
    expect(planTitle(named.stdout)).toBe("Deployment/web  3 replicas, played with 2 seeds")
  })

  it("takes the namespace that a manifest creates, before or after its objects", async () => {
    const namespaceYaml = "{ apiVersion: v1, kind: Namespace, metadata: { name: made } }\n"
    const files = {
      "first.yaml": `${namespaceYaml}---\n${deploymentYaml()}`,
      "late.yaml": `${deploymentYaml()}---\n${namespaceYaml}`
    }
    const ask = async (file: string) => {
      const { code, stdout, stderr } = await charthouse(
        ["plan", "--seeds", "1", "-f", file, "--kubeconfig", join(folder, "config"), "-n", "made"],
        files
      )
      return { code, expectedText: code === 2 ? stderr : planTitle(stdout) }
    }
    const accepted = { code: 0, expectedText: "Deployment/made/web  3 replicas, new, played with 1 seed" }
    expect(await ask("first.yaml")).toEqual(accepted)
    expect(await ask("late.yaml")).toEqual(accepted)
  })

  it("includes a live Service that selects the Pods only once the file is applied", async () => {
    const front = service.replace("name: web", "name: front")
    await cluster.apply(front.replace("app: web", "app: none"))
    const { stdout } = await charthouse(
      ["plan", "--seeds", "1", "-f", "v2.yaml", "--kubeconfig", join(folder, "config"), "-o", "json"],
      { "v2.yaml": `${deploymentYaml({ image: "web:2" })}---\n${front}` }
    )
    await cluster.delete({ resource: "services", name: "front" })
    expect(JSON.parse(stdout)).toMatchObject({ rollouts: [{ requests: { services: ["web", "front"] } }] })
  })

  it("refuses --nodes", async () => {
    const { code, stdout, stderr } = await live("--nodes", "5")
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: "",
      stderr: "error: --nodes has no part in a plan for a cluster whose nodes are known: 2 nodes\n"
    })
  })

  it("treats a Deployment that is missing in the cluster as new", async () => {
    const { code, stdout, stderr } = await charthouse(
      ["plan", "--seeds", "1", "-f", "new.yaml", "--kubeconfig", join(folder, "config")],
      { "new.yaml": deploymentYaml({ name: "new" }).replaceAll("app: web", "app: new") }
    )
    expect({ code, first: planTitle(stdout) }).toEqual({
      code: 0,
      first: "Deployment/new  3 replicas, new, played with 1 seed"
    })
    expect(stderr).toContain(": 0 Deployments, 2 nodes, 7 Pods, 0 Services, 1 ResourceQuota\n")
  })
})

it("a plan leaves out resources that it may not read, with warnings", async () => {
  const forbid = refuse(403, { reason: "Forbidden", message: 'nodes is forbidden: User "ci" cannot list' })
  const allow = cluster.intercept({ resource: ["nodes", "resourcequotas", "namespaces"] }, forbid)
  const { code, stdout, stderr } = await live("-o", "json")
  // The request for nodes is sent first; its answer arrives last.
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
  // The default nodes of a plan without a cluster.
  expect(JSON.parse(stdout)).toMatchObject({ room: { nodes: 3 }, rollouts: [{ quotas: [] }], warnings })
  expect(JSON.parse(five.stdout)).toMatchObject({ room: { nodes: 5 }, warnings })
  // A forbidden resource is not counted as zero objects.
  expect(stderr).toContain(": 1 Deployment, 7 Pods, 1 Service\n")
})

it("a plan warns of missing claims and ConfigMaps, except those that live Pods use", async () => {
  const withSources = (name: string, claim: string, configMap: string) =>
    deploymentYaml({ name })
      .replaceAll("app: web", `app: ${name}`)
      .replace(
        /^( +)containers:/m,
        `$1volumes: [{ name: v, persistentVolumeClaim: { claimName: ${claim} } }, { name: w, configMap: { name: ${configMap} } }]\n$&`
      )
  await cluster.create(claimManifest("c"))
  await cluster.apply(withSources("claims", "c", "known"))
  expect((await cluster.rollout("claims")).outcome).toBe("complete")
  const next = [withSources("claims", "c", "known"), withSources("fresh", "d", "new")].join("---\n")
  const { stdout, stderr } = await charthouse(
    ["plan", "--seeds", "1", "-v", "-f", "next.yaml", "--kubeconfig", join(folder, "config")],
    { "next.yaml": next }
  )
  await cluster.delete({ resource: "deployments.apps", name: "claims" })
  expect(stdout).toContain("fewest available    3 of 3 at any time")
  expect(stderr.split("\n").filter((line) => line.startsWith("warning: Deployment/"))).toEqual([
    "warning: Deployment/fresh needs ConfigMap/new, PersistentVolumeClaim/d, which no file creates: " +
      "they are assumed to exist"
  ])
})

it("a plan treats a resource that an older server does not serve as empty, without a warning", async () => {
  const path = "404 page not found"
  const older = cluster.intercept(
    { resource: "horizontalpodautoscalers.autoscaling" },
    refuse(404, { reason: "", message: path })
  )
  const { code, stderr } = await live()
  older()
  expect({ code, isWarned: stderr.includes(path) }).toEqual({ code: 0, isWarned: false })
})

it("a plan fails if it may not read the Deployment", async () => {
  const message = 'deployments.apps "web" is forbidden: User "ci" cannot get resource "deployments"'
  const allow = cluster.intercept(
    { resource: "deployments.apps" },
    refuse(403, { reason: "Forbidden", message })
  )
  const { code, stdout, stderr } = await live()
  allow()
  expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: "", stderr: `error: ${message}\n` })
})

describe("a plan exits with 2 if the cluster cannot be read:", () => {
  const rows: ReadonlyArray<{
    readonly why: string
    readonly args: ReadonlyArray<string>
    readonly expectedWords: RegExp
  }> = [
    {
      why: "the kubeconfig is missing",
      args: ["--kubeconfig", "nowhere.yaml"],
      expectedWords: /^error: .*nowhere\.yaml: there is no such kubeconfig\n$/
    },
    {
      why: "the file is no kubeconfig",
      args: ["--kubeconfig", "garbage.yaml"],
      expectedWords: /^error: .*garbage\.yaml: this is no kubeconfig\n$/
    },
    {
      why: "both --from and --kubeconfig are given",
      args: ["--kubeconfig", "live", "--from", "v2.yaml"],
      expectedWords:
        /^error: what runs before is in a file, in a cluster or in git: give one of --from, --kubeconfig and --base\n$/
    }
  ]
  it.concurrent.for(rows)("$why", async ({ args, expectedWords }, { expect }) => {
    const { code, stdout, stderr } = await plan(...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toMatch(expectedWords)
  })

  it("the context is missing", async () => {
    const { code, stderr } = await live("--context", "prod")
    expect(code).toBe(2)
    expect(stderr).toMatch(/^error: .*config: there is no context "prod": there is charthouse-charthouse\n$/)
  })

  it("the server cannot be reached", async () => {
    writeFileSync(
      join(folder, "gone"),
      served.kubeconfig.replace(/server: .*/, "server: https://127.0.0.1:1")
    )
    const { code, stderr } = await plan("--kubeconfig", join(folder, "gone"))
    expect(code).toBe(2)
    expect(stderr).toMatch(/^error: https:\/\/127\.0\.0\.1:1 cannot be reached: .*\n$/)
  })

  it("the server rejects the token", async () => {
    writeFileSync(join(folder, "stranger"), served.kubeconfig.replace(/token: .*/, "token: wrong"))
    const { code, stderr } = await plan("--kubeconfig", join(folder, "stranger"))
    expect(code).toBe(2)
    expect(stderr).toMatch(/^error: .* does not know user "charthouse-charthouse" \(401\)\n$/)
  })
})

describe("the plan of a rollout in progress", () => {
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

  it("starts from the live ReplicaSets of every revision", async () => {
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
      // The undo goes to the image that cannot be pulled.
      undo: { stuck: 2 }
    })
    // Both Pods that cannot start make room at once.
    expect(rollout.typical.phases[0]).toMatchObject({ updated: 2, available: 3, pods: 5 })
  })

  it("undoes to the previous revision with its live ReplicaSet", async () => {
    const { stdout } = await planned("web:1", "--seeds", "1", "-o", "json")
    const [rollout] = JSON.parse(stdout).rollouts
    // Three Pods of that revision are available.
    expect(rollout.typical.phases[0]).toMatchObject({ updated: 4, updatedReady: 3, available: 3 })
  })

  it("starts with all Pods at the newest revision if ReplicaSets may not be read, and with --exhaustive", async () => {
    const expectedWords =
      "2 of its 5 Pods are of its newest revision, and 3 are available. The plan begins as if all were of that revision\n"
    const allow = cluster.intercept(
      { resource: "replicasets.apps" },
      refuse(403, { reason: "Forbidden", message: 'User "ci" cannot list' })
    )
    const { stderr } = await planned("web:2", "--seeds", "1")
    allow()
    expect(stderr).toContain("replicasets.apps of namespace default may not be read")
    expect(stderr).toContain(expectedWords)
    expect((await planned("web:2", "--exhaustive")).stderr).toContain(expectedWords)
  })
})
