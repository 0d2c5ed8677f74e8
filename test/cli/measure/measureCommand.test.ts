import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { inProcess } from "../harness/inProcess.ts"
import { temporaryFolder } from "../harness/kubeconfigs.ts"
import { deploymentYaml } from "../harness/charthouse.ts"
import { openCluster } from "../../../src/cluster/openCluster.ts"
import { refuse } from "../../../src/server/traffic/interceptors.ts"
import type { OpenCluster } from "../../../src/cluster/openCluster.ts"

const folder = temporaryFolder()
const config = join(folder, "config")
const file = join(folder, "charthouse.yaml")

const probed = `          readinessProbe: { httpGet: { path: /, port: 80 }, periodSeconds: 1 }\n`
/** Like `web`, with one Pod and without a probe. */
const batch = deploymentYaml({ name: "batch", replicas: 1, image: "registry.example/batch:7" })

let cluster: OpenCluster

/** Pods are scheduled after a second, and have the image, run and answer after 2, 3 and 7 more. */
beforeAll(async () => {
  const times = { schedule: "1s", pull: { delay: "2s" }, start: "3s", ready: "7s" }
  cluster = await openCluster({
    behaviours: [
      { name: "web", match: { image: "registry.example/web:*" }, ...times },
      { name: "batch", match: { image: "*batch*" }, ...times, start: "4s" }
    ]
  })
  await cluster.apply(deploymentYaml({ image: "registry.example/web:1.2" }) + probed)
  await cluster.apply(batch.replaceAll("app: web", "app: batch"))
  await cluster.advance("1h")
  writeFileSync(config, (await cluster.serve()).kubeconfig)
})
afterAll(() => cluster.close())

const measure = (...args: ReadonlyArray<string>) =>
  inProcess(["measure", "--kubeconfig", config, "-f", file, ...args])
const writeSettings = (spec: string): void =>
  writeFileSync(file, `apiVersion: charthouse.dev/v1\nkind: PlanSettings\nspec:\n${spec}`)

describe("charthouse measure", () => {
  it("prints and writes how long the containers of each image took", async () => {
    const { stdout, stderr } = await measure()
    expect(stdout).toBe(`\
IMAGE                      PODS   PULL   START   READY      AGE   OF
registry.example/batch:*   1      2s     4s      no probe   60m   Deployment/batch
registry.example/web:*     3      2s     3s      7s         60m   Deployment/web
`)
    expect(stderr).toContain("warning: the times of registry.example/batch:* rest on 1 Pod: measure again")
    expect(readFileSync(file, "utf8")).toBe(`\
apiVersion: charthouse.dev/v1
kind: PlanSettings
spec:
  assumptions:
    - { image: "registry.example/batch:*", pull: 2s, start: 4s, observations: 1 }
    - { image: "registry.example/web:*", pull: 2s, start: 3s, ready: 7s, observations: 3 }
`)
  })

  it("leaves the rest of the file as it is", async () => {
    writeSettings(`\
  files: [web.yaml] # of the team
  # Measured in March.
  assumptions:
  - image: "registry.example/web:*"
    start: 9s # was slower
    crash: 1%
  - { image: "*", ready: 5s }
  seeds: 10
`)
    await measure()
    expect(readFileSync(file, "utf8")).toContain(`spec:
  files: [web.yaml] # of the team
  # Measured in March.
  assumptions:
  - image: "registry.example/web:*"
    start: 3s # was slower
    crash: 1%
    pull: 2s
    ready: 7s
    observations: 3
  - { image: "registry.example/batch:*", pull: 2s, start: 4s, observations: 1 }
  - { image: "*", ready: 5s }
  seeds: 10
`)
  })

  it("refuses an invalid file with the line, and leaves it", async () => {
    writeSettings("  assumptions:\n    - { image: app, start: soon }\n")
    const before = readFileSync(file, "utf8")
    const { stdout, stderr } = await measure()
    expect({ stdout, stderr }).toEqual({
      stdout: "",
      stderr: `error: ${file}:5:28: spec.assumptions[0].start "soon" is no duration such as 20s, and no range such as 5s..40s\n`
    })
    expect(readFileSync(file, "utf8")).toBe(before)
  })

  it("says that no Pod could be measured", async () => {
    writeSettings("  seeds: 10\n")
    const { stdout, stderr } = await measure("-n", "kube-system")
    expect({ stdout, stderr }).toEqual({
      stdout: "",
      stderr:
        'namespace kube-system of context "charthouse-charthouse": of 0 Pods, none is ready without a restart, ' +
        "so that nothing is measured\n"
    })
  })

  it("counts the pull to the start where Events may not be read", async () => {
    writeSettings("  seeds: 10\n")
    const allow = cluster.intercept(
      { resource: "events" },
      refuse(403, { reason: "Forbidden", message: "events is forbidden" })
    )
    const { stdout, stderr } = await measure("--all-namespaces")
    allow()
    expect(stdout).toMatch(/web:\* +3 +in start +5s +7s/)
    expect(stderr).toContain("warning: Events may not be read: events is forbidden\n")
    expect(readFileSync(file, "utf8")).toContain("pull: 0s, start: 5s, ready: 7s")
  })
})
