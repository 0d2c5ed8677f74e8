import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import {
  createAndRollOut,
  deployment,
  trackRollouts,
  image,
  withCluster,
  losePod,
  loseReplicaSet,
  remove
} from "./clusterActions.ts"
import {
  restart,
  rolledOut,
  spec,
  stageOf,
  threePodsAtMost,
  undo,
  wait,
  singleSpaced
} from "./clusterActions.ts"
import { eventsRenderer } from "../../../src/cli/rendering/renderers.ts"
import { playStages } from "../../../src/cli/rendering/playStages.ts"
import type { ClusterAction } from "./clusterActions.ts"
import type { StageReport } from "../../../src/cli/rendering/stageReports.ts"
import type { RunRenderer } from "../../../src/cli/rendering/renderers.ts"

/** The news of consecutive actions, as `reason: message`, each followed by its problems. */
const newsOf = (actions: ReadonlyArray<ClusterAction>): Promise<ReadonlyArray<string>> =>
  withCluster((cluster) =>
    Effect.gen(function* () {
      const news: Array<string> = []
      trackRollouts(cluster, ({ reason, message, troubles }) =>
        news.push(`${reason}: ${message}`, ...troubles)
      )
      for (const action of actions) yield* action(cluster)
      return news
    })
  )

const cameUp = [
  "Progressing: revision 1: web:1",
  expect.stringMatching(/^Complete: deployment "web" successfully rolled out in \d\.\ds$/)
]
const complete = expect.stringMatching(/^Complete: deployment "web" successfully rolled out in \d+\.\ds/)

describe("the rollout tracker reports", () => {
  const rows: ReadonlyArray<{
    readonly why: string
    readonly actions: ReadonlyArray<ClusterAction>
    readonly news: ReadonlyArray<unknown>
  }> = [
    { why: "a created Deployment", actions: [], news: [] },
    {
      why: "a new image",
      actions: [image("web", "web:2"), rolledOut("web")],
      news: ["Progressing: revision 2: web:2", complete]
    },
    {
      why: "an undo, as a new revision",
      actions: [image("web", "web:2"), rolledOut("web"), undo("web"), rolledOut("web")],
      news: ["Progressing: revision 2: web:2", complete, "Progressing: revision 3: web:1", complete]
    },
    {
      why: "a restart, with the same images",
      actions: [restart("web"), rolledOut("web")],
      news: ["Progressing: revision 2: web:1 as before", complete]
    },
    {
      why: "a scaling, without a revision or a loss of availability",
      actions: [wait(30_000), spec("web", { replicas: 7 }), rolledOut("web")],
      news: ["Scaled: from 3 to 7", expect.stringMatching(/successfully rolled out in \d\.\ds$/)]
    },
    {
      why: "a pause in the middle of a rollout, and its resumption",
      actions: [
        image("web", "web:2"),
        wait(100),
        spec("web", { paused: true }),
        wait(60_000),
        spec("web", { paused: false }),
        rolledOut("web")
      ],
      news: [
        "Progressing: revision 2: web:2",
        "Paused: paused with 1 of 3 updated",
        'Resumed: deployment "web" goes on',
        expect.stringMatching(/rolled out in 1m\d\.\ds$/)
      ]
    },
    {
      why: "template changes during a pause as one revision",
      actions: [
        spec("web", { paused: true }),
        image("web", "web:2"),
        wait(900),
        image("web", "web:3"),
        wait(900),
        spec("web", { paused: false }),
        rolledOut("web")
      ],
      news: [
        "Paused: paused with 3 of 3 updated",
        'Resumed: deployment "web" goes on',
        "Progressing: revision 2: web:3",
        complete
      ]
    },
    {
      why: "a missed deadline with the problem, and the undo after it",
      actions: [image("web", "web:broken"), rolledOut("web"), undo("web"), rolledOut("web")],
      news: [
        "Progressing: revision 2: web:broken",
        expect.stringMatching(/^Failed: deployment "web" exceeded its progress deadline after 10m\d\.\ds$/),
        '1 Pod could not pull image "web:broken" (ImagePullBackOff)',
        "Progressing: revision 3: web:1",
        complete
      ]
    },
    {
      why: "a deadline missed because of a quota",
      actions: [threePodsAtMost, image("web", "web:2"), rolledOut("web")],
      news: [
        "Progressing: revision 2: web:2",
        expect.stringContaining("Failed:"),
        expect.stringMatching(/^Pods could not be made or deleted: .*exceeded quota.*FailedCreate/)
      ]
    },
    {
      why: "a failed rollout once, even if it is scaled afterwards",
      actions: [image("web", "web:broken"), rolledOut("web"), spec("web", { replicas: 5 }), wait(5000)],
      news: [
        "Progressing: revision 2: web:broken",
        expect.stringContaining("Failed:"),
        expect.any(String),
        "Scaled: from 3 to 5"
      ]
    },
    {
      why: "a superseded rollout",
      actions: [image("web", "web:2"), wait(500), image("web", "web:3"), rolledOut("web")],
      news: [
        "Progressing: revision 2: web:2",
        "Superseded: revision 2 gave way to another one before it was rolled out",
        "Progressing: revision 3: web:3",
        complete
      ]
    },
    {
      why: "the fewest available Pods, if some were missing",
      actions: [spec("web", { strategy: { type: "Recreate" } }), image("web", "web:2"), rolledOut("web")],
      news: ["Progressing: revision 2: web:2", expect.stringMatching(/s: fewest available 0 of 3$/)]
    },
    {
      why: "a deletion",
      actions: [remove("web"), wait(1000)],
      news: ['Deleted: deployment "web" has been deleted']
    },
    {
      why: "nothing when a ReplicaSet is recreated",
      actions: [loseReplicaSet],
      news: []
    },
    { why: "nothing when a Pod is replaced after the rollout", actions: [losePod], news: [] }
  ]
  it.for(rows)("$why", async ({ actions, news }) => {
    expect(await newsOf([...createAndRollOut, ...actions])).toEqual([...cameUp, ...news])
  })
})

