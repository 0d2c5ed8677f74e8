import { describe, expect, it } from "vitest"
import { openCluster } from "../../src/cluster/openCluster.ts"
import {
  hookJob,
  address,
  annotate,
  approvedPods,
  imageOf,
  setImage,
  shopBehaviours,
  steeredText,
  steeringEvents,
  webDeployment
} from "./steeredShop.ts"
import { firstCrash } from "./firstCrash.ts"
import type { Behaviour } from "../../src/behaviours/behaviour.ts"
import type { OpenCluster } from "../../src/cluster/openCluster.ts"

/** Numbers that behaviours supply, by the image that has them. */
const answers: ReadonlyArray<Behaviour> = [
  { name: "healthy", match: { image: "web:2" }, metrics: { errors: 0.002 } },
  { name: "failing", match: { image: "web:errors" }, metrics: { errors: 0.2 } },
  {
    name: "failing-later",
    match: { image: "web:later" },
    metrics: { errors: { from: 0, to: 0.2, at: "2m" } }
  },
  { name: "restarting", match: { image: "web:restarts" }, exit: { after: "20s", code: 1, times: 1 } },
  { name: "refusing", match: { image: "web:refuses" }, metrics: { notify: 503 } },
  { name: "smoke-fails", match: { image: "smoke:broken" }, exit: { after: "2s", code: 1 } },
  { name: "smoke", match: { image: "smoke:*" }, exit: { after: "2s", code: 0 } }
]

const openChecked = async (strategy: string): Promise<OpenCluster> => {
  const cluster = await openCluster({
    seed: 7,
    behaviours: [...shopBehaviours, ...answers],
    steering: [firstCrash]
  })
  await cluster.create(
    webDeployment(strategy, {
      isGated: true,
      spec: { strategy: { rollingUpdate: { maxSurge: "100%", maxUnavailable: 0 } } }
    })
  )
  await cluster.advance("1m")
  return cluster
}

const analysed = `canary:
  steps: [{ approve: 1 }, { analyse: errors }, { approve: 100% }]
  analyses: { errors: { prometheus: http://prometheus, query: 'rate({{hash}})', max: 0.01, count: 3, interval: 1m, failures: 1 } }`

const smokeJob = (image: string) => {
  const { spec, ...job } = hookJob(image)
  return { ...job, spec: { ...spec, backoffLimit: 0 } }
}

const hooked = "blueGreen: { before: [{ run: smoke }], hooks: { smoke: { job: smoke, timeout: 2m } } }"

describe("analyses", () => {
  it("lets a revision pass whose numbers are right", async () => {
    await using cluster = await openChecked(analysed)
    await setImage(cluster, "web:2")
    await cluster.advance("90s")
    expect(await approvedPods(cluster)).toEqual({ "web:1": 3, "web:2": 1 })
    expect(await steeredText(cluster)).toBe(
      'True Checking: revision 2 (web) is at step 2 of 3: analyses "errors"; 2 of 3 answers, the last one: 0.002'
    )
    await cluster.advance("5m")
    expect(await approvedPods(cluster)).toEqual({ "web:2": 4 })
  })

  it.each([
    { image: "web:errors", why: 'analysis "errors" failed 2 of 2 times, 1 allowed: 0.2 is more than 0.01' },
    { image: "web:later", why: 'analysis "errors" failed 2 of 4 times, 1 allowed: 0.2 is more than 0.01' }
  ])("takes $image back, and says why", async ({ image, why }) => {
    await using cluster = await openChecked(analysed.replace("count: 3", "count: 5"))
    await setImage(cluster, image)
    await cluster.advance("10m")
    expect(imageOf(await cluster.get(address))).toBe("web:1")
    expect(await approvedPods(cluster)).toEqual({ "web:1": 4 })
    expect((await steeringEvents(cluster)).at(-1)).toContain(why)
  })

  it("asks again after its controller was restarted, and counts no answer twice", async () => {
    await using cluster = await openChecked(analysed)
    await setImage(cluster, "web:2")
    for (let restart = 0; restart < 6; restart += 1) {
      await cluster.advance("10s")
      await cluster.fault({ fault: "controllerRestarted", controller: "steering" })
    }
    await cluster.advance("30s")
    expect(await steeredText(cluster)).toContain("2 of 3 answers")
    await cluster.advance("2m")
    expect(await approvedPods(cluster)).toEqual({ "web:2": 4 })
  })

  it("judges what the new Pods tell without a question", async () => {
    await using cluster = await openChecked(`canary:
  restarts: 100
  steps: [{ approve: 1 }, { hold: 1m }, { analyse: calm }]
  analyses: { calm: { pods: restarts, max: 0 } }`)
    await setImage(cluster, "web:restarts")
    await cluster.advance("5m")
    expect((await steeringEvents(cluster)).at(-1)).toMatch(/analysis "calm" failed: \d is more than 0$/u)
  })

  it("may still take a revision back that serves alone, until its last step is over", async () => {
    await using cluster = await openChecked(
      analysed.replace("steps: [", "steps: [{ approve: 100% }, { hold: 3m }, ")
    )
    await setImage(cluster, "web:later")
    await cluster.advance("1m")
    expect(await approvedPods(cluster)).toEqual({ "web:later": 4 })
    expect(await steeredText(cluster)).toContain("True Holding: revision 2 (web) is at step 2 of")
    await cluster.advance("15m")
    expect(await approvedPods(cluster)).toEqual({ "web:1": 4 })
  })
})

