import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { defineStory, failureText } from "../../../../src/scenario/stories/stories.ts"
import { playStory } from "../../../../src/scenario/stories/playing/playStory.ts"
import type { Manifest } from "../../../../src/kubernetes/meta/objects.ts"
import type { Story } from "../../../../src/scenario/stories/story.ts"

const template = (restartPolicy = "Always") => ({
  metadata: { labels: { app: "x" } },
  spec: { restartPolicy, containers: [{ name: "app", image: "app:1" }] }
})
const selector = { matchLabels: { app: "x" } }
const manifest = (apiVersion: string, kind: string, name: string, spec: object): Manifest =>
  ({ apiVersion, kind, metadata: { name }, spec }) as Manifest

const db = manifest("apps/v1", "StatefulSet", "db", {
  replicas: 3,
  serviceName: "db",
  selector,
  template: template()
})
const log = manifest("apps/v1", "DaemonSet", "log", { selector, template: template() })
const aJob = (name: string, spec: object = {}) =>
  manifest("batch/v1", "Job", name, { ...spec, template: template("Never") })

const failuresOf = async (story: Omit<Story, "name">): Promise<ReadonlyArray<string>> => {
  const run = await Effect.runPromise(playStory(defineStory({ name: "told", ...story })))
  return run.failures.map((failure, index) => failureText(run, failure, index + 1))
}

describe("a story of other workloads than Deployments", () => {
  const rows: ReadonlyArray<{ readonly why: string; readonly story: Omit<Story, "name"> }> = [
    {
      why: "rolls out a StatefulSet, and undoes it to the revision before and to one by its number",
      story: {
        start: [db],
        invariants: ["statefulset/db pods <= 3", "statefulset/db unavailable <= 1"],
        steps: [
          { expect: "statefulset/db is complete and sts/db ready = 3 and sts/db available >= 100%" },
          { setImage: "statefulset/db", images: { app: "app:2" } },
          { waitFor: "statefulset/db is progressing and statefulset/db terminating = 1" },
          { waitFor: "statefulset/db is complete and statefulset/db updated = desired" },
          { expect: "statefulset/db revision = 2" },
          { undo: "statefulset/db" },
          { waitFor: "statefulset/db is complete and statefulset/db revision = 3" },
          { undo: "statefulset/db", toRevision: 2 },
          { waitFor: "statefulset/db is complete and statefulset/db revision = 4" },
          { expect: ({ view }) => view.get("pods", "default/db-0")?.spec.containers[0]?.image === "app:2" }
        ]
      }
    },
    {
      why: "rolls out a DaemonSet and undoes it",
      story: {
        nodes: 2,
        start: [log],
        invariants: ["daemonset/log available >= 50%"],
        steps: [
          { setImage: "daemonset/log", images: { app: "app:2" } },
          { waitFor: "daemonset/log is complete and daemonset/log revision = 2" },
          { undo: "daemonset/log" },
          { waitFor: "daemonset/log is complete and ds/log revision = 3 and ds/log pods = 2" },
          {
            expect: ({ view }) =>
              [...view.all("pods")].every((it) => it.spec.containers[0]?.image === "app:1")
          }
        ]
      }
    },
    {
      why: "waits for Jobs to be complete, failed or suspended",
      story: {
        behaviours: [{ name: "breaks", match: { name: "bad-*" }, exit: { after: "1s", code: 3 } }],
        start: [],
        steps: [
          { apply: [aJob("ok", { completions: 3 }), aJob("bad", { backoffLimit: 0 })] },
          { apply: [aJob("later", { suspend: true })] },
          { waitFor: "job/ok active = 1" },
          { expect: "job/later is suspended and job/later pods = 0 and job/ok is progressing" },
          { waitFor: "job/ok is complete and job/ok succeeded = desired" },
          { waitFor: "job/bad is failed and job/bad failed = 1" },
          { patch: "job/later", with: { spec: { suspend: false } } },
          { waitFor: "job/later is complete" }
        ]
      }
    },
    {
      why: "waits for the Jobs of a CronJob, and for its suspension",
      story: {
        start: [
          manifest("batch/v1", "CronJob", "minutely", {
            schedule: "* * * * *",
            jobTemplate: { spec: { template: template("Never") } }
          })
        ],
        steps: [
          { waitFor: "cronjob/minutely active = 1", within: "2m" },
          { waitFor: "cronjob/minutely active = 0" },
          { patch: "cronjob/minutely", with: { spec: { suspend: true } } },
          { expect: "cronjob/minutely is suspended" }
        ]
      }
    },
    {
      why: "waits for an autoscaler to reach its limit",
      story: {
        behaviours: [
          { name: "shop", match: { labels: { app: "x" } }, load: { perSecond: 300, cpuPerRequest: "4m" } }
        ],
        start: [
          manifest("apps/v1", "StatefulSet", "db", {
            replicas: 1,
            serviceName: "db",
            podManagementPolicy: "Parallel",
            selector,
            template: {
              ...template(),
              spec: {
                containers: [{ name: "app", image: "app:1", resources: { requests: { cpu: "100m" } } }]
              }
            }
          }),
          manifest("autoscaling/v2", "HorizontalPodAutoscaler", "db", {
            minReplicas: 1,
            maxReplicas: 3,
            scaleTargetRef: { apiVersion: "apps/v1", kind: "StatefulSet", name: "db" },
            metrics: [
              {
                type: "Resource",
                resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } }
              }
            ]
          })
        ],
        steps: [
          { waitFor: "hpa/db is active and hpa/db is limited and hpa/db desired = 3", within: "10m" },
          { waitFor: "statefulset/db ready = 3 and hpa/db current = 3", within: "10m" }
        ]
      }
    },
    {
      why: "lets faults strike the Pods of a StatefulSet, a DaemonSet and a Job",
      story: {
        nodes: 2,
        start: [db, log],
        steps: [
          { apply: [aJob("sums", { backoffLimit: 3, completions: 1 })] },
          { waitFor: "job/sums ready = 1" },
          { fault: "crash", pods: { job: "sums" } },
          { fault: "crash", pods: { statefulSet: "db", count: 2 } },
          { waitFor: "statefulset/db restarts = 2" },
          { fault: "kill", pods: { daemonSet: "log", revision: "new" } },
          { waitFor: "daemonset/log terminating = 2" },
          { waitFor: "job/sums is complete and job/sums failed = 1" },
          { waitFor: "daemonset/log ready = 2 and statefulset/db ready = 3" }
        ]
      }
    }
  ]
  it.each(rows)("$why", async ({ story }) => {
    expect(await failuresOf(story)).toEqual([])
  })

  it("fails where an invariant about a StatefulSet does, at the change that broke it", async () => {
    expect(
      await failuresOf({
        start: [db],
        invariants: ["statefulset/db ready >= 3"],
        steps: [{ after: "1s", setImage: "statefulset/db", images: { app: "app:2" } }]
      })
    ).toMatchObject([
      expect.stringContaining("broken: statefulset/db ready is 2, not >= 3"),
      ...Array(2).fill(expect.anything())
    ])
  })
})

