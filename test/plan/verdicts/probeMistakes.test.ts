import { describe, expect, it } from "vitest"
import { httpProbe, objectText, web } from "./mistakenManifests.ts"
import { planMistake } from "./planMistake.ts"
import type { Mistake } from "./planMistake.ts"

const jobOf = (commandAndProbes: string): string =>
  objectText(
    "batch/v1",
    "Job",
    "web",
    `spec: { template: { spec: { restartPolicy: Never, containers: [{ name: app, image: "app:1", command: ${commandAndProbes} }] } } }`
  )

const rows: ReadonlyArray<Mistake> = [
  {
    why: "the readiness probe asks a port by a name that nothing declares",
    next: [web({ container: httpProbe("readinessProbe", "web") })],
    verdict: "stuck",
    reasons: ['never completes: readinessProbe of container "app" asks port "web", which it does not declare']
  },
  {
    why: "the kubelet cannot ask the liveness probe, whose port has no such name",
    next: [
      web({
        container: `${httpProbe("readinessProbe", "http")}, ${httpProbe("livenessProbe", "admin", ", periodSeconds: 1")}`,
        spec: "minReadySeconds: 10"
      })
    ],
    verdict: "risky",
    reasons: [
      'livenessProbe of container "app" asks port "admin", which it does not declare, so that the kubelet cannot ask it'
    ]
  },
  {
    why: "the kubelet cannot ask the liveness probe, whose program has its arguments in its name",
    next: [
      web({
        container: `${httpProbe("readinessProbe", "http")}, livenessProbe: { periodSeconds: 1, exec: { command: ["check -f"] } }`,
        spec: "minReadySeconds: 10"
      })
    ],
    verdict: "risky",
    reasons: [
      'livenessProbe of container "app" has no program "check -f": each argument is an item of its own in command, so that the kubelet cannot ask it'
    ]
  },
  {
    why: "the kubelet cannot ask the startup probe, and so never ends the container by it",
    next: [
      web({
        container: `${httpProbe("readinessProbe", "http")}, ${httpProbe("startupProbe", "admin", ", failureThreshold: 1")}`
      })
    ],
    verdict: "stuck",
    reasons: ['never completes: startupProbe of container "app" asks port "admin", which it does not declare']
  },
  {
    why: "a Job's container ends, although the kubelet cannot ask its startup probe",
    next: [jobOf(`["sleep", "60"], ${httpProbe("startupProbe", "admin")}`)],
    verdict: "ships"
  },
  {
    why: "a Job's container never ends, whatever its readiness probe and a startup probe that cannot be asked do",
    next: [
      jobOf(
        `["sleep", "infinity"], ${httpProbe("startupProbe", "admin")}, readinessProbe: { exec: { command: ["false"] } }`
      )
    ],
    verdict: "stuck",
    reasons: ['never completes: container "app" never ends: it runs "sleep infinity"']
  },
  {
    why: "a failing startup probe ends a Job's container before it has ended",
    next: [jobOf('["work"], startupProbe: { failureThreshold: 1, exec: { command: ["false"] } }')],
    options: { assume: "ready=60s" },
    verdict: "stuck",
    reasons: [
      'never completes: job "web" has failed: Job has reached the specified backoff limit',
      'startupProbe of container "app" runs "false", which fails'
    ]
  },
  {
    why: "the command of the liveness probe fails",
    next: [
      web({
        container: `${httpProbe("readinessProbe", "http")}, livenessProbe: { exec: { command: ["false"] } }`
      })
    ],
    verdict: "risky",
    reasons: ['livenessProbe of container "app" runs "false", which fails, and so ends it again and again']
  },
  {
    why: "the command of the readiness probe fails",
    next: [web({ container: "readinessProbe: { exec: { command: [sh, -c, 'exit 1'] } }" })],
    verdict: "stuck",
    reasons: ['never completes: readinessProbe of container "app" runs "exit 1", which fails']
  },
  {
    why: "the command of the readiness probe takes longer than its timeout",
    next: [web({ container: "readinessProbe: { exec: { command: [sh, -c, 'sleep 5; check'] } }" })],
    verdict: "stuck",
    reasons: [
      'never completes: readinessProbe of container "app" runs "sleep 5; check", which takes longer than timeoutSeconds: 1'
    ]
  },
  {
    why: "the command of the readiness probe has the time that it takes",
    next: [
      web({
        container: "readinessProbe: { timeoutSeconds: 9, exec: { command: [sh, -c, 'sleep 5; check'] } }"
      })
    ],
    verdict: "ships"
  },
  {
    why: "a probe asks another port than the declared one",
    next: [web({ container: httpProbe("readinessProbe", "9090") })],
    verdict: "ships",
    warnings: [
      'Deployment/web: readinessProbe of container "app" asks port 9090, which is not among its ports'
    ]
  },
  {
    why: "a liveness probe of its own path gives up before the application has started",
    next: [
      web({
        container: `${httpProbe("readinessProbe", "http")}, ${httpProbe("livenessProbe", "http", ", periodSeconds: 5, failureThreshold: 2")}`
      })
    ],
    options: { assume: "ready=60s" },
    verdict: "stuck"
  },
  {
    why: "a liveness probe gives up after the rollout is complete, since no readiness probe waits for the start",
    next: [web({ container: httpProbe("livenessProbe", "http", ", periodSeconds: 5, failureThreshold: 2") })],
    options: { assume: "ready=60s" },
    verdict: "risky",
    reasons: ['livenessProbe of container "app" ends it again and again before it answers']
  },
  {
    why: "the liveness probe waits for the start",
    next: [
      web({ container: httpProbe("livenessProbe", "http", ", periodSeconds: 5, initialDelaySeconds: 90") })
    ],
    options: { assume: "ready=60s" },
    verdict: "ships"
  }
]

describe("a plan of a container with a probe", () => {
  it.for(rows)("is $verdict where $why", async (row) => {
    expect(await planMistake(row)).toEqual(row)
  })
})
