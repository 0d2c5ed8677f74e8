import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { comesUp, deployment, follow, image, inCluster, losePod, loseReplicaSet, remove } from "./deeds.ts"
import { restart, rolledOut, spec, stageOf, threePodsAtMost, undo, wait, words } from "./deeds.ts"
import { eventsRenderer } from "../../src/cli/rendering/renderers.ts"
import { playActs } from "../../src/cli/rendering/playActs.ts"
import type { Deed } from "./deeds.ts"
import type { ActReport } from "../../src/cli/rendering/actReports.ts"
import type { RunRenderer } from "../../src/cli/rendering/renderers.ts"

/** What is told of deeds done one after the other, as `reason: message`, troubles below. */
const toldOf = (deeds: ReadonlyArray<Deed>): Promise<ReadonlyArray<string>> =>
  inCluster((cluster) =>
    Effect.gen(function* () {
      const told: Array<string> = []
      follow(cluster, ({ reason, message, troubles }) => told.push(`${reason}: ${message}`, ...troubles))
      for (const deed of deeds) yield* deed(cluster)
      return told
    })
  )

const cameUp = [
  "Progressing: revision 1: web:1",
  expect.stringMatching(/^Complete: deployment "web" successfully rolled out in \d\.\ds$/)
]
const complete = expect.stringMatching(/^Complete: deployment "web" successfully rolled out in \d+\.\ds/)

describe("every rollout is told from its beginning to its end", () => {
  const rows: ReadonlyArray<{
    readonly why: string
    readonly deeds: ReadonlyArray<Deed>
    readonly told: ReadonlyArray<unknown>
  }> = [
    { why: "one that is created", deeds: [], told: [] },
    {
      why: "a new image",
      deeds: [image("web", "web:2"), rolledOut("web")],
      told: ["Progressing: revision 2: web:2", complete]
    },
    {
      why: "an undo, which is a revision too",
      deeds: [image("web", "web:2"), rolledOut("web"), undo("web"), rolledOut("web")],
      told: ["Progressing: revision 2: web:2", complete, "Progressing: revision 3: web:1", complete]
    },
    {
      why: "a restart, whose images are the same",
      deeds: [restart("web"), rolledOut("web")],
      told: ["Progressing: revision 2: web:1 as before", complete]
    },
    {
      why: "another size, which is no revision, and of which fewer than wanted is no loss",
      deeds: [wait(30_000), spec("web", { replicas: 7 }), rolledOut("web")],
      told: ["Scaled: from 3 to 7", expect.stringMatching(/successfully rolled out in \d\.\ds$/)]
    },
    {
      why: "a pause in the middle, and that it goes on",
      deeds: [
        image("web", "web:2"),
        wait(100),
        spec("web", { paused: true }),
        wait(60_000),
        spec("web", { paused: false }),
        rolledOut("web")
      ],
      told: [
        "Progressing: revision 2: web:2",
        "Paused: paused with 1 of 3 updated",
        'Resumed: deployment "web" goes on',
        expect.stringMatching(/rolled out in 1m\d\.\ds$/)
      ]
    },
    {
      why: "templates that change while it is paused as the one revision they come to",
      deeds: [
        spec("web", { paused: true }),
        image("web", "web:2"),
        wait(900),
        image("web", "web:3"),
        wait(900),
        spec("web", { paused: false }),
        rolledOut("web")
      ],
      told: [
        "Paused: paused with 3 of 3 updated",
        'Resumed: deployment "web" goes on',
        "Progressing: revision 2: web:3",
        complete
      ]
    },
    {
      why: "a deadline in its words, with what is wrong, and the undo that heals it",
      deeds: [image("web", "web:broken"), rolledOut("web"), undo("web"), rolledOut("web")],
      told: [
        "Progressing: revision 2: web:broken",
        expect.stringMatching(/^Failed: deployment "web" exceeded its progress deadline after 10m\d\.\ds$/),
        '1 Pod could not pull image "web:broken" (ImagePullBackOff)',
        "Progressing: revision 3: web:1",
        complete
      ]
    },
    {
      why: "a deadline that a quota is to blame for",
      deeds: [threePodsAtMost, image("web", "web:2"), rolledOut("web")],
      told: [
        "Progressing: revision 2: web:2",
        expect.stringContaining("Failed:"),
        expect.stringMatching(/^Pods could not be made or deleted: .*exceeded quota.*FailedCreate/)
      ]
    },
    {
      why: "one that has failed once, however it is scaled",
      deeds: [image("web", "web:broken"), rolledOut("web"), spec("web", { replicas: 5 }), wait(5000)],
      told: [
        "Progressing: revision 2: web:broken",
        expect.stringContaining("Failed:"),
        expect.any(String),
        "Scaled: from 3 to 5"
      ]
    },
    {
      why: "that another one took the place of it",
      deeds: [image("web", "web:2"), wait(500), image("web", "web:3"), rolledOut("web")],
      told: [
        "Progressing: revision 2: web:2",
        "Superseded: revision 2 gave way to another one before it was rolled out",
        "Progressing: revision 3: web:3",
        complete
      ]
    },
    {
      why: "the fewest that were available, where some were missing",
      deeds: [spec("web", { strategy: { type: "Recreate" } }), image("web", "web:2"), rolledOut("web")],
      told: ["Progressing: revision 2: web:2", expect.stringMatching(/s: fewest available 0 of 3$/)]
    },
    {
      why: "its end by deletion",
      deeds: [remove("web"), wait(1000)],
      told: ['Deleted: deployment "web" has been deleted']
    },
    {
      why: "nothing where a ReplicaSet is made anew that its Deployment had already",
      deeds: [loseReplicaSet],
      told: []
    },
    { why: "nothing where Pods come and go under a rollout that is over", deeds: [losePod], told: [] }
  ]
  it.for(rows)("$why", async ({ deeds, told }) => {
    expect(await toldOf([...comesUp, ...deeds])).toEqual([...cameUp, ...told])
  })
})