describe("a Job's Pod that is drained", () => {
  const ignoresDisruptions = {
    backoffLimit: 0,
    podFailurePolicy: {
      rules: [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] }]
    }
  }
  const rows: ReadonlyArray<{
    readonly why: string
    readonly terminateCode: number | undefined
    readonly spec: object
    readonly end: string
  }> = [
    {
      why: "ignores SIGTERM: the policy ignores the failure, and another Pod does the work",
      terminateCode: 143,
      spec: ignoresDisruptions,
      end: "job/sums is complete and job/sums failed = 0 and job/sums succeeded = 1"
    },
    {
      why: "ignores SIGTERM: without a policy the failure counts",
      terminateCode: 143,
      spec: { backoffLimit: 0 },
      end: "job/sums is failed and job/sums failed = 1"
    },
    {
      why: "handles SIGTERM: it counts as succeeded",
      terminateCode: undefined,
      spec: ignoresDisruptions,
      end: "job/sums is complete and job/sums succeeded = 1"
    }
  ]
  it.each(rows)("$why", async ({ terminateCode, spec, end }) => {
    const story: Omit<Story, "name"> = {
      nodes: 1,
      behaviours: [
        {
          name: "slow",
          match: { image: "*" },
          exit: { after: "1m", code: 0 },
          ...(terminateCode === undefined ? {} : { terminateCode })
        }
      ],
      start: [],
      steps: [
        { apply: [aJob("sums", spec)] },
        { waitFor: "job/sums ready = 1" },
        { fault: "nodeDrained", node: "node-1", for: "20s" },
        { waitFor: end }
      ]
    }
    expect(await failuresOf(story)).toEqual([])
  })
})