/** Plays one stage with actions of other clients during and after it. */
const playedWith = (options: {
  readonly names: ReadonlyArray<string>
  readonly meanwhile: ReadonlyArray<ClusterAction>
  readonly after?: ReadonlyArray<ClusterAction>
}): Promise<{ readonly reports: ReadonlyArray<StageReport>; readonly lines: ReadonlyArray<string> }> =>
  withCluster((cluster) =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const stage = stageOf(cluster, (line) => lines.push(line))
      const events = eventsRenderer(stage)
      const meanwhile = Effect.forEach(options.meanwhile, (action) => action(cluster))
      const show: RunRenderer = {
        ...events,
        waitUntil: (isOver, limit) => Effect.andThen(Effect.orDie(meanwhile), events.waitUntil(isOver, limit))
      }
      const rolloutTracker = trackRollouts(cluster, show.onRolloutNews)
      const apply = Effect.forEach(options.names, (name) =>
        Effect.map(cluster.store.create(deployment(name, 3)), (object) => ({ outcome: "created", object }))
      )
      const stages = [{ title: "files", apply: Effect.orDie(apply) }]
      const reports = yield* playStages({ ...stage, renderer: show, rolloutTracker, stages })
      for (const action of options.after ?? []) yield* action(cluster)
      return { reports, lines: lines.filter((line) => /Deployment\//.test(line) && !/Scaling/.test(line)) }
    })
  )

const outcomesOf = (reports: ReadonlyArray<StageReport>) =>
  reports.flatMap(({ rollouts }) => rollouts.map(({ name, outcome, millis }) => ({ name, outcome, millis })))

