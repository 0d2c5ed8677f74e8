import { expect, it } from "vitest"
import { plan } from "../../src/plan/plan.ts"
import { quotaManifest } from "../builders.ts"
import { rolling, service } from "./planManifests.ts"
import type { Behaviour } from "../../src/behaviours/behaviour.ts"
import type { Manifest } from "../../src/kubernetes/meta/objects.ts"
import type { PlanOptions } from "../../src/plan/plan.ts"

interface Workload {
  readonly kind?: "Deployment" | "StatefulSet" | "DaemonSet"
  readonly spec?: object
  readonly pod?: object
  readonly container?: object
}

interface Computed {
  /** Until the rollout is complete; null if it never is. */
  readonly seconds: number | null
  readonly fewest?: number
  readonly most?: number
  readonly mostWithTerminating?: number
  readonly lost?: number
  readonly missedAt?: number
}

interface Row extends Workload {
  /** From `next` the new version has another size or spec. */
  readonly next?: object
  /** How new Pods live, if another way than old ones. */
  readonly nextLife?: Partial<Behaviour>
  readonly life?: Partial<Behaviour>
  readonly beside?: ReadonlyArray<Manifest>
  readonly options?: Partial<PlanOptions>
  readonly computed: Computed
}

/** c: creation of a Pod; ready at c+1 unless a probe, a hook or `life` says otherwise; gone 3 s after its deletion. */
const life: Behaviour = {
  name: "fixed",
  schedule: "0s",
  pull: { delay: "0s" },
  start: "1s",
  ready: "0s",
  terminate: "3s"
}

const workload = ({ kind = "Deployment", spec, pod, container }: Workload, version: string): Manifest => ({
  apiVersion: "apps/v1",
  kind,
  metadata: { name: "web" },
  spec: {
    ...(kind === "StatefulSet" ? { serviceName: "web" } : {}),
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "app", image: `app:${version}`, ...container }], ...pod }
    },
    ...spec
  }
})

const probe = (fields: object) => ({ httpGet: { port: 80 }, ...fields })
const readiness = (fields: object) => ({ readinessProbe: probe(fields) })
const recreate = { strategy: { type: "Recreate" } }
const preStop = (seconds: number) => ({ lifecycle: { preStop: { sleep: { seconds } } } })
const slow: Partial<Behaviour> = { ready: "4s" }
/** Ready at c+6: runs at c+1, answers at c+5, and is asked at c+1 and c+6. */
const everyFive = readiness({ periodSeconds: 5 })
const quota = quotaManifest({ pods: "7" }, "few")

