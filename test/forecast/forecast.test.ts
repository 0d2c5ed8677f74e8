import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import {
  changeOutcomeText,
  forecastSentence,
  skippedSeedsAndCuresText,
  milestoneText
} from "../../src/forecast/forecastText.ts"
import { deploymentManifest, withCluster } from "../cluster/testCluster.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { snapshotText } from "../../src/cluster/snapshots/snapshotText.ts"
import { workloadStatus } from "../../src/kubernetes/apps/workloadStatus.ts"
import type { Behaviour } from "../../src/behaviours/behaviour.ts"
import type { ClusterService } from "../cluster/testCluster.ts"
import type { Cure, CureOutcome, Forecast, Future } from "../../src/forecast/forecast.ts"

const web = { resource: resources.deployments, name: "web" } as const

const behaviours: ReadonlyArray<Behaviour> = [
  { name: "missing", match: { image: "*:missing" }, pull: { failures: "forever" } },
  { name: "leaking", match: { image: "*:leaking" }, exit: { after: "2m", code: 137, times: "forever" } },
  { name: "crashing", match: { image: "*:crashing" }, exit: { after: "1s", code: 1 } }
]

const rolledOut = (cluster: ClusterService, replicas = 6) =>
  Effect.gen(function* () {
    const spec = { progressDeadlineSeconds: 120 }
    yield* Effect.orDie(cluster.create(deploymentManifest({ replicas, spec })))
    yield* Effect.orDie(cluster.rollout("web"))
  })

const setImage = (cluster: ClusterService, tag: string) =>
  Effect.orDie(
    cluster.patch(web, {
      spec: { template: { spec: { containers: [{ name: "app", image: `registry.example/app:${tag}` }] } } }
    })
  )

const look = (cluster: ClusterService, options: Parameters<ClusterService["forecast"]>[1] = {}) =>
  Effect.orDie(cluster.forecast("web", { seeds: 0, ...options }))

/** When the Deployment reaches a state, and the fewest available Pods until then. */
const whatHappens = (cluster: ClusterService, state: "complete" | "failed") =>
  Effect.gen(function* () {
    const deployment = () => cluster.view.get(resources.deployments, "default/web")
    const available: Array<number> = [deployment()?.status.availableReplicas ?? 0]
    const stop = cluster.onChange(web.resource, ({ object }) =>
      available.push(object.status.availableReplicas ?? 0)
    )
    const isThere = (): boolean => {
      const present = deployment()
      return present !== undefined && workloadStatus(web.resource, present).state === state
    }
    yield* cluster.until(isThere, "1h")
    stop()
    return { outcomeMillis: cluster.nowMillis(), availableMin: Math.min(...available) }
  })

const futureOf = (outcome: CureOutcome | undefined): Future => {
  if (outcome === undefined || !("future" in outcome))
    throw new Error(`no future: ${JSON.stringify(outcome)}`)
  return outcome.future
}

const cureNamed = ({ cures }: Forecast, id: string): CureOutcome => {
  const found = cures.find(({ cure }) => cure.id === id)
  if (found === undefined) throw new Error(`no cure ${id}: ${cures.map(({ cure }) => cure.id).join(", ")}`)
  return found
}

/** Sends a cure's request, as the page does. */
const press = (cluster: ClusterService, { request }: Cure) =>
  Effect.gen(function* () {
    if (request === undefined) throw new Error("this cure has no request")
    const { path, method, contentType, body } = request
    const headers = contentType === undefined ? {} : { "content-type": contentType }
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = yield* cluster.fetch(`https://cluster${path}`, { method, headers, ...sent })
    expect(response.status).toBe(200)
  })