const hookRuns = async (cluster: OpenCluster): Promise<ReadonlyArray<string>> =>
  (await cluster.list("jobs.batch")).items
    .map(({ metadata }) => metadata.name)
    .filter((name) => name !== "smoke")

describe("hooks", () => {
  it("runs once, though the Job that it copies is deleted as soon as it has ended", async () => {
    await using cluster = await openChecked(hooked)
    const job = smokeJob("smoke:1")
    await cluster.create({ ...job, spec: { ...job.spec, ttlSecondsAfterFinished: 0 } })
    await setImage(cluster, "web:2")
    await cluster.advance("5m")
    expect(await approvedPods(cluster)).toEqual({ "web:2": 4 })
    expect((await steeringEvents(cluster)).filter((it) => it.includes("HookStarted"))).toHaveLength(1)
  })

  it("tells a Job that was never created from one that takes too long", async () => {
    await using cluster = await openChecked(hooked)
    await cluster.create(smokeJob("smoke:1"))
    await cluster.fault({ fault: "quotaExhausted", hard: { "count/jobs.batch": "1" } })
    await setImage(cluster, "web:2")
    await cluster.advance("5m")
    expect((await steeringEvents(cluster)).at(-1)).toMatch(
      /Job web-smoke-\S+ could not be created within 2m: .* exceeded quota: /u
    )
  })

  it("runs a copy of a Job, and goes on when it has succeeded", async () => {
    await using cluster = await openChecked(hooked)
    await cluster.create(smokeJob("smoke:1"))
    await setImage(cluster, "web:2")
    await cluster.advance("1m")
    expect(await approvedPods(cluster)).toEqual({ "web:2": 4 })
    const { items } = await cluster.list("jobs.batch")
    expect(items).toHaveLength(2)
    const run = items.find(({ metadata }) => metadata.name !== "smoke")
    expect(run?.metadata.ownerReferences?.[0]?.kind).toBe("ReplicaSet")
    expect(run?.metadata.labels).toMatchObject({ "charthouse.dev/hook": "smoke" })
    expect((await steeringEvents(cluster)).map((it) => it.split(":", 1)[0])).toEqual([
      "Normal StepCompleted",
      "Normal HookStarted",
      "Normal StepCompleted"
    ])
  })

  it("does not say that a Job took too long which could be created only shortly before", async () => {
    await using cluster = await openChecked(hooked)
    await cluster.create(smokeJob("smoke:hangs"))
    await setImage(cluster, "web:2")
    await cluster.advance("100s")
    const [name = ""] = await hookRuns(cluster)
    const quota = await cluster.fault({ fault: "quotaExhausted", hard: { "count/jobs.batch": "1" } })
    await cluster.delete({ resource: "jobs.batch", name })
    await cluster.advance("80s")
    await quota.end()
    await cluster.advance("2m")
    const undone = (await steeringEvents(cluster)).filter((it) => it.includes("RolledBack"))
    expect(undone).toEqual([
      expect.stringMatching(
        /hook "smoke" failed: Job web-smoke-\S+ was not complete 4m\S* after its step began/u
      )
    ])
  })

  it.each([
    { job: "smoke:broken", why: /hook "smoke" failed: Job web-smoke-\S+ failed: BackoffLimitExceeded/u },
    {
      job: "smoke:hangs",
      why: /hook "smoke" failed: Job web-smoke-\S+ (?:took longer than 2m|failed: DeadlineExceeded)/u
    },
    { job: undefined, why: /hook "smoke" failed: there is no Job "smoke" to start a copy of/u }
  ])("takes a revision back whose Job is $job", async ({ job, why }) => {
    await using cluster = await openChecked(hooked)
    if (job !== undefined) await cluster.create(smokeJob(job))
    await setImage(cluster, "web:2")
    await cluster.advance("5m")
    expect(await approvedPods(cluster)).toEqual({ "web:1": 4 })
    const undone = (await steeringEvents(cluster)).filter((it) => it.includes("RolledBack"))
    expect(undone).toEqual([expect.stringMatching(why)])
  })

  const held = hooked.replace("{ run: smoke }", "{ run: smoke }, { hold: untilPromoted }")

  it("deletes the Job of a superseded rollout, and runs another one for the newer revision", async () => {
    await using cluster = await openChecked(held)
    await cluster.create(smokeJob("smoke:hangs"))
    await setImage(cluster, "web:2")
    await cluster.advance("30s")
    const [former] = await hookRuns(cluster)
    await setImage(cluster, "web:3")
    await cluster.advance("30s")
    const runs = await hookRuns(cluster)
    expect(runs).toHaveLength(1)
    expect(runs[0]).not.toBe(former)
    expect(
      (await cluster.list("pods")).items.filter(({ spec }) => spec.containers[0]?.name === "smoke")
    ).toHaveLength(1)
    expect(await steeringEvents(cluster)).toContain(
      `Normal HookStopped: Deleted Job ${former ?? ""}, whose step is over`
    )
  })

  it("takes no success of a superseded rollout's Job for its own", async () => {
    await using cluster = await openChecked(held)
    await cluster.create(smokeJob("smoke:1"))
    await setImage(cluster, "web:2")
    await cluster.advance("30s")
    expect(await steeredText(cluster)).toContain("is at step 3 of 4: holds until it is promoted")
    await cluster.delete({ resource: "jobs.batch", name: "smoke" })
    await cluster.create(smokeJob("smoke:hangs"))
    for (const image of ["web:1", "web:2"]) {
      await setImage(cluster, image)
      await cluster.advance("30s")
    }
    expect(await steeredText(cluster)).toContain('is at step 2 of 4: runs hook "smoke"')
    // The one that has ended stays with its ReplicaSet.
    expect(await hookRuns(cluster)).toHaveLength(2)
  })

  it.each([
    { asked: { abort: "not this one" }, onFailure: "undo" },
    { asked: { abort: "not this one" }, onFailure: "hold" },
    { asked: { promote: "all" }, onFailure: "undo" }
  ])(
    "deletes a Job that runs when its user asks for $asked, with onFailure: $onFailure",
    async ({ asked, onFailure }) => {
      await using cluster = await openChecked(held.replace("steps:", `onFailure: ${onFailure}\n  steps:`))
      await cluster.create(smokeJob("smoke:hangs"))
      await setImage(cluster, "web:2")
      await cluster.advance("30s")
      expect(await hookRuns(cluster)).toHaveLength(1)
      await annotate(cluster, asked)
      await cluster.advance("30s")
      expect(await hookRuns(cluster)).toEqual([])
    }
  )

  it.each([
    {
      change: "its hook is replaced",
      strategy: hooked.replaceAll("smoke: { job", "other: { job").replace("run: smoke", "run: other")
    },
    { change: "its step is removed", strategy: "blueGreen: { before: [{ hold: untilPromoted }] }" },
    { change: "the strategy is removed", strategy: null }
  ])("deletes a Job that runs when $change", async ({ strategy }) => {
    await using cluster = await openChecked(hooked)
    await cluster.create(smokeJob("smoke:hangs"))
    await setImage(cluster, "web:2")
    await cluster.advance("30s")
    const [former = ""] = await hookRuns(cluster)
    await annotate(cluster, { strategy })
    await cluster.advance("10s")
    expect(await hookRuns(cluster)).not.toContain(former)
    expect(await steeringEvents(cluster)).toContain(
      `Normal HookStopped: Deleted Job ${former}, which no step of the strategy runs`
    )
  })

  it.each(["automaticRollback", "firstCrash"])(
    "deletes a Job that runs when %s takes over, without the gate",
    async (strategy) => {
      await using cluster = await openChecked(hooked)
      await cluster.create(smokeJob("smoke:hangs"))
      await setImage(cluster, "web:2")
      await cluster.advance("30s")
      expect(await hookRuns(cluster)).toHaveLength(1)
      const ungated = { readinessGates: [], containers: [{ name: "web", image: "web:2" }] }
      await cluster.patch(address, {
        metadata: { annotations: { "charthouse.dev/strategy": strategy } },
        spec: { template: { spec: ungated } }
      })
      await cluster.advance("10s")
      expect(await hookRuns(cluster)).toEqual([])
    }
  )

  it("runs one Job a step, though its controller is restarted again and again", async () => {
    await using cluster = await openChecked(hooked)
    await cluster.create(smokeJob("smoke:hangs"))
    await setImage(cluster, "web:2")
    for (let restart = 0; restart < 5; restart += 1) {
      await cluster.advance("10s")
      await cluster.fault({ fault: "controllerRestarted", controller: "steering" })
    }
    expect((await cluster.list("jobs.batch")).items).toHaveLength(2)
  })

  it.each([
    { image: "web:2", approved: { "web:2": 4 } },
    { image: "web:refuses", approved: { "web:1": 4 } }
  ])("calls an address for $image", async ({ image, approved }) => {
    await using cluster = await openChecked(
      "canary: { steps: [{ approve: 1 }, { run: notify }], hooks: { notify: { http: 'https://ci.example/{{hash}}' } } }"
    )
    await setImage(cluster, image)
    await cluster.advance("5m")
    expect(await approvedPods(cluster)).toEqual(approved)
  })
})