const rows: ReadonlyArray<readonly [computation: string, row: Row]> = [
  [
    "10 of 25%/25% (surge 3, unavailable 2), available at c+16: 5 at 0, 5 at 16, complete at 32",
    {
      spec: { replicas: 10, minReadySeconds: 10, ...rolling("25%", "25%") },
      container: everyFive,
      life: slow,
      computed: { seconds: 32, fewest: 8, most: 13, mostWithTerminating: 18 }
    }
  ],
  [
    "7 of 30%/30% (surge 3, unavailable 2), ready at c+2, gone after 5: old 5, new 5; 2: old 0, new 7; 4",
    {
      spec: { replicas: 7, ...rolling("30%", "30%") },
      life: { start: "2s", terminate: "5s" },
      computed: { seconds: 4, fewest: 5, most: 10, mostWithTerminating: 14 }
    }
  ],
  [
    "4 of 0/10%, which is 0 and thus 1: one at a time, ready at c+1",
    {
      spec: { replicas: 4, ...rolling(0, "10%") },
      computed: { seconds: 4, fewest: 3, most: 4, mostWithTerminating: 7 }
    }
  ],
  [
    "3 of 0/1, probed at 5, 8, 11 with successThreshold 2, answers at 7: ready at c+12, three times",
    {
      spec: { replicas: 3, ...rolling(0, 1) },
      container: readiness({ initialDelaySeconds: 5, periodSeconds: 3, successThreshold: 2 }),
      life: { ready: "7s" },
      computed: { seconds: 36, fewest: 2, most: 3 }
    }
  ],
  [
    "startup probe at 1, 3, 5, 7, answers at 6; readiness then at once: ready at c+8, twice",
    {
      spec: { replicas: 2 },
      container: {
        startupProbe: probe({ initialDelaySeconds: 1, periodSeconds: 2, failureThreshold: 10 }),
        ...readiness({ initialDelaySeconds: 3, periodSeconds: 5 })
      },
      life: { ready: "6s" },
      computed: { seconds: 16, fewest: 2, most: 3 }
    }
  ],
  [
    "a postStart hook of 5: the readiness probe runs when it is over",
    {
      container: { ...readiness({}), lifecycle: { postStart: { sleep: { seconds: 5 } } } },
      life: slow,
      computed: { seconds: 6 }
    }
  ],
  [
    "Recreate, SIGTERM at 15, SIGKILL at 25, ready at 28; lost from SIGTERM until clients know, at 29",
    {
      spec: { replicas: 4, ...recreate },
      pod: { terminationGracePeriodSeconds: 25 },
      container: { ports: [{ containerPort: 8080, name: "http" }, { containerPort: 80 }], ...preStop(15) },
      life: { start: "3s", terminate: "20s" },
      beside: [service],
      computed: { seconds: 28, fewest: 0, most: 4, mostWithTerminating: 4, lost: 1400 }
    }
  ],
  [
    "Recreate, the sidecar stops after the app, at 6; init 7 to 11, sidecar 12, app 13",
    {
      spec: { replicas: 2, ...recreate },
      pod: {
        initContainers: [
          { name: "init", image: "init" },
          { name: "side", image: "side", restartPolicy: "Always" }
        ]
      },
      life: { containers: { init: { exit: { after: "4s", code: 0 } } } },
      computed: { seconds: 13, fewest: 0 }
    }
  ],
  [
    "runs of 2 with restarts after 0, 10, 20, 40, 80, 160, 300, 300: the ninth at 935, available at 940",
    {
      spec: { minReadySeconds: 5, progressDeadlineSeconds: 200 },
      nextLife: { exit: { after: "2s", code: 1, times: 8 } },
      // Ready for a moment at 329, then at 632.
      computed: { seconds: 940, fewest: 1, missedAt: 329 + 200 + 1 }
    }
  ],
  [
    "pulls that fail at 0, 10 and 30 succeed at 70",
    { nextLife: { pull: { delay: "0s", failures: 3 } }, computed: { seconds: 71 } }
  ],
  [
    "no progress since 0: missed at 0 + 20 + 1, although the rollout before began a second ago",
    {
      spec: { progressDeadlineSeconds: 20 },
      container: readiness({}),
      nextLife: { ready: "10h" },
      computed: { seconds: null, missedAt: 21 }
    }
  ],
  [
    "progress within every 12 s (ready at c+10, available at c+15), one at a time",
    {
      spec: { replicas: 4, minReadySeconds: 5, progressDeadlineSeconds: 12, ...rolling(1, 0) },
      container: readiness({ periodSeconds: 1 }),
      life: { ready: "9s" },
      computed: { seconds: 60, fewest: 4 }
    }
  ],
  [
    "3 become 6 and new at once: old 6, then 5, new 3; 2: old 2, new 6; 4",
    {
      spec: { replicas: 3 },
      next: { replicas: 6 },
      life: { start: "2s" },
      computed: { seconds: 4, fewest: 3, most: 8, mostWithTerminating: 11 }
    }
  ],
  [
    // The 3 refused looks at 0 count as 5, 10 and 20 ms; four at 10 s change nothing about the retry at 10.205 s.
    "quota of 7, old Pods gone at 13: retries at 5 ms, 45 … 5.085 s, 10.205, 174.045 (2 Pods), 501.725 (the last)",
    {
      spec: { replicas: 5, ...rolling(3, 0) },
      life: { start: "10s" },
      beside: [quota],
      computed: { seconds: 511.725, fewest: 5, most: 7, mostWithTerminating: 7 }
    }
  ],
  [
    "one node of 4 CPUs is full: a new Pod waits 3 s for the old one, four times",
    {
      spec: { replicas: 4, ...rolling(0, 1) },
      container: { resources: { requests: { cpu: "1" } } },
      options: { nodes: { count: 1, cpu: "4" } },
      computed: { seconds: 16, fewest: 3, most: 4 }
    }
  ],
  [
    "clients know after 3 s, SIGTERM after 1: old 1 silent 2 to 4, old 2 silent 3 to 5",
    {
      spec: { replicas: 2 },
      container: { ports: [{ containerPort: 8080, name: "http" }, { containerPort: 80 }], ...preStop(1) },
      beside: [service],
      options: { assume: "propagation=3s" },
      computed: { seconds: 2, fewest: 2, lost: 50 + 100 + 50 }
    }
  ],
  [
    "OrderedReady: 3 to stop, 6 to be ready, 4 to be available; complete when the last is ready",
    {
      kind: "StatefulSet",
      spec: { replicas: 3, minReadySeconds: 4 },
      container: everyFive,
      life: slow,
      computed: { seconds: 13 + 13 + 9, fewest: 2 }
    }
  ],
  [
    "a StatefulSet of 3 becomes 5 and new at once: 3 at 6, 4 at 12, then 2, 1 and 0 in 9 s each",
    {
      kind: "StatefulSet",
      spec: { replicas: 3 },
      next: { replicas: 5 },
      container: everyFive,
      life: slow,
      computed: { seconds: 12 + 27, fewest: 3 }
    }
  ],
  ...[0, 20].map(
    (minReadySeconds) =>
      [
        `3 times 5 to stop, 10 to start, 20 to be available; minReadySeconds was ${minReadySeconds}, and the Pods are there for long`,
        {
          kind: "StatefulSet",
          spec: { replicas: 3, minReadySeconds },
          next: { minReadySeconds: 20 },
          life: { start: "10s", terminate: "5s" },
          computed: { seconds: 35 + 35 + 15, fewest: 2 }
        }
      ] as const
  ),
  [
    "a DaemonSet, 5 to stop, 10 to start, 20 to be available, which no Pod had to be before; complete when the last is",
    {
      kind: "DaemonSet",
      next: { minReadySeconds: 20 },
      life: { start: "10s", terminate: "5s" },
      computed: { seconds: 35 + 35 + 35, fewest: 2 }
    }
  ],
  [
    "a DaemonSet of 50% on 3 nodes, which is 2: two in 9 s, then one",
    {
      kind: "DaemonSet",
      spec: { updateStrategy: { rollingUpdate: { maxUnavailable: "50%" } } },
      container: everyFive,
      life: slow,
      computed: { seconds: 18, fewest: 1 }
    }
  ],
  [
    "a DaemonSet with surge 34% of 3, which is 2: 6, 12; the last old Pod counts until it is gone, at 15",
    {
      kind: "DaemonSet",
      spec: { updateStrategy: { rollingUpdate: { maxSurge: "34%", maxUnavailable: 0 } } },
      container: everyFive,
      life: slow,
      computed: { seconds: 15, fewest: 3, most: 5, mostWithTerminating: 6 }
    }
  ]
]

