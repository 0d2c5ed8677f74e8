import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { drawTree } from "../../../src/cli/tree/drawTree.ts"
import { plainPalette } from "../../../src/cli/terminal/palette.ts"
import { advanceSeconds, createObject, withCluster } from "../../cluster/testCluster.ts"
import type { Draft } from "../../../src/kubernetes/meta/objects.ts"

const template = (image: string, restartPolicy = "Always") => ({
  metadata: { labels: { app: "x" } },
  spec: { restartPolicy, containers: [{ name: "c", image }] }
})
const manifest = (apiVersion: string, kind: string, name: string, spec: object): Draft =>
  Object.assign({ apiVersion, kind, metadata: { name } }, { spec })
const selected = (image: string) => ({ selector: { matchLabels: { app: "x" } }, template: template(image) })

const workloads = {
  statefulSet: (image: string) =>
    manifest("apps/v1", "StatefulSet", "db", { serviceName: "db", replicas: 2, ...selected(image) }),
  daemonSet: manifest("apps/v1", "DaemonSet", "log", selected("log:1")),
  job: (name: string, more: object = {}) =>
    manifest("batch/v1", "Job", name, { template: template("job:1", "Never"), ...more }),
  cronJob: manifest("batch/v1", "CronJob", "hourly", {
    schedule: "0 * * * *",
    jobTemplate: { spec: { template: template("job:1", "Never") } }
  })
}

/** The tree with the ends of made-up names and the ages left out. */
const treeOf = (
  manifests: ReadonlyArray<Draft>,
  seconds: number,
  width = Infinity
): Promise<ReadonlyArray<string>> =>
  withCluster(
    {
      nodes: 2,
      behaviours: [{ name: "missing", match: { image: "*:missing" }, pull: { failures: "forever" } }]
    },
    (cluster) =>
      Effect.gen(function* () {
        for (const it of manifests) yield* createObject(cluster, it)
        yield* advanceSeconds(cluster, seconds)
        const lines = drawTree({
          view: cluster.view,
          nowMillis: cluster.nowMillis(),
          palette: plainPalette,
          width
        })
        return lines.slice(1).map((line) =>
          line
            .replaceAll(/-\w{5}\b(?= )/g, "")
            .replaceAll(/\s\d+[smh]\S*\s/g, " ")
            .replaceAll(/ +/g, " ")
        )
      })
  )

describe("the tree draws", () => {
  it("a StatefulSet with its Pods, and what is wrong with one", async () => {
    const tree = await treeOf([workloads.statefulSet("db:missing")], 30)
    expect(tree).toEqual([
      "⟳ StatefulSet/db ◌ Progressing 0/2 ready, 1 updated",
      expect.stringMatching(/^└──□ db-0 ✖ (ImagePullBackOff|ErrImagePull) node-\d, /)
    ])
  })

  it("a DaemonSet with a Pod for each node", async () => {
    expect(await treeOf([workloads.daemonSet], 30)).toEqual([
      "⟳ DaemonSet/log ✔ Complete 2/2 available, 2 updated",
      expect.stringMatching(/^├──□ log ✔ Running node-\d$/),
      expect.stringMatching(/^└──□ log ✔ Running node-\d$/)
    ])
  })

  it("a bar instead of counts that have no room", async () => {
    const [statefulSet, daemonSet] = await Promise.all([
      treeOf([workloads.statefulSet("db:1")], 30, 60),
      treeOf([workloads.daemonSet], 30, 60)
    ])
    expect([statefulSet[0], daemonSet[0]]).toEqual([
      "⟳ StatefulSet/db ✔ Complete ▇▇▇▇▇ 2/2",
      "⟳ DaemonSet/log ✔ Complete ▇▇▇▇▇ 2/2"
    ])
  })

  it("a CronJob with its Jobs and their Pods, and Jobs of their own", async () => {
    const tree = await treeOf(
      [workloads.cronJob, workloads.job("once"), workloads.job("later", { suspend: true })],
      3700
    )
    expect(tree.map((line) => line.replace(/-\d{8}/, ""))).toEqual([
      "⟳ CronJob/hourly ✔ Scheduled 0 * * * *, 0 active",
      "└──⟳ Job/hourly ✔ Complete 1/1 completions",
      expect.stringMatching(/^ └──□ hourly • Completed node-\d$/),
      "⟳ Job/later ‖ Suspended 0/1 completions",
      "⟳ Job/once ✔ Complete 1/1 completions",
      expect.stringMatching(/^└──□ once • Completed node-\d$/)
    ])
  })
})
