import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { autoscalerOf } from "../../controllers/autoscalers/autoscaledShop.ts"
import { everyWorkload } from "../../controllers/workloads/everyWorkload.ts"
import { makeCluster } from "../../../src/cluster/cluster.ts"
import { resources } from "../../../src/kubernetes/meta/resources.ts"
import { trackRollouts } from "./clusterActions.ts"
import type { ClusterAction } from "./clusterActions.ts"
import type { RolloutTracker } from "../../../src/cli/rendering/rolloutTracker.ts"

const behaviours = [{ name: "broken", match: { image: "broken:*" }, exit: { after: "2s", code: 3 } }] as const

/** The news of consecutive actions, as `Kind/name reason: message`, each followed by its problems. */
const newsOf = (
  actions: ReadonlyArray<ClusterAction>,
  begin: (tracker: RolloutTracker) => void = () => undefined
): Promise<ReadonlyArray<string>> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const cluster = yield* makeCluster({ behaviours })
        const news: Array<string> = []
        const tracker = trackRollouts(cluster, ({ workload, reason, message, troubles }) =>
          news.push(`${workload.kind}/${workload.metadata.name} ${reason}: ${message}`, ...troubles)
        )
        begin(tracker)
        for (const action of actions) yield* action(cluster)
        return news
      })
    )
  )

const create =
  (name: string, more: object = {}): ClusterAction =>
  (cluster) => {
    const workload = everyWorkload.find(({ metadata }) => metadata.name === name)
    if (workload === undefined) throw new Error(`there is no ${name}`)
    return cluster.create({ ...workload, spec: { ...workload.spec, ...more } })
  }
const patch =
  (resource: string, name: string, spec: object): ClusterAction =>
  (cluster) =>
    cluster.patch({ resource, name }, { spec })
const pass =
  (millis: number): ClusterAction =>
  (cluster) =>
    cluster.advance(millis)
const image = (value: string) => ({ template: { spec: { containers: [{ name: "app", image: value }] } } })
const completeIn = (text: string) =>
  expect.stringMatching(new RegExp(`^${text} in [\\d.ms]+$`, "u")) as unknown

const nowhere = {
  metadata: { labels: { app: "agent" } },
  spec: { nodeSelector: { disk: "none" }, containers: [{ name: "app", image: "agent:1" }] }
}
const autoscaler = autoscalerOf(
  {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "StatefulSet", name: "db" },
    minReplicas: 1,
    maxReplicas: 9
  },
  "db"
)