it.each(rows)("computed by hand: %s", async (_computation, row) => {
  const { beside = [], computed, next, options } = row
  const old: Behaviour = { ...life, ...row.life }
  const behaviours =
    row.nextLife === undefined ? [] : [{ ...old, ...row.nextLife, name: "next", match: { image: "*:2" } }]
  const { rollouts } = await plan({
    from: [workload(row, "1"), ...beside],
    next: [workload({ ...row, spec: { ...row.spec, ...next } }, "2"), ...beside],
    behaviour: old,
    behaviours,
    seeds: 1,
    slowStart: 0,
    ...options
  })
  const [rollout] = rollouts
  const missed = rollout?.typical.phases.find(({ what }) => what.includes("deadline missed"))
  const worst = rollout?.duration?.worst ?? Infinity
  const played: { readonly [Name in keyof Computed]-?: Computed[Name] | undefined } = {
    seconds: worst === Infinity ? null : worst / 1000,
    fewest: rollout?.available?.fewest,
    most: rollout?.pods.most,
    mostWithTerminating: rollout?.pods.mostWithTerminating,
    lost: rollout?.requests?.lost,
    missedAt: missed === undefined ? undefined : missed.atMillis / 1000
  }
  expect(played).toMatchObject(computed)
  expect(played.missedAt).toBe(computed.missedAt)
})
