import { describe, expect, it } from "vitest"
import { quotaManifest } from "../../builders.ts"
import { parsePredicates, findTruePredicates } from "../../../src/plan/predicates.ts"
import { deploymentManifest } from "../../cluster/testCluster.ts"
import {
  adviceTexts,
  planNext,
  planOf,
  readinessProbed,
  rolling,
  service,
  preStopSleep,
  slowPods
} from "../planManifests.ts"

const beside = [service]

describe("the lost requests of a rollout", () => {
  it("are those sent to terminating Pods", async () => {
    const { requests } = await planNext(
      { replicas: 2, spec: rolling(1, 0), container: readinessProbed },
      { assume: slowPods, beside, seeds: 2 }
    )
    // One of two Pods for a second, twice.
    expect(requests).toEqual({
      services: ["web"],
      unfound: [],
      // Twenty seconds, and one until clients know the last endpoints.
      requests: 2100,
      lost: 100,
      lostHalf: 100,
      because: { stopping: 100, starting: 0, failing: 0, noEndpoint: 0 },
      seed: 1
    })
  })

  it("follow the assumed rate and propagation", async () => {
    const { requests } = await planNext(
      { replicas: 2, spec: rolling(1, 0), container: readinessProbed },
      { assume: `${slowPods},requests=600/m,propagation=3s`, beside }
    )
    expect(requests).toMatchObject({ requests: 230, lost: 30 })
  })

  it("are none when preStop sleeps long enough", async () => {
    const { requests } = await planNext(
      { replicas: 2, spec: rolling(1, 0), container: preStopSleep(2) },
      { assume: slowPods, beside }
    )
    expect(requests).toMatchObject({ lost: 0, because: { stopping: 0 } })
  })

  it("are all during the gap of Recreate", async () => {
    const { requests } = await planNext(
      { replicas: 2, spec: { strategy: { type: "Recreate" } }, container: readinessProbed },
      { assume: slowPods, beside }
    )
    // Five seconds to stop, ten to start, one to propagate.
    expect(requests).toMatchObject({ lost: 1600, requests: 1600 })
  })

  it("include those to Pods without a readiness probe that do not answer yet", async () => {
    const plan = await planNext(
      { replicas: 2, spec: rolling(1, 0) },
      { assume: "schedule=0s,pull=0s,start=0s,ready=30s,terminate=0s", beside }
    )
    // The rollout completes at once, and no Pod answers for 30 s.
    expect(plan).toMatchObject({ duration: { worst: 0 }, requests: { lost: 3000, requests: 3000 } })
    expect(adviceTexts(plan)).toContainEqual(
      expect.stringMatching(/^container "app" has no readinessProbe and takes up to 30s to answer/)
    )
  })

  it("go on after the rollout until the last Pod without a readiness probe answers", async () => {
    const plan = await planNext(
      { replicas: 1, container: { lifecycle: { preStop: { sleep: { seconds: 2 } } } } },
      { assume: "schedule=0s,pull=0s,start=2s,ready=8s,terminate=1s", beside }
    )
    // Clients leave the old Pod after 3 s, and the new one answers after 10 s.
    expect(plan).toMatchObject({ duration: { worst: 2000 }, requests: { lost: 700, requests: 1000 } })
  })

  it("are not counted for a new Deployment or without a Service", async () => {
    const { rollouts } = await planOf({ next: { replicas: 2 }, beside, assume: slowPods })
    expect(rollouts[0]?.requests).toBeUndefined()
    const another = { ...service, spec: { ...service.spec, selector: { app: "another" } } }
    expect(
      (await planNext({ replicas: 2 }, { assume: slowPods, beside: [another] })).requests
    ).toBeUndefined()
  })
})

it("requests count for a Service that existed before, and not for one that the rollout creates", async () => {
  const another = { ...service, spec: { ...service.spec, selector: { app: "another" } } }
  const made = { ...service, metadata: { name: "made" } }
  const container = preStopSleep(20)
  const rows: ReadonlyArray<
    readonly [fromBeside: ReadonlyArray<object>, beside: ReadonlyArray<object>, object]
  > = [
    [[service], [service, made], { services: ["web"], lost: 0 }],
    // Clients know no endpoint until the new ones have propagated.
    [[another], [service], { services: ["web"], lost: 100, because: { noEndpoint: 100 } }]
  ]
  for (const [fromBeside, beside, requests] of rows)
    expect(
      await planNext({ replicas: 2, container }, { assume: slowPods, fromBeside, beside })
    ).toMatchObject({
      requests
    })
  const alone = await planNext(
    { replicas: 2, container },
    { assume: slowPods, fromBeside: [], beside: [made] }
  )
  expect(alone.requests).toBeUndefined()
})