const rows: ReadonlyArray<{
  readonly why: string
  readonly actions: ReadonlyArray<ClusterAction>
  readonly news: ReadonlyArray<unknown>
}> = [
  {
    why: "a StatefulSet that starts, is updated, and goes back to its old template",
    actions: [
      create("db"),
      pass(60_000),
      patch(resources.statefulSets, "db", image("db:2")),
      pass(120_000),
      patch(resources.statefulSets, "db", image("db:1")),
      pass(120_000)
    ],
    news: [
      "StatefulSet/db Progressing: revision 1: db:1",
      completeIn(
        String.raw`StatefulSet/db Complete: partitioned roll out complete: 3 new pods have been updated`
      ),
      "StatefulSet/db Progressing: revision 2: db:2",
      completeIn(
        String.raw`StatefulSet/db Complete: partitioned roll out complete: 3 new pods have been updated`
      ),
      "StatefulSet/db Progressing: revision 3: db:1",
      completeIn(
        String.raw`StatefulSet/db Complete: partitioned roll out complete: 3 new pods have been updated`
      )
    ]
  },
  {
    why: "a StatefulSet that is scaled and deleted",
    actions: [
      create("db"),
      pass(60_000),
      patch(resources.statefulSets, "db", { replicas: 4 }),
      pass(60_000),
      (cluster) => cluster.delete({ resource: resources.statefulSets, name: "db" })
    ],
    news: [
      "StatefulSet/db Progressing: revision 1: db:1",
      completeIn("StatefulSet/db Complete: .*"),
      "StatefulSet/db Scaled: from 3 to 4",
      completeIn("StatefulSet/db Complete: .*: 4 new pods have been updated"),
      'StatefulSet/db Deleted: statefulset "db" has been deleted'
    ]
  },
  {
    why: "a DaemonSet that starts and is updated",
    actions: [
      create("agent"),
      pass(60_000),
      patch(resources.daemonSets, "agent", image("agent:2")),
      pass(120_000)
    ],
    news: [
      "DaemonSet/agent Progressing: revision 1: agent:1",
      completeIn('DaemonSet/agent Complete: daemon set "agent" successfully rolled out'),
      "DaemonSet/agent Progressing: revision 2: agent:2",
      completeIn('DaemonSet/agent Complete: daemon set "agent" successfully rolled out')
    ]
  },
  {
    why: "a Job that is suspended and resumed",
    actions: [
      create("sums"),
      pass(1000),
      patch(resources.jobs, "sums", { suspend: true }),
      pass(1000),
      patch(resources.jobs, "sums", { suspend: false }),
      pass(60_000)
    ],
    news: [
      "Job/sums Progressing: sums:1",
      'Job/sums Paused: job "sums" is suspended',
      'Job/sums Resumed: job "sums" goes on',
      completeIn('Job/sums Complete: job "sums" is complete')
    ]
  },
  {
    why: "a Job that fails, with what was wrong",
    actions: [create("broken"), pass(600_000)],
    news: [
      "Job/broken Progressing: broken:1",
      expect.stringMatching(
        /^Job\/broken Failed: job "broken" has failed: Job has reached the specified backoff limit after /u
      ),
      'container "app" of 4 Pods ended 4 times with exit code 3 (Error)'
    ]
  },
  {
    why: "a DaemonSet that fits no node",
    actions: [create("agent", { template: nowhere }), pass(1000)],
    news: [
      "DaemonSet/agent Progressing: revision 1: agent:1",
      completeIn('DaemonSet/agent Complete: daemon set "agent" successfully rolled out'),
      expect.stringMatching(
        /^no node fits: its node selector, affinity or tolerations leave out all \d nodes$/u
      )
    ]
  },
  {
    why: "when a CronJob is due next, and while it is suspended, or cannot be read",
    actions: [
      create("minutely", { schedule: "30 3 * * *", timeZone: "Europe/Berlin" }),
      patch(resources.cronJobs, "minutely", { suspend: true }),
      patch(resources.cronJobs, "minutely", { suspend: false }),
      patch(resources.cronJobs, "minutely", { schedule: "0 0 31 2 *" }),
      (cluster) => cluster.delete({ resource: resources.cronJobs, name: "minutely" })
    ],
    news: [
      'CronJob/minutely Scheduled: "30 3 * * *" in Europe/Berlin, next at 2026-01-01T02:30:00Z',
      "CronJob/minutely Paused: no Job starts while it is suspended",
      'CronJob/minutely Resumed: "30 3 * * *" in Europe/Berlin, next at 2026-01-01T02:30:00Z',
      'CronJob/minutely Scheduled: "0 0 31 2 *" in Europe/Berlin, which never comes',
      'CronJob/minutely Deleted: cronjob "minutely" has been deleted'
    ]
  },
  {
    why: "what an autoscaler makes of its target, and that it cannot measure",
    actions: [
      create("db", { minReadySeconds: 0 }),
      (cluster) => cluster.create(autoscaler),
      pass(120_000),
      patch(resources.autoscalers, "db", { minReplicas: 5 }),
      pass(120_000)
    ],
    news: [
      "StatefulSet/db Progressing: revision 1: db:1",
      completeIn("StatefulSet/db Complete: .*"),
      expect.stringMatching(
        /^HorizontalPodAutoscaler\/db Failed: the HPA was unable to compute the replica count: /u
      ),
      "StatefulSet/db Scaled: from 3 to 5",
      "HorizontalPodAutoscaler/db Scaled: StatefulSet/db from 3 to 5",
      completeIn("StatefulSet/db Complete: .*")
    ]
  },
  {
    why: "the Jobs of a CronJob, but not which old ones it deletes",
    actions: [create("minutely", { successfulJobsHistoryLimit: 0 }), pass(90_000)],
    news: [
      expect.stringMatching(/^CronJob\/minutely Scheduled: "\* \* \* \* \*" in UTC, next at /u),
      expect.stringMatching(/^Job\/minutely-\d+ Progressing: minutely:1$/u),
      expect.stringMatching(/^Job\/minutely-\d+ Complete: job "minutely-\d+" is complete in /u)
    ]
  }
]

describe("the news of a workload other than a Deployment", () => {
  it.each(rows)("tells of $why", async ({ actions, news }) => {
    expect(await newsOf(actions)).toEqual(news)
  })

  it("leaves out what a stage of the run writes", async () => {
    const begin = (tracker: RolloutTracker): void => tracker.beginApplying()
    const news = await newsOf(
      [create("sums"), create("db"), patch(resources.statefulSets, "db", { replicas: 4 })],
      begin
    )
    expect(news).toEqual([])
  })
})
