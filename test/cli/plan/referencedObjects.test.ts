import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openCluster } from "../../../src/cluster/openCluster.ts"
import { refuse } from "../../../src/server/traffic/interceptors.ts"
import { charthouse, deploymentYaml } from "../harness/charthouse.ts"
import type { OpenCluster } from "../../../src/cluster/openCluster.ts"

const account = (name: string) => `{ apiVersion: v1, kind: ServiceAccount, metadata: { name: ${name} } }`
const highClass =
  "{ apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: { name: high }, value: 1000 }"
const robot = (image: string, name = "robot") =>
  deploymentYaml({ name: "robot", replicas: 2, image })
    .replaceAll("app: web", "app: robot")
    .replace(/^( +)containers:/m, `$1serviceAccountName: ${name}\n$1priorityClassName: high\n$&`)

let cluster: OpenCluster
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "plan-named-"))
  cluster = await openCluster({})
  await cluster.apply([account("robot"), highClass, robot("web:1")].join("\n---\n"))
  await cluster.rollout("robot")
  writeFileSync(join(folder, "config"), (await cluster.serve()).kubeconfig)
})
afterAll(async () => {
  await cluster.close()
  rmSync(folder, { recursive: true })
})

const planned = async (...next: ReadonlyArray<string>) => {
  const { stdout } = await charthouse(
    ["plan", "-f", "next.yaml", "--kubeconfig", join(folder, "config"), "--seeds", "1", "-o", "json"],
    { "next.yaml": next.join("\n---\n") }
  )
  const [{ before, reasons }] = JSON.parse(stdout).rollouts
  return { available: before?.available, reasons: reasons.map((it: { reason: string }) => it.reason) }
}
const allAvailable = { available: 2, reasons: [] }

describe("objects that Pods refer to, in a plan for a live cluster,", () => {
  it("are read from the cluster", async () => {
    expect(await planned(robot("web:2"))).toEqual(allAvailable)
  })

  it("may be in the file as well", async () => {
    expect(await planned(robot("web:2"), account("robot"))).toEqual(allAvailable)
  })

  it("are missing if neither the cluster nor the file has them", async () => {
    expect(await planned(robot("web:2", "absent"))).toEqual({
      available: 2,
      reasons: [
        'Pods are forbidden: error looking up service account default/absent: serviceaccount "absent" not found'
      ]
    })
  })

  it("are assumed to exist if they may not be read", async () => {
    const forbid = refuse(403, { reason: "Forbidden", message: 'User "ci" cannot get' })
    const allow = cluster.intercept(
      { resource: ["serviceaccounts", "priorityclasses.scheduling.k8s.io"] },
      forbid
    )
    const found = await planned(robot("web:2"))
    allow()
    expect(found).toEqual(allAvailable)
  })

  it("existed for running Pods even if they were deleted and the file creates them again", async () => {
    await cluster.delete({ resource: "serviceaccounts", name: "robot" })
    const found = await planned(robot("web:2"), account("robot"))
    await cluster.apply(account("robot"))
    expect(found).toEqual(allAvailable)
  })
})