describe("a Service whose targetPort is a name", () => {
  const declaring = (name: string) => ({ ...preStopSleep(20), ports: [{ name, containerPort: 80 }] })
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
      why: "loses all requests afterwards when the new Pods do not declare the port",
      front: targeting("app"),
      warnings: [`${warning}, as its targetPort says`]
    },
    {
      why: "loses all requests afterwards when they declare none of several ports",
      front: targeting("app", "grpc"),
      warnings: [`${warning} or a TCP port named grpc, as its targetPort says`]
    },
    { why: "goes on when they declare the port", next: "app", front: targeting("app") },
    { why: "goes on when they declare another of its ports", front: targeting("app", "web") },
    { why: "goes on when one targetPort is a number", front: targeting("app", 80) },
    { why: "goes on when it is headless", front: headless }
  ]
  it.for(rows)("$why", async ({ next = "web", front, warnings = [] }) => {
    const manifest = { replicas: 2, spec: rolling(1, 0) }
    const planned = await planOf({
      from: { ...manifest, container: declaring("app") },
      next: { ...manifest, version: "v2", container: declaring(next) },
      beside: [front],
      assume: slowPods
    })
    // The last old Pod serves longer than the rollout takes.
    const unfound = warnings.length > 0 ? ["web"] : []
    expect(planned.rollouts[0]?.requests).toMatchObject({ unfound, lost: 0 })
    expect(planned.warnings).toEqual(warnings)
  })
})

describe("a Service that selects the Pods before and not after", () => {
  const labelled = (tier: string, container: object = readinessProbed) => ({
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
    ...deploymentManifest({ name: "other", replicas: 1 }),
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
      why: "is warned of when the new template has another label",
      tier: "back",
      beside: [front],
      services: ["web"],
      warnings: [
        "Service/web selects tier=front and finds the Pods of Deployment/web before its rollout, but none that it " +
          "makes: they have app=web,tier=back"
      ]
    },
    {
      why: "is warned of when its selector changes",
      tier: "front",
      beside: [selecting({ tier: "nothing" })],
      services: ["web"],
      warnings: [expect.stringContaining("Service/web selects tier=nothing and finds")]
    },
    {
      why: "is not warned of when it selects the Pods of another Deployment",
      tier: "front",
      beside: [selecting({ tier: "next" }), other],
      services: ["web"],
      warnings: []
    },
    {
      why: "is warned of when only Pods of another Deployment are left",
      tier: "back",
      beside: [selecting({ app: "web", tier: "front" }), other],
      services: ["web"],
      warnings: [expect.stringContaining("Service/web selects app=web,tier=front")]
    },
    {
      why: "is not warned of when it selects both",
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
      assume: slowPods
    })
    expect(rollouts.find(({ name }) => name === "web")?.requests?.services).toEqual(services)
    expect(planned.warnings).toEqual(warnings)
  })

  it("loses requests to terminating Pods", async () => {
    const { rollouts } = await planOf({
      from: labelled("front"),
      next: labelled("back"),
      beside: [front],
      assume: slowPods
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
      why: "loses all requests afterwards, and none during the rollout",
      tier: "back",
      requests: "100/s",
      tripped: [Infinity, Infinity]
    },
    { why: "loses nothing without requests", tier: "back", requests: "0", tripped: [] },
    { why: "loses nothing when it selects the new Pods", tier: "front", requests: "100/s", tripped: [] }
  ]
  it.for(afterwards)("$why", async ({ tier, requests, tripped }) => {
    const planned = await planOf({
      from: labelled("front", preStopSleep(20)),
      next: { ...labelled(tier, preStopSleep(20)), version: "v2" },
      beside: [front],
      assume: `${slowPods},requests=${requests}`
    })
    const [rollout] = planned.rollouts
    expect(rollout?.requests).toMatchObject({ lost: 0, unfound: tier === "back" ? ["web"] : [] })
    const predicates = parsePredicates("lost>0,lost>99%")
    if (!predicates.ok) throw new Error("these can be read")
    expect(findTruePredicates(planned, predicates.value).map(({ actual }) => actual)).toEqual(tripped)
  })
})

it("quotas have their peak use of all seeds", async () => {
  const quota = quotaManifest(
    {
      pods: "9",
      "requests.cpu": "2",
      "ephemeral-storage": "4Gi",
      services: "5",
      "requests.storage": "1Gi"
    },
    "compute"
  )
  const container = { ...readinessProbed, resources: { requests: { cpu: "250m" } } }
  const plan = await planNext(
    { replicas: 4, spec: rolling(2, 0), container },
    { assume: slowPods, beside: [quota] }
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
    // Four, two more, and two terminating, which count until they have stopped.
    { namespace: "default", name: "compute", resource: "pods", most: "8", hard: "9", others: "0" },
    { namespace: "default", name: "compute", resource: "requests.cpu", most: "2", hard: "2", others: "0" }
  ])
})
