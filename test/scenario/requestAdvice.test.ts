import { describe, expect, it } from "vitest"
import { planNext, planOf, probe, rolling, service, sleeps, slow } from "./planWorlds.ts"

const beside = [service]

describe("advice on requests", () => {
  const rows: ReadonlyArray<{
    readonly why: string
    readonly container: object
    readonly podSpec?: object
    readonly spec?: object
    readonly assume?: string
    readonly advice: ReadonlyArray<RegExp>
  }> = [
    {
      why: "Pods stop at once",
      container: probe,
      advice: [
        /^nothing holds Pods up .* for 1s: up to \d+ requests are lost\. Say .*sleep\.seconds: 1 or more$/
      ]
    },
    {
      why: "they sleep too short a while",
      container: sleeps(2),
      assume: `${slow},propagation=5s`,
      advice: [
        /^preStop holds Pods up for 2s .* for 5s: .* Say lifecycle\.preStop\.sleep\.seconds: 5 or more$/
      ]
    },
    ...[
      { why: "a script", preStop: { exec: { command: ["/drain.sh"] } } },
      { why: "a program", preStop: { exec: { command: ["/usr/sbin/nginx", "-s", "quit"] } } },
      { why: "a sleep without end", preStop: { exec: { command: ["sleep", "infinity"] } } },
      { why: "a request", preStop: { httpGet: { path: "/drain", port: 80 } } }
    ].map(({ why, preStop }) => ({
      why: `nobody knows how long their hook takes: ${why}`,
      container: { ...probe, lifecycle: { preStop } },
      advice: [
        /^how long preStop holds Pods up is not known here, and it was played as 0s: clients .* for 1s, and up to \d+ requests are lost where it is over before that$/
      ]
    })),
    { why: "nothing where they sleep long enough", container: sleeps(1), advice: [] },
    {
      why: "the grace is over before they have stopped",
      container: sleeps(20),
      podSpec: { terminationGracePeriodSeconds: 22 },
      advice: [/^preStop takes 20s, and stopping up to 5s more: termination.*: 22 is over .* Say 25 or more$/]
    },
    {
      why: "nothing holds them up, and all the same they take longer than they are given",
      container: sleeps(1),
      assume: "schedule=0s,pull=0s,start=1s,ready=0s,terminate=45s",
      advice: [/^preStop takes 1s, and stopping up to 45s more: termination.*: 30 is over .* Say 46 or more$/]
    },
    {
      why: "each turn waits for minReadySeconds",
      container: sleeps(1),
      spec: { minReadySeconds: 60 },
      advice: [
        /^minReadySeconds: 60 is waited for 4 times, one after another: 240s of 280s\. A larger maxSurge/
      ]
    }
  ]
  it.for(rows)("$why", async ({ container, podSpec, spec, assume = slow, advice }) => {
    const plan = await planNext(
      { replicas: 4, container, spec: { ...rolling(1, 0), ...spec }, ...(podSpec && { podSpec }) },
      { assume, beside }
    )
    expect(plan.advice).toHaveLength(advice.length)
    for (const [index, pattern] of advice.entries()) expect(plan.advice[index]).toMatch(pattern)
  })

  const named = (name: string, more: object = {}) => ({ name, image: `${name}:v1`, ...more })
  const hook = (seconds: number) => ({ lifecycle: sleeps(seconds).lifecycle })
  const serving = { ...sleeps(0), ports: [{ containerPort: 80 }] }
  const several: ReadonlyArray<{
    readonly why: string
    readonly podSpec: object
    readonly assume?: string
    readonly lost: number
    readonly advice: ReadonlyArray<string>
  }> = [
    {
      why: "nothing where those that requests go to sleep long enough, and others are not asked by any probe",
      podSpec: { containers: [named("api", { ...serving, ...sleeps(2) }), named("exporter")] },
      lost: 0,
      advice: []
    },
    {
      why: "the one that requests go to stops at once, however long another sleeps",
      podSpec: { containers: [named("api", serving), named("exporter", sleeps(2))] },
      lost: 100,
      advice: [
        'nothing holds container "api" up when its Pod is told to stop, and clients go on sending to it for 1s: ' +
          "up to 100 requests are lost. Say lifecycle.preStop.sleep.seconds: 1 or more"
      ]
    },
    {
      why: "the one that requests go to has a hook of which nobody knows how long it takes",
      podSpec: {
        containers: [
          named("api", { ...serving, lifecycle: { preStop: { exec: { command: ["/drain.sh"] } } } }),
          named("exporter")
        ]
      },
      lost: 100,
      advice: [
        'how long preStop holds container "api" up is not known here, and it was played as 0s: clients go on sending ' +
          "to it for 1s, and up to 100 requests are lost where it is over before that"
      ]
    },
    {
      why: "a hook of which nobody knows how long it takes helps none beside it",
      podSpec: {
        containers: [
          named("api", { ...serving, lifecycle: { preStop: { exec: { command: ["/drain.sh"] } } } }),
          named("admin", { ...probe, ports: serving.ports, lifecycle: {} })
        ]
      },
      lost: 100,
      advice: [
        'nothing holds container "admin" up when its Pod is told to stop, and clients go on sending to it for 1s: ' +
          "up to 100 requests are lost. Say lifecycle.preStop.sleep.seconds: 1 or more"
      ]
    },
    {
      why: "one that nobody asks whether it answers is told of where requests go to it, and not beside it",
      podSpec: {
        containers: [named("api", { ports: serving.ports, ...hook(9) }), named("exporter", hook(9))]
      },
      assume: "schedule=0s,pull=0s,start=1s,ready=2s,terminate=5s",
      // One of two for the second in which clients know of it and it does not answer yet.
      lost: 50,
      advice: [
        'container "api" has no readinessProbe and takes up to 2s to answer: Kubernetes counts it as available the ' +
          "moment it runs, and requests are lost until then"
      ]
    },
    {
      why: "it sleeps for too short a while",
      podSpec: { containers: [named("api", { ...serving, ...sleeps(2) }), named("exporter", sleeps(9))] },
      assume: `${slow},propagation=3s`,
      lost: 100,
      advice: [
        'container "api" is held up for 2s when its Pod is told to stop, and clients go on sending to it for 3s: ' +
          "up to 100 requests are lost. Say lifecycle.preStop.sleep.seconds: 3 or more"
      ]
    },
    {
      why: "nothing where a sidecar that requests go to waits for the others",
      podSpec: {
        containers: [named("app", probe)],
        initContainers: [named("proxy", { ...serving, restartPolicy: "Always" })]
      },
      lost: 0,
      advice: []
    },
    {
      why: "the grace is over before a sidecar has waited for the others and stopped",
      podSpec: {
        containers: [named("app", sleeps(10))],
        initContainers: [named("proxy", { ...serving, restartPolicy: "Always" })],
        terminationGracePeriodSeconds: 17
      },
      lost: 0,
      advice: [
        'container "proxy" is held up for 15s, and stopping up to 5s more: terminationGracePeriodSeconds: 17 is over ' +
          "before that, and what they are at is cut off. Say 20 or more"
      ]
    }
  ]
  it.for(several)("of several containers: $why", async ({ podSpec, assume = slow, lost, advice }) => {
    const manifest = { replicas: 2, podSpec, spec: rolling(1, 0) }
    const next = { ...manifest, podSpec: { ...podSpec, hostname: "next" } }
    const { rollouts } = await planOf({ from: manifest, next, assume, beside })
    expect(rollouts[0]?.requests?.lost).toBe(lost)
    expect(rollouts[0]?.advice).toEqual(advice)
  })

  const ready = "schedule=0s,pull=0s,start=1s,ready=5s,terminate=5s"
  const publishing = { ...service, spec: { ...service.spec, publishNotReadyAddresses: true } }
  const other = { ...service, metadata: { name: "other" } }
  const says = expect.stringMatching(/^container "api" has no readinessProbe and takes up to 5s to answer/)
  const probeless: ReadonlyArray<{
    readonly why: string
    readonly containers: ReadonlyArray<object>
    readonly services: ReadonlyArray<object>
    readonly advice: ReadonlyArray<unknown>
  }> = [
    {
      why: "where requests would wait for it",
      containers: [named("api", hook(9))],
      services: [service],
      advice: [says]
    },
    {
      why: "where some would",
      containers: [named("api", hook(9))],
      services: [publishing, other],
      advice: [says]
    },
    {
      why: "not where none would, as all are sent to Pods that are not ready",
      containers: [named("api", hook(9))],
      services: [publishing],
      advice: []
    },
    {
      why: "not where its Pod is no sooner ready than it answers",
      containers: [named("api", hook(9)), named("app", sleeps(9))],
      services: [publishing, other],
      advice: []
    }
  ]
  it.for(probeless)("of no readinessProbe: $why", async ({ containers, services, advice }) => {
    const podSpec = { containers: [...containers] }
    const manifest = { replicas: 2, podSpec, spec: rolling(1, 0) }
    const next = { ...manifest, podSpec: { ...podSpec, hostname: "next" } }
    const { rollouts } = await planOf({ from: manifest, next, assume: ready, beside: services })
    expect(rollouts[0]?.requests?.because.starting).not.toBe(0)
    expect(rollouts[0]?.advice).toEqual(advice)
  })

  const turnless: ReadonlyArray<{
    readonly why: string
    readonly from?: Parameters<typeof planOf>[0]["next"]
    readonly next: Parameters<typeof planOf>[0]["next"]
    readonly start: string
  }> = [
    {
      why: "no turns of what is new: all begin at once",
      next: { replicas: 8, spec: { ...rolling(1, 0), minReadySeconds: 30 } },
      start: "10s"
    },
    {
      why: "no turns where there are only more of them, however long each takes",
      from: { replicas: 1, spec: { ...rolling(1, 0), minReadySeconds: 10 } },
      next: { replicas: 3, spec: { ...rolling(1, 0), minReadySeconds: 10 } },
      start: "30s"
    },
    {
      why: "no minReadySeconds of 0, where all takes no time",
      from: { replicas: 8, spec: rolling(1, 0) },
      next: { replicas: 8, spec: rolling(1, 0), version: "v2" },
      start: "0s"
    }
  ]
  it.for(turnless)("$why", async ({ from, next, start }) => {
    const assume = `schedule=0s,pull=0s,start=${start},ready=0s,terminate=0s`
    const { rollouts } = await planOf({ from, next, assume })
    expect(rollouts[0]?.advice).toEqual([])
  })

  it("Pods that fail soon after they were ready", async () => {
    const behaviours = [
      { name: "relapse", match: { image: "*:v2" }, exit: { after: "2s", code: 1, times: 1 } }
    ] as const
    const plan = await planNext(
      { replicas: 3, spec: rolling(1, 0), container: sleeps(1) },
      { world: { behaviours }, beside }
    )
    expect(plan.advice).toEqual([expect.stringMatching(/^minReadySeconds: 0 .* Say \d+ or more$/)])
  })
})
