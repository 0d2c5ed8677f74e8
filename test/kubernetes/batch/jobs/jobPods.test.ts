import { describe, expect, it } from "vitest"
import { compareForDeletion, draftJobPod } from "../../../../src/kubernetes/batch/jobs/jobPods.ts"
import { podEndMillis } from "../../../../src/kubernetes/batch/jobs/podEnds.ts"
import type { Job } from "../../../../src/kubernetes/batch/jobs/jobTypes.ts"
import type { Pod } from "../../../../src/kubernetes/meta/objects.ts"

const at = (second: number): string => `2026-01-01T00:00:${String(second).padStart(2, "0")}Z`

const aPod = (name: string, { spec = {}, status = {}, metadata = {} }: Record<string, object> = {}): Pod =>
  ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, uid: name, creationTimestamp: at(1), ...metadata },
    spec: { containers: [], nodeName: "node-1", ...spec },
    status: { phase: "Running", ...status }
  }) as unknown as Pod

const readySince = (second: number) => ({
  conditions: [{ type: "Ready", status: "True", lastTransitionTime: at(second) }]
})
const restarts = (restartCount: number) => ({ containerStatuses: [{ name: "app", restartCount }] })

it("deletes the Pods first that have done the least", () => {
  const inOrder = [
    aPod("not bound", { spec: { nodeName: undefined }, status: { phase: "Pending" } } as never),
    aPod("pending", { status: { phase: "Pending" } }),
    aPod("restarted", { status: restarts(3) }),
    aPod("younger", { metadata: { creationTimestamp: at(5) } }),
    aPod("older"),
    aPod("ready for less long", { status: readySince(9) }),
    aPod("ready for long", { status: readySince(2) })
  ]
  const names = inOrder.map(({ metadata }) => metadata.name)
  expect(
    [...inOrder]
      .reverse()
      .sort(compareForDeletion)
      .map(({ metadata }) => metadata.name)
  ).toEqual(names)
})

describe("a Pod ended", () => {
  const ended = (second: number) => ({ state: { terminated: { exitCode: 0, finishedAt: at(second) } } })
  const notReady = { conditions: [{ type: "Ready", status: "False", lastTransitionTime: at(20) }] }
  const rows = [
    {
      why: "when its last container did",
      pod: { status: { containerStatuses: [ended(7), ended(9)] } },
      second: 9
    },
    {
      why: "when its sidecar did, and no other init container counts",
      pod: {
        spec: { initContainers: [{ name: "proxy", restartPolicy: "Always" }, { name: "setup" }] },
        status: {
          containerStatuses: [ended(7)],
          initContainerStatuses: [
            { name: "proxy", ...ended(12) },
            { name: "setup", ...ended(30) }
          ]
        }
      },
      second: 12
    },
    {
      why: "when it ceased to be ready, while one of its containers has not ended",
      pod: { status: { ...notReady, containerStatuses: [ended(7), { state: { running: {} } }] } },
      second: 20
    },
    {
      why: "when its deletion was requested, the grace period before the time that is noted",
      pod: { metadata: { deletionTimestamp: at(45), deletionGracePeriodSeconds: 30 } },
      second: 15
    },
    { why: "when it was created, if nothing tells", pod: {}, second: 1 }
  ]
  it.each(rows)("$why", ({ pod, second }) => {
    expect(podEndMillis(aPod("one", pod as Record<string, object>))).toBe(Date.parse(at(second)))
  })
})

it("keeps the index in the name of a Pod whose Job has a long one", () => {
  const job = { metadata: { name: "a".repeat(60) }, spec: { template: {} } } as unknown as Job
  expect(draftJobPod(job, { index: 12 }).metadata.generateName).toBe(`${"a".repeat(54)}-12-`)
})
