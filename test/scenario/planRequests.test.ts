import { describe, expect, it } from "vitest"
import { parsePredicates, failedPredicates } from "../../src/plan/predicates.ts"
import { aManifest } from "../cluster/worlds.ts"
import { planNext, planOf, probe, rolling, service, sleeps, slow } from "./planWorlds.ts"

const beside = [service]

describe("the requests that a rollout loses", () => {
  it("are those that still go to Pods which were told to stop", async () => {
    const { requests } = await planNext(
      { replicas: 2, spec: rolling(1, 0), container: probe },
      { assume: slow, beside, seeds: 2 }
    )
    // One of two for a second, twice: when the first new one is there, which is not known yet, and when the other is.
    expect(requests).toEqual({
      services: ["web"],
      unfound: [],
      // Twenty seconds, and one until everybody has heard of the end.
      requests: 2100,
      lost: 100,
      lostHalf: 100,
      because: { stopping: 100, starting: 0, failing: 0, nobody: 0 },
      seed: 1
    })
  })

  it("come as often and are told as late as is assumed", async () => {
    const { requests } = await planNext(
      { replicas: 2, spec: rolling(1, 0), container: probe },
      { assume: `${slow},requests=600/m,propagation=3s`, beside }
    )
    expect(requests).toMatchObject({ requests: 230, lost: 30 })
  })

  it("are none where Pods wait for as long before they stop", async () => {
    const { requests } = await planNext(
      { replicas: 2, spec: rolling(1, 0), container: sleeps(2) },
      { assume: slow, beside }
    )
    expect(requests).toMatchObject({ lost: 0, because: { stopping: 0 } })
  })

  it("are all that come while Recreate has nobody", async () => {
    const { requests } = await planNext(
      { replicas: 2, spec: { strategy: { type: "Recreate" } }, container: probe },
      { assume: slow, beside }
    )
    // Five seconds to stop, ten to start, one until it is known.
    expect(requests).toMatchObject({ lost: 1600, requests: 1600 })
  })

  it("go to Pods that no probe asks before they answer, and the rollout goes on over them", async () => {
    const plan = await planNext(
      { replicas: 2, spec: rolling(1, 0) },
      { assume: "schedule=0s,pull=0s,start=0s,ready=30s,terminate=0s", beside }
    )
    // Nothing holds it up: it is over at once, and nobody answers by then.
    expect(plan).toMatchObject({ duration: { worst: 0 }, requests: { lost: 100, requests: 100 } })
    expect(plan.advice[0]).toMatch(/^container "app" has no readinessProbe and takes up to 30s to answer/)
  })

  it("are not counted of what is new, nor where nobody asks for anything", async () => {
    const { rollouts } = await planOf({ next: { replicas: 2 }, beside, assume: slow })
    expect(rollouts[0]?.requests).toBeUndefined()
    const another = { ...service, spec: { ...service.spec, selector: { app: "another" } } }
    expect((await planNext({ replicas: 2 }, { assume: slow, beside: [another] })).requests).toBeUndefined()
  })
})

it("requests to a Service count that was there before, and not to one that the rollout makes", async () => {
  const another = { ...service, spec: { ...service.spec, selector: { app: "another" } } }
  const made = { ...service, metadata: { name: "made" } }
  const container = sleeps(20)
  const rows: ReadonlyArray<
    readonly [fromBeside: ReadonlyArray<object>, beside: ReadonlyArray<object>, object]
  > = [
    [[service], [service, made], { services: ["web"], lost: 0 }],
    // Nobody is known to those who ask it until they have heard of the others' Pods.
    [[another], [service], { services: ["web"], lost: 100, because: { nobody: 100 } }]
  ]
  for (const [fromBeside, beside, requests] of rows)
    expect(await planNext({ replicas: 2, container }, { assume: slow, fromBeside, beside })).toMatchObject({
      requests
    })
  const alone = await planNext({ replicas: 2, container }, { assume: slow, fromBeside: [], beside: [made] })
  expect(alone.requests).toBeUndefined()
})

describe("a Service whose targetPort is a name", () => {
  const declaring = (name: string) => ({ ...sleeps(20), ports: [{ name, containerPort: 80 }] })
  const targeting = (...targets: ReadonlyArray<number | string>) => ({
    ...service,
    spec: {
      ...service.spec,
      ports: targets.map((targetPort, index) => ({ name: `p${index}`, port: 80 + index, targetPort }))
    }
  })
  const headless = { ...targeting("app"), spec: { ...targeting("app").spec, clusterIP: "None" } }
  const warning =
    "Service/web finds the Pods that the rollout of Deployment/web makes and reaches none: " +
    "no container of theirs declares a TCP port named app"
  const rows: ReadonlyArray<{
    readonly why: string
    readonly next?: string
    readonly front: object
    readonly warnings?: ReadonlyArray<string>
  }> = [
    {
      why: "loses all afterwards where the new Pods do not declare it",
      front: targeting("app"),
      warnings: [`${warning}, as its targetPort says`]
    },
    {
      why: "does so where they declare none of several",
      front: targeting("app", "grpc"),
      warnings: [`${warning} or a TCP port named grpc, as its targetPort says`]
    },
    { why: "goes on where they go on declaring it", next: "app", front: targeting("app") },
    { why: "goes on where they declare another of them", front: targeting("app", "web") },
    { why: "goes on where one of them is a number", front: targeting("app", 80) },
    { why: "goes on where clients ask for the Pods' addresses", front: headless }
  ]
  it.for(rows)("$why", async ({ next = "web", front, warnings = [] }) => {
    const manifest = { replicas: 2, spec: rolling(1, 0) }
    const planned = await planOf({
      from: { ...manifest, container: declaring("app") },
      next: { ...manifest, version: "v2", container: declaring(next) },
      beside: [front],
      assume: slow
    })
    // The last old Pod serves for longer than the rollout takes.
    const unfound = warnings.length > 0 ? ["web"] : []
    expect(planned.rollouts[0]?.requests).toMatchObject({ unfound, lost: 0 })
    expect(planned.warnings).toEqual(warnings)
  })
})