/** Plays one act with what others do in the middle of it; `after` is when it is over. */
const playedWith = (options: {
  readonly names: ReadonlyArray<string>
  readonly meanwhile: ReadonlyArray<Deed>
  readonly after?: ReadonlyArray<Deed>
}): Promise<{ readonly reports: ReadonlyArray<ActReport>; readonly lines: ReadonlyArray<string> }> =>
  inCluster((cluster) =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const stage = stageOf(cluster, (line) => lines.push(line))
      const events = eventsRenderer(stage)
      const meanwhile = Effect.forEach(options.meanwhile, (deed) => deed(cluster))
      const show: RunRenderer = {
        ...events,
        waitUntil: (isOver, limit) => Effect.andThen(Effect.orDie(meanwhile), events.waitUntil(isOver, limit))
      }
      const rollouts = follow(cluster, show.onRolloutNews)
      const apply = Effect.forEach(options.names, (name) =>
        Effect.map(cluster.store.create(deployment(name, 3)), (object) => ({ outcome: "created", object }))
      )
      const acts = [{ title: "files", apply: Effect.orDie(apply) }]
      const reports = yield* playActs({ ...stage, renderer: show, rollouts, acts })
      for (const deed of options.after ?? []) yield* deed(cluster)
      return { reports, lines: lines.filter((line) => /Deployment\//.test(line) && !/Scaling/.test(line)) }
    })
  )

const outcomesOf = (reports: ReadonlyArray<ActReport>) =>
  reports.flatMap(({ rollouts }) => rollouts.map(({ name, outcome, millis }) => ({ name, outcome, millis })))

describe("an act tells of its own rollouts, whatever others do meanwhile", () => {
  it("one that another revision took over was superseded there and then, and the other is told on", async () => {
    const { reports, lines } = await playedWith({
      names: ["web"],
      meanwhile: [wait(700), image("web", "web:2")],
      after: [rolledOut("web")]
    })
    expect(outcomesOf(reports)).toEqual([{ name: "web", outcome: "superseded", millis: 700 }])
    expect(lines.map(words)).toEqual([
      "+0.000s Deployment/web Applied created",
      "+0.700s Deployment/web Superseded revision 1 gave way to another one before it was rolled out",
      "+0.700s Deployment/web Progressing revision 2: web:2",
      expect.stringMatching(
        /^\+\d\.\d{3}s Deployment\/web Complete deployment "web" successfully rolled out in /
      )
    ])
  })

  it.for([
    { why: "with another image", deed: image("web", "web:broken") },
    { why: "with another size", deed: spec("web", { replicas: 9 }) }
  ])("one that was complete before others went on took as long as it did: $why", async ({ deed }) => {
    const { reports } = await playedWith({
      names: ["web", "api"],
      meanwhile: [spec("api", { minReadySeconds: 40 }), rolledOut("web"), wait(9000), deed]
    })
    const [web, api] = outcomesOf(reports)
    expect([web?.outcome, api?.outcome]).toEqual(["complete", "complete"])
    expect(web?.millis).toBeLessThan(5000)
    expect(api?.millis).toBeGreaterThan(40_000)
  })

  it("one that others delete is told as deleted once", async () => {
    const { reports, lines } = await playedWith({ names: ["web"], meanwhile: [wait(300), remove("web")] })
    expect(reports[0]?.rollouts).toMatchObject([{ outcome: "deleted" }])
    expect(lines.map(words)).toEqual([
      "+0.000s Deployment/web Applied created",
      expect.stringMatching(/Deployment\/web Deleted object has been deleted$/)
    ])
  })

  it("what an act writes itself is the act's to tell", async () => {
    const told = await inCluster((cluster) =>
      Effect.gen(function* () {
        const reasons: Array<string> = []
        const rollouts = follow(cluster, ({ reason }) => reasons.push(reason))
        for (const deed of comesUp) yield* deed(cluster)
        rollouts.beginWriting()
        yield* spec("web", { replicas: 7, paused: true })(cluster)
        rollouts.adopt([], () => {})
        yield* spec("web", { replicas: 5 })(cluster)
        return reasons
      })
    )
    expect(told).toEqual(["Progressing", "Complete", "Scaled"])
  })

  it("one that is scaled on the way is still the act's, with its new size", async () => {
    const { reports, lines } = await playedWith({
      names: ["web"],
      meanwhile: [wait(300), spec("web", { replicas: 8 })]
    })
    expect(reports[0]?.rollouts).toMatchObject([{ outcome: "complete", replicas: 8, podsMost: 8 }])
    expect(lines.map(words)).toEqual([
      "+0.000s Deployment/web Applied created",
      "+0.300s Deployment/web Scaled from 3 to 8",
      expect.stringMatching(/Deployment\/web Complete deployment "web" successfully rolled out$/)
    ])
  })

  it("whatever is done to it when the act is over is told as everything else is", async () => {
    const { reports, lines } = await playedWith({
      names: ["web"],
      meanwhile: [],
      after: [restart("web"), rolledOut("web"), remove("web"), wait(60_000)]
    })
    expect(reports[0]?.rollouts).toMatchObject([{ outcome: "complete" }])
    expect(lines.map(words).slice(-3)).toEqual([
      expect.stringMatching(/Progressing revision 2: web:1 as before$/),
      expect.stringMatching(/Complete deployment "web" successfully rolled out in /),
      expect.stringMatching(/Deleted deployment "web" has been deleted$/)
    ])
  })
})