describe("the report of a stage, while other clients write,", () => {
  it("ends a superseded rollout at that moment, and the tracker reports the next revision", async () => {
    const { reports, lines } = await playedWith({
      names: ["web"],
      meanwhile: [wait(700), image("web", "web:2")],
      after: [rolledOut("web")]
    })
    expect(outcomesOf(reports)).toEqual([{ name: "web", outcome: "superseded", millis: 700 }])
    expect(lines.map(singleSpaced)).toEqual([
      "+0.000s Deployment/web Applied created",
      "+0.700s Deployment/web Superseded revision 1 gave way to another one before it was rolled out",
      "+0.700s Deployment/web Progressing revision 2: web:2",
      expect.stringMatching(
        /^\+\d\.\d{3}s Deployment\/web Complete deployment "web" successfully rolled out in /
      )
    ])
  })

  it.for([
    { why: "by a new image", action: image("web", "web:broken") },
    { why: "by a scaling", action: spec("web", { replicas: 9 }) }
  ])("keeps the duration of a complete rollout that is followed $why", async ({ action }) => {
    const { reports } = await playedWith({
      names: ["web", "api"],
      meanwhile: [spec("api", { minReadySeconds: 40 }), rolledOut("web"), wait(9000), action]
    })
    const [web, api] = outcomesOf(reports)
    expect([web?.outcome, api?.outcome]).toEqual(["complete", "complete"])
    expect(web?.millis).toBeLessThan(5000)
    expect(api?.millis).toBeGreaterThan(40_000)
  })

  it("reports a deleted rollout once", async () => {
    const { reports, lines } = await playedWith({ names: ["web"], meanwhile: [wait(300), remove("web")] })
    expect(reports[0]?.rollouts).toMatchObject([{ outcome: "deleted" }])
    expect(lines.map(singleSpaced)).toEqual([
      "+0.000s Deployment/web Applied created",
      expect.stringMatching(/Deployment\/web Deleted object has been deleted$/)
    ])
  })

  it("includes the stage's own writes, which the tracker does not report", async () => {
    const reasons = await withCluster((cluster) =>
      Effect.gen(function* () {
        const reported: Array<string> = []
        const rollouts = trackRollouts(cluster, ({ reason }) => reported.push(reason))
        for (const action of createAndRollOut) yield* action(cluster)
        rollouts.beginApplying()
        yield* spec("web", { replicas: 7, paused: true })(cluster)
        rollouts.endApplying([], () => {})
        yield* spec("web", { replicas: 5 })(cluster)
        return reported
      })
    )
    expect(reasons).toEqual(["Progressing", "Complete", "Scaled"])
  })

  it("includes a rollout that is scaled meanwhile, with its new size", async () => {
    const { reports, lines } = await playedWith({
      names: ["web"],
      meanwhile: [wait(300), spec("web", { replicas: 8 })]
    })
    expect(reports[0]?.rollouts).toMatchObject([{ outcome: "complete", replicas: 8, podsMost: 8 }])
    expect(lines.map(singleSpaced)).toEqual([
      "+0.000s Deployment/web Applied created",
      "+0.300s Deployment/web Scaled from 3 to 8",
      expect.stringMatching(/Deployment\/web Complete deployment "web" successfully rolled out$/)
    ])
  })

  it("ends with the stage: the tracker reports later changes", async () => {
    const { reports, lines } = await playedWith({
      names: ["web"],
      meanwhile: [],
      after: [restart("web"), rolledOut("web"), remove("web"), wait(60_000)]
    })
    expect(reports[0]?.rollouts).toMatchObject([{ outcome: "complete" }])
    expect(lines.map(singleSpaced).slice(-3)).toEqual([
      expect.stringMatching(/Progressing revision 2: web:1 as before$/),
      expect.stringMatching(/Complete deployment "web" successfully rolled out in /),
      expect.stringMatching(/Deleted deployment "web" has been deleted$/)
    ])
  })
})
