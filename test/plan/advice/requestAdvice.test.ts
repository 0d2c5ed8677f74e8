import { describe, expect, it } from "vitest"
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
      container: readinessProbed,
      advice: [
        /^nothing holds Pods up .* for 1s: up to \d+ requests are lost\. Say .*sleep\.seconds: 1 or more$/
      ]
    },
    {
      why: "preStop sleeps too short",
      container: preStopSleep(2),
      assume: `${slowPods},propagation=5s`,
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
      why: `preStop takes an unknown time: ${why}`,
      container: { ...readinessProbed, lifecycle: { preStop } },
      advice: [
        /^how long preStop holds Pods up is not known here, and it was played as 0s: clients .* for 1s, and up to \d+ requests are lost where it is over before that$/
      ]
    })),
    { why: "none when preStop sleeps long enough", container: preStopSleep(1), advice: [] },
    {
      why: "the grace period ends before Pods have stopped",
      container: preStopSleep(20),
      podSpec: { terminationGracePeriodSeconds: 22 },
      advice: [/^preStop takes 20s, and stopping up to 5s more: termination.*: 22 is over .* They need 25$/]
    },
    {
      why: "stopping takes longer than the grace period",
      container: preStopSleep(1),
      assume: "schedule=0s,pull=0s,start=1s,ready=0s,terminate=45s",
      advice: [/^preStop takes 1s, and stopping up to 45s more: termination.*: 30 is over .* They need 46$/]
    },
    {
      why: "minReadySeconds delays each turn",
      container: preStopSleep(1),
      spec: { minReadySeconds: 60 },
      advice: [
        /^minReadySeconds: 60 is waited for 4 times, one after another: 240s of 280s\. Say maxSurge: 2, which takes fewer turns$/
      ]
    }
  ]
  it.for(rows)("$why", async ({ container, podSpec, spec, assume = slowPods, advice }) => {
    const plan = await planNext(
      { replicas: 4, container, spec: { ...rolling(1, 0), ...spec }, ...(podSpec && { podSpec }) },
      { assume, beside }
    )
    const texts = adviceTexts(plan)
    expect(texts).toHaveLength(advice.length)
    for (const [index, pattern] of advice.entries()) expect(texts[index]).toMatch(pattern)
  })

  const named = (name: string, more: object = {}) => ({ name, image: `${name}:v1`, ...more })
  const hook = (seconds: number) => ({ lifecycle: preStopSleep(seconds).lifecycle })
  const serving = { ...preStopSleep(0), ports: [{ containerPort: 80 }] }
  const severalContainers: ReadonlyArray<{
    readonly why: string
    readonly podSpec: object
    readonly assume?: string
    readonly lost: number
    readonly advice: ReadonlyArray<string>
  }> = [
    {
      why: "none when the serving container sleeps long enough",
      podSpec: { containers: [named("api", { ...serving, ...preStopSleep(2) }), named("exporter")] },
      lost: 0,
      advice: []
    },
    {
      why: "the serving container stops at once while another sleeps",
      podSpec: { containers: [named("api", serving), named("exporter", preStopSleep(2))] },
      lost: 100,
      advice: [
        'nothing holds container "api" up when its Pod is told to stop, and clients go on sending to it for 1s: ' +
          "up to 100 requests are lost. Say lifecycle.preStop.sleep.seconds: 1 or more"
      ]
    },
    {
      why: "the serving container stops at once, and its Pod has no grace period",
      podSpec: { terminationGracePeriodSeconds: 0, containers: [named("api", serving)] },
      lost: 100,
      advice: [
        "nothing holds Pods up that are told to stop, and clients go on sending to them for 1s: up to 100 requests are " +
          "lost. Say lifecycle.preStop.sleep.seconds: 1 or more, and terminationGracePeriodSeconds: 6",
        "Pods take up to 5s to stop: terminationGracePeriodSeconds: 0 is over before that, and what they are doing is " +
          "cut off. They need 5"
      ]
    },
    {
      why: "the serving container has a hook of unknown duration",
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
      why: "a hook of unknown duration does not help another container",
      podSpec: {
        containers: [
          named("api", { ...serving, lifecycle: { preStop: { exec: { command: ["/drain.sh"] } } } }),
          named("admin", { ...readinessProbed, ports: serving.ports, lifecycle: {} })
        ]
      },
      lost: 100,
      advice: [
        'nothing holds container "admin" up when its Pod is told to stop, and clients go on sending to it for 1s: ' +
          "up to 100 requests are lost"
      ]
    },
    {
      why: "only the serving container without a readinessProbe is named",
      podSpec: {
        containers: [named("exporter", hook(9)), named("api", { ports: serving.ports, ...hook(9) })]
      },
      assume: "schedule=0s,pull=0s,start=1s,ready=2s,terminate=5s",
      // One of two Pods, twice, for the second in which it is an endpoint and does not answer.
      lost: 100,
      advice: [
        'container "api" has no readinessProbe and takes up to 2s to answer: Kubernetes counts it as available the ' +
          "moment it runs, and requests are lost until then. Say readinessProbe.tcpSocket.port: 80 with periodSeconds: " +
          "5, or better, httpGet of a path that it answers when it is ready"
      ]
    },
    {
      why: "the serving container sleeps too short",
      podSpec: {
        containers: [named("api", { ...serving, ...preStopSleep(2) }), named("exporter", preStopSleep(9))]
      },
      assume: `${slowPods},propagation=3s`,
      lost: 100,
      advice: [
        'container "api" is held up for 2s when its Pod is told to stop, and clients go on sending to it for 3s: ' +
          "up to 100 requests are lost. Say lifecycle.preStop.sleep.seconds: 3 or more"
      ]
    },
    {
      why: "none for a serving sidecar, which stops after the others",
      podSpec: {
        containers: [named("app", readinessProbed)],
        initContainers: [named("proxy", { ...serving, restartPolicy: "Always" })]
      },
      lost: 0,
      advice: []
    },
    {
      why: "the grace period ends before a sidecar has stopped",
      podSpec: {
        containers: [named("app", preStopSleep(10))],
        initContainers: [named("proxy", { ...serving, restartPolicy: "Always" })],
        terminationGracePeriodSeconds: 17
      },
      lost: 0,
      advice: [
        'container "proxy" is held up for 15s, and stopping up to 5s more: terminationGracePeriodSeconds: 17 is over ' +
          "before that, and what they are doing is cut off. They need 20"
      ]
    }
  ]
  it.for(severalContainers)(
    "of several containers: $why",
    async ({ podSpec, assume = slowPods, lost, advice }) => {
      const manifest = { replicas: 2, podSpec, spec: rolling(1, 0) }
      const next = { ...manifest, podSpec: { ...podSpec, hostname: "next" } }
      const { rollouts } = await planOf({ from: manifest, next, assume, beside })
      expect(rollouts[0]?.requests?.lost).toBe(lost)
      expect(rollouts.flatMap(adviceTexts)).toEqual(advice)
    }
  )

  const ready = "schedule=0s,pull=0s,start=1s,ready=5s,terminate=5s"
  const publishing = { ...service, spec: { ...service.spec, publishNotReadyAddresses: true } }
  const other = { ...service, metadata: { name: "other" } }
  const noProbeAdvice = expect.stringMatching(
    /^container "api" has no readinessProbe and takes up to 5s to answer/
  )
  const withoutProbe: ReadonlyArray<{
    readonly why: string
    readonly containers: ReadonlyArray<object>
    readonly services: ReadonlyArray<object>
    readonly advice: ReadonlyArray<unknown>
  }> = [
    {
      why: "given when requests go to the container",
      containers: [named("api", hook(9))],
      services: [service],
      advice: [noProbeAdvice]
    },
    {
      why: "given when some Services wait for readiness",
      containers: [named("api", hook(9))],
      services: [publishing, other],
      advice: [noProbeAdvice]
    },
    {
      why: "not given when all Services publish unready addresses",
      containers: [named("api", hook(9))],
      services: [publishing],
      advice: []
    },
    {
      why: "not given when another container delays the Pod's readiness",
      containers: [named("api", hook(9)), named("app", preStopSleep(9))],
      services: [publishing, other],
      advice: []
    }
  ]
  it.for(withoutProbe)("of no readinessProbe: $why", async ({ containers, services, advice }) => {
    const podSpec = { containers: [...containers] }
    const manifest = { replicas: 2, podSpec, spec: rolling(1, 0) }
    const next = { ...manifest, podSpec: { ...podSpec, hostname: "next" } }
    const { rollouts } = await planOf({ from: manifest, next, assume: ready, beside: services })
    expect(rollouts[0]?.requests?.because.starting).not.toBe(0)
    expect(rollouts.flatMap(adviceTexts)).toEqual(advice)
  })

  const withoutTurnAdvice: ReadonlyArray<{
    readonly why: string
    readonly from?: Parameters<typeof planOf>[0]["next"]
    readonly next: Parameters<typeof planOf>[0]["next"]
    readonly start: string
  }> = [
    {
      why: "none on turns for a new Deployment",
      next: { replicas: 8, spec: { ...rolling(1, 0), minReadySeconds: 30 } },
      start: "10s"
    },
    {
      why: "none on turns when only replicas change",
      from: { replicas: 1, spec: { ...rolling(1, 0), minReadySeconds: 10 } },
      next: { replicas: 3, spec: { ...rolling(1, 0), minReadySeconds: 10 } },
      start: "30s"
    },
    {
      why: "none on minReadySeconds: 0 when Pods take no time",
      from: { replicas: 8, spec: rolling(1, 0) },
      next: { replicas: 8, spec: rolling(1, 0), version: "v2" },
      start: "0s"
    }
  ]
  it.for(withoutTurnAdvice)("$why", async ({ from, next, start }) => {
    const assume = `schedule=0s,pull=0s,start=${start},ready=0s,terminate=0s`
    const { rollouts } = await planOf({ from, next, assume })
    expect(rollouts.flatMap(adviceTexts)).toEqual([])
  })

  it("minReadySeconds for Pods that fail soon after they were ready", async () => {
    const behaviours = [
      { name: "relapse", match: { image: "*:v2" }, exit: { after: "2s", code: 1, times: 1 } }
    ] as const
    const plan = await planNext(
      { replicas: 3, spec: rolling(1, 0), container: preStopSleep(1) },
      { planWorld: { behaviours }, beside }
    )
    expect(adviceTexts(plan)).toEqual([expect.stringMatching(/^minReadySeconds: 0 .* Say \d+ or more$/)])
  })
})