describe("a Service that finds the Pods before and not after", () => {
  const labelled = (tier: string, container: object = probe) => ({
    spec: {
      ...rolling(1, 0),
      selector: { matchLabels: { app: "web" } },
      template: {
        metadata: { labels: { app: "web", tier } },
        spec: { containers: [{ name: "app", image: `registry.example/app:${tier}`, ...container }] }
      }
    }
  })
  const selecting = (selector: object) => ({ ...service, spec: { ...service.spec, selector } })
  const other = {
    ...aManifest({ name: "other", replicas: 1 }),
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: "other" } },
      template: {
        metadata: { labels: { app: "other", tier: "next" } },
        spec: { containers: [{ name: "app", image: "other" }] }
      }
    }
  }
  const front = selecting({ tier: "front" })
  const rows: ReadonlyArray<{
    readonly why: string
    readonly tier: string
    readonly beside: ReadonlyArray<object>
    readonly services: ReadonlyArray<string> | undefined
    readonly warnings: ReadonlyArray<string>
  }> = [
    {
      why: "loses what it is sent where the new template has another label",
      tier: "back",
      beside: [front],
      services: ["web"],
      warnings: [
        "Service/web selects tier=front and finds the Pods of Deployment/web before its rollout, but none that it " +
          "makes: they have app=web,tier=back"
      ]
    },
    {
      why: "does so where it selects something else",
      tier: "front",
      beside: [selecting({ tier: "nothing" })],
      services: ["web"],
      warnings: [expect.stringContaining("Service/web selects tier=nothing and finds")]
    },
    {
      why: "is told of no more where it is moved to another's Pods",
      tier: "front",
      beside: [selecting({ tier: "next" }), other],
      services: ["web"],
      warnings: []
    },
    {
      why: "is told of where another's Pods are all that are left to it",
      tier: "back",
      beside: [selecting({ app: "web", tier: "front" }), other],
      services: ["web"],
      warnings: [expect.stringContaining("Service/web selects app=web,tier=front")]
    },
    {
      why: "is none where it finds both",
      tier: "back",
      beside: [selecting({ app: "web" })],
      services: ["web"],
      warnings: []
    }
  ]
  it.for(rows)("$why", async ({ tier, beside: after, services, warnings }) => {
    const { rollouts, ...planned } = await planOf({
      from: labelled("front"),
      next: labelled(tier),
      fromBeside: [front],
      beside: after,
      assume: slow
    })
    expect(rollouts.find(({ name }) => name === "web")?.requests?.services).toEqual(services)
    expect(planned.warnings).toEqual(warnings)
  })

  it("loses all that comes to Pods which stop, though nobody is found any more", async () => {
    const { rollouts } = await planOf({
      from: labelled("front"),
      next: labelled("back"),
      beside: [front],
      assume: slow
    })
    expect(rollouts[0]?.requests?.lost).toBeGreaterThan(0)
  })

  const afterwards: ReadonlyArray<{
    readonly why: string
    readonly tier: string
    readonly requests: string
    readonly tripped: ReadonlyArray<number>
  }> = [
    {
      why: "loses all afterwards, though nothing before",
      tier: "back",
      requests: "100/s",
      tripped: [Infinity, Infinity]
    },
    { why: "loses nothing where nobody asks it", tier: "back", requests: "0", tripped: [] },
    { why: "loses nothing where it goes on finding them", tier: "front", requests: "100/s", tripped: [] }
  ]
  it.for(afterwards)("$why", async ({ tier, requests, tripped }) => {
    const planned = await planOf({
      from: labelled("front", sleeps(20)),
      next: { ...labelled(tier, sleeps(20)), version: "v2" },
      beside: [front],
      assume: `${slow},requests=${requests}`
    })
    const [rollout] = planned.rollouts
    expect(rollout?.requests).toMatchObject({ lost: 0, unfound: tier === "back" ? ["web"] : [] })
    const predicates = parsePredicates("lost>0,lost>99%")
    if (!predicates.ok) throw new Error("these can be read")
    expect(failedPredicates(planned, predicates.value).map(({ actual }) => actual)).toEqual(tripped)
  })
})

it("quotas say how much was used of them at the most, with any seed", async () => {
  const quota = {
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { name: "compute" },
    spec: {
      hard: {
        pods: "9",
        "requests.cpu": "2",
        "ephemeral-storage": "4Gi",
        services: "5",
        "requests.storage": "1Gi"
      }
    }
  }
  const container = { ...probe, resources: { requests: { cpu: "250m" } } }
  const plan = await planNext(
    { replicas: 4, spec: rolling(2, 0), container },
    { assume: slow, beside: [quota] }
  )
  expect(plan.quotas).toEqual([
    {
      namespace: "default",
      name: "compute",
      resource: "ephemeral-storage",
      most: "0",
      hard: "4Gi",
      others: "0"
    },
    // Four, two more, and two on their way out; those count until they have stopped.
    { namespace: "default", name: "compute", resource: "pods", most: "8", hard: "9", others: "0" },
    { namespace: "default", name: "compute", resource: "requests.cpu", most: "2", hard: "2", others: "0" }
  ])
})
