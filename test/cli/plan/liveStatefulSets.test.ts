import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { charthouse } from "../harness/charthouse.ts"
import { openCluster } from "../../../src/cluster/openCluster.ts"
import { refuse } from "../../../src/server/traffic/interceptors.ts"
import { temporaryFolder } from "../harness/kubeconfigs.ts"
import type { OpenCluster } from "../../../src/cluster/openCluster.ts"

const config = join(temporaryFolder(), "config")

const workloadYaml = (
  kind: "StatefulSet" | "DaemonSet",
  { name, image, more = "" }: { readonly name: string; readonly image: string; readonly more?: string }
): string => `apiVersion: apps/v1
kind: ${kind}
metadata: { name: ${name} }
spec:
  ${kind === "StatefulSet" ? `serviceName: ${name}\n  replicas: 3` : "minReadySeconds: 0"}
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec:
      containers:
        - { name: app, image: "${image}", readinessProbe: { httpGet: { path: /, port: 80 }, periodSeconds: 1 } }
${more}`

const claims = `  volumeClaimTemplates:
    - metadata: { name: data }
      spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
`
const db = (image: string) => workloadYaml("StatefulSet", { name: "db", image, more: claims })
const half = (image: string) => workloadYaml("StatefulSet", { name: "half", image })
const some = (image: string) => workloadYaml("StatefulSet", { name: "some", image })
const agent = (image: string) => workloadYaml("DaemonSet", { name: "agent", image })

let cluster: OpenCluster

/** Pods are ready 21 seconds after they are scheduled; those of the image half:2 never. */
beforeAll(async () => {
  const times = { schedule: "0s", pull: { delay: "0s" }, start: "1s", ready: "20s", terminate: "2s" } as const
  cluster = await openCluster({
    nodes: { count: 3, zones: ["a", "b", "c"] },
    behaviours: [
      { name: "broken", match: { image: "half:2" }, ...times, pull: { failures: "forever" } },
      { name: "all", match: { image: "*" }, ...times }
    ]
  })
  await cluster.apply([db("db:1"), half("half:1"), some("some:1"), agent("agent:1")].join("---\n"))
  await cluster.advance("5m")
  await cluster.apply(half("half:2"))
  await cluster.advance("30s")
  await cluster.apply(some("some:2"))
  await cluster.advance("30s")
  writeFileSync(config, (await cluster.serve()).kubeconfig)
})
afterAll(() => cluster.close())

/** One Pod after the other stops, which takes up to 1.5 seconds, and starts in 21. */
const expectPods = (millis: number, count: number): void => {
  expect(millis).toBeGreaterThan(count * 21_000)
  expect(millis).toBeLessThan(count * 22_600)
}

const plan = async (text: string, ...args: ReadonlyArray<string>) => {
  const { code, stdout, stderr } = await charthouse(
    [
      "plan",
      "-f",
      "next.yaml",
      "--kubeconfig",
      config,
      "--seeds",
      "1",
      "--what-if",
      "none",
      "-o",
      "json",
      ...args
    ],
    { "next.yaml": text }
  )
  const { rollouts = [] } = stdout === "" ? {} : JSON.parse(stdout)
  return { code, stderr, rollouts }
}

describe("a plan for a live cluster goes on from", () => {
  it("a StatefulSet, with its claims and times", async () => {
    const { stderr, rollouts } = await plan(db("db:2"))
    expect(stderr).toContain(": 0 Deployments, 1 StatefulSet, 3 nodes,")
    expect(stderr).toContain("\n3 live Pods of default/db took 21s from creation until ready")
    expect(rollouts).toMatchObject([
      {
        kind: "StatefulSet",
        name: "db",
        isNew: false,
        stuck: 0,
        available: { fewest: 2 },
        undo: { stuck: 0 }
      }
    ])
    expectPods(rollouts[0].duration.worst, 3)
  })

  it("a StatefulSet in the middle of a rollout that is stuck", async () => {
    const same = await plan(half("half:2"))
    expect(same.stderr).toContain(
      "warning: StatefulSet half is in the middle of a rollout there: 1 of its 3 Pods are of its newest revision, and 2 " +
        "are available. The plan goes on from there\n"
    )
    expect(same.stderr).toContain(
      "warning: the Pods of StatefulSet half with image half:2 do not come up there (ImagePullBackOff"
    )
    expect(same.rollouts).toMatchObject([{ stuck: 1, available: { fewest: 2 } }])
  })

  it("a StatefulSet of which some Pods are updated", async () => {
    const { stderr, rollouts } = await plan(some("some:2"))
    expect(stderr).toContain(
      "2 of its 3 Pods are of its newest revision, and 2 are available. The plan goes on from there"
    )
    expect(rollouts).toMatchObject([{ stuck: 0 }])
    expect(rollouts[0].typical.phases[0]).toMatchObject({ updated: 1, updatedReady: 1, available: 2 })
    expectPods(rollouts[0].duration.worst, 2)
  })

  it("a DaemonSet", async () => {
    const { stderr, rollouts } = await plan(agent("agent:2"))
    expect(stderr).toContain(": 0 Deployments, 1 DaemonSet, 3 nodes,")
    expect(rollouts).toMatchObject([{ kind: "DaemonSet", isNew: false, desired: 3, stuck: 0 }])
    expectPods(rollouts[0].duration.worst, 3)
  })

  it("the newest revision if revisions may not be read", async () => {
    const allow = cluster.intercept(
      { resource: "controllerrevisions.apps" },
      refuse(403, { reason: "Forbidden", message: 'User "ci" cannot list' })
    )
    const { stderr } = await plan(half("half:1"))
    allow()
    expect(stderr).toContain("controllerrevisions.apps of namespace default may not be read")
    expect(stderr).toContain("The plan begins as if all were of that revision\n")
  })
})