describe("a forecast", () => {
  it.each([
    { tag: "v2", state: "complete", why: "Pods of the new revision become ready" },
    { tag: "missing", state: "failed", why: "the image cannot be pulled before the deadline" },
    { tag: "crashing", state: "failed", why: "new Pods crash again and again" }
  ] as const)("of an update to $tag is what happens then, since $why", ({ tag, state }) =>
    withCluster({ seed: 3, behaviours }, (cluster) =>
      Effect.gen(function* () {
        yield* rolledOut(cluster)
        yield* setImage(cluster, tag)
        yield* Effect.orDie(cluster.advance("400ms"))
        const before = snapshotText(yield* Effect.orDie(cluster.snapshot))
        const { future, nowMillis } = yield* look(cluster)
        expect(snapshotText(yield* Effect.orDie(cluster.snapshot))).toBe(before)
        expect(nowMillis).toBe(cluster.nowMillis())
        expect(future.outcome).toBe(state)
        const { outcomeMillis, availableMin } = yield* whatHappens(cluster, state)
        expect(future.outcomeMillis).toBe(outcomeMillis)
        expect(future.availableMin).toBe(availableMin)
      })
    )
  )

  it("of a lost node tells when its Pods are evicted, and that bringing it back helps sooner", () =>
    withCluster({ seed: 5 }, (cluster) =>
      Effect.gen(function* () {
        yield* rolledOut(cluster)
        yield* Effect.orDie(cluster.fault({ fault: "nodeLost", node: "node-3" }))
        yield* Effect.orDie(cluster.advance("1m"))
        const forecast = yield* look(cluster)
        const evicted = forecast.future.milestones.find(({ kind }) => kind === "evicted")
        expect(evicted).toMatchObject({ node: "node-3", count: 2 })
        expect(forecast.cures.map(({ cure }) => cure.title)).toEqual(["Bring node-3 back", "Pause"])
        const back = cureNamed(forecast, "fault-1")
        expect(futureOf(back).outcomeMillis).toBeLessThan(evicted?.millis ?? 0)

        yield* press(cluster, back.cure)
        const { outcomeMillis } = yield* whatHappens(cluster, "complete")
        expect(outcomeMillis).toBe(futureOf(back).outcomeMillis)
      })
    ))

  it("says what a request would do, or why it is refused, and sends it to no one", () =>
    withCluster({ seed: 4 }, (cluster) =>
      Effect.gen(function* () {
        yield* rolledOut(cluster)
        const path = "/apis/apps/v1/namespaces/default/deployments/web/scale"
        const scaledTo = (replicas: number) =>
          ({
            method: "PATCH",
            path,
            contentType: "application/merge-patch+json",
            body: { spec: { replicas } }
          }) as const
        const { change } = yield* look(cluster, { cures: false, change: scaledTo(9) })
        expect(change).toMatchObject({ future: { outcome: "complete" } })
        expect(
          change !== undefined && "future" in change ? change.future.counts.at(-1) : undefined
        ).toMatchObject({ desired: 9, available: 9 })
        expect((yield* look(cluster, { cures: false, change: scaledTo(-1) })).change).toMatchObject({
          refused: expect.stringContaining("must be greater than or equal to 0")
        })
        const unserved = { ...scaledTo(2), path: "/nothing" }
        expect((yield* look(cluster, { cures: false, change: unserved })).change).toEqual({
          refused: "404 page not found"
        })
        const ask = (body: unknown) =>
          cluster.fetch("https://cluster/charthouse/v1/forecast?workload=web&seeds=0&cures=0", {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify(body)
          })
        const answered = yield* ask(scaledTo(2))
        expect(yield* Effect.promise(() => answered.json())).toMatchObject({
          change: { future: { availableMin: 2 } }
        })
        const refused = yield* ask({ method: "LIST", path: "pods" })
        expect(refused.status).toBe(400)
        expect(yield* Effect.promise(() => refused.text())).toContain("change must be a request: a method")
        expect(cluster.view.get(resources.deployments, "default/web")?.spec.replicas).toBe(6)
      })
    ))

  it("of an image that cannot be pulled tells what each cure would do", () =>
    withCluster({ seed: 2, behaviours }, (cluster) =>
      Effect.gen(function* () {
        yield* rolledOut(cluster)
        yield* setImage(cluster, "missing")
        yield* Effect.orDie(cluster.advance("30s"))
        const forecast = yield* look(cluster)
        expect(forecastSentence(forecast)).toBe(
          "If nothing else is done: never complete: the deadline passes in 1m31s (looked 15m ahead)."
        )
        const texts = forecast.cures.map((it) => `${it.cure.title}: ${changeOutcomeText(it, forecast)}`)
        expect(texts).toMatchInlineSnapshot(`
          [
            "Undo to revision 1 (registry.example/app:v1): complete in 1.2s, at least 5 of 6 available until then",
            "Set an image of app that can be pulled: complete in 3.3s, at least 5 of 6 available until then",
            "Pause: not complete (looked 15m ahead), 5 of 6 available",
          ]
        `)
        const undo = cureNamed(forecast, "undo-1")
        yield* press(cluster, undo.cure)
        const { outcomeMillis } = yield* whatHappens(cluster, "complete")
        expect(outcomeMillis).toBe(futureOf(undo).outcomeMillis)
      })
    ))

  it("of Pods that crash after they were ready does not call a rollout complete that loses them again", () =>
    withCluster({ seed: 4, behaviours }, (cluster) =>
      Effect.gen(function* () {
        yield* rolledOut(cluster)
        yield* setImage(cluster, "leaking")
        yield* cluster.advance("4m")
        const forecast = yield* look(cluster)
        const kinds = forecast.future.milestones.map(({ kind }) => kind)
        expect(forecast.future.outcome).toBe("unfinished")
        expect(kinds.filter((kind) => kind === "floorLost").length).toBeGreaterThan(1)
        expect(forecastSentence(forecast)).toMatch(
          /^If nothing else is done: complete in \d+s, but below its floor again in .+ \(looked 15m ahead\)\.$/
        )
      })
    ))

  it("of a steered rollout leaves what follows a missed deadline to its steering", () =>
    withCluster({ seed: 3, behaviours }, (cluster) =>
      Effect.gen(function* () {
        yield* rolledOut(cluster)
        const annotations = { "charthouse.dev/strategy": "automaticRollback: { cannotStart: 10m }" }
        yield* Effect.orDie(cluster.patch(web, { metadata: { annotations } }))
        yield* setImage(cluster, "missing")
        yield* Effect.orDie(cluster.advance("1s"))
        const { future } = yield* look(cluster)
        expect(future.milestones.map(milestoneText)).toEqual([
          "the progress deadline passes: its steering decides what follows",
          "all 6 new Pods are available",
          "the rollout is complete"
        ])
      })
    ))

  it("of a paused rollout ends at once, and offers to resume it", () =>
    withCluster({ seed: 2, behaviours }, (cluster) =>
      Effect.gen(function* () {
        yield* rolledOut(cluster)
        yield* setImage(cluster, "v2")
        yield* Effect.orDie(cluster.patch(web, { spec: { paused: true } }))
        yield* cluster.settle()
        const forecast = yield* look(cluster)
        expect(forecast.future).toMatchObject({ outcome: "unfinished", ended: "settled", milestones: [] })
        expect(forecast.cures.map(({ cure }) => cure.id)).toEqual(["resume"])
        expect(futureOf(cureNamed(forecast, "resume")).outcome).toBe("complete")
      })
    ))

  it("of a Job waits for its Pods, which run, and tells when it fails", () =>
    withCluster({ seed: 4, behaviours }, (cluster) =>
      Effect.gen(function* () {
        const containers = [{ name: "app", image: "registry.example/app:crashing" }]
        const job = {
          apiVersion: "batch/v1",
          kind: "Job",
          metadata: { name: "sums" },
          spec: { backoffLimit: 1, template: { spec: { restartPolicy: "Never", containers } } }
        }
        yield* Effect.orDie(cluster.create(job))
        yield* Effect.orDie(cluster.advance("1s"))
        const forecast = yield* Effect.orDie(cluster.forecast("job/sums", { seeds: 0 }))
        const { outcome, outcomeMillis = 0, milestones } = forecast.future
        expect(outcome).toBe("failed")
        expect(milestones.map(milestoneText)).toEqual([
          'job "sums" has failed: Job has reached the specified backoff limit'
        ])
        expect(forecastSentence(forecast)).toMatch(/^If nothing else is done: it fails in 1\ds\.$/u)
        yield* Effect.orDie(cluster.advance(outcomeMillis - cluster.nowMillis()))
        const failed = yield* Effect.orDie(cluster.forecast("job/sums", { seeds: 0 }))
        expect(forecastSentence(failed)).toBe("If nothing else is done: it has failed, and stays so.")
      })
    ))

  it("with other seeds gives the range of each milestone, the own future among them", () =>
    withCluster({ seed: 7 }, (cluster) =>
      Effect.gen(function* () {
        yield* rolledOut(cluster)
        yield* setImage(cluster, "v2")
        yield* Effect.orDie(cluster.advance("400ms"))
        const { band, future } = yield* look(cluster, { seeds: 6 })
        expect(band?.futures).toBe(7)
        const complete = band?.milestones.find(({ kind }) => kind === "complete")
        expect(complete?.futures).toBe(7)
        expect(complete?.earliestMillis).toBeLessThan(complete?.latestMillis ?? 0)
        expect(complete?.earliestMillis).toBeLessThanOrEqual(future.outcomeMillis ?? 0)
        expect(complete?.latestMillis).toBeGreaterThanOrEqual(future.outcomeMillis ?? Infinity)
      })
    ))

  it("stops at the bound of work, and says what was left out", () =>
    withCluster({ seed: 7, behaviours }, (cluster) =>
      Effect.gen(function* () {
        yield* rolledOut(cluster)
        yield* setImage(cluster, "missing")
        yield* Effect.orDie(cluster.advance("400ms"))
        const forecast = yield* look(cluster, { seeds: 6, changesMax: 60 })
        const { future, limits } = forecast
        expect(future.ended).toBe("changesMax")
        expect(limits.changesPlayed).toBeLessThan(120)
        expect(skippedSeedsAndCuresText(forecast)).toMatch(
          /^\d seeds? not looked up: the bound of 60 changes was reached\.$/u
        )
      })
    ))

  it("is refused while a fault delays a write, and succeeds when the write has arrived", () =>
    withCluster({ seed: 7 }, (cluster) =>
      Effect.gen(function* () {
        yield* rolledOut(cluster)
        yield* Effect.orDie(cluster.fault({ fault: "writesSlow", of: "deployment", by: "5s", for: "10s" }))
        yield* setImage(cluster, "v2")
        yield* Effect.orDie(cluster.advance("1s"))
        const refused = yield* Effect.flip(cluster.forecast("web"))
        expect(refused.message).toBe(
          "no snapshot can be taken now: a fault delays a write: let the write arrive first"
        )
        yield* Effect.orDie(cluster.advance("1m"))
        expect((yield* look(cluster)).future.outcome).toBe("complete")
      })
    ))
})

describe("the endpoint of forecasts", () => {
  it.each([
    { query: "workload=web&seeds=1", code: 200, text: '"outcome":"complete"' },
    { query: "", code: 400, text: "workload: Required value" },
    { query: "workload=web/", code: 400, text: "rollout takes the name" },
    { query: "workload=web&seeds=101", code: 400, text: "seeds must be an integer from 0 to 100" },
    { query: "workload=web&within=soon", code: 400, text: "within must be a duration" },
    { query: "workload=shop", code: 404, text: 'deployments.apps \\"shop\\" not found' }
  ])("answers $query with $code", ({ query, code, text }) =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* rolledOut(cluster, 1)
        const response = yield* cluster.fetch(`https://cluster/charthouse/v1/forecast?${query}`)
        expect(yield* Effect.promise(() => response.text())).toContain(text)
        expect(response.status).toBe(code)
      })
    )
  )
})
