import { describe, expect, it } from "vitest"
import {
  compareForDeletion,
  draftJobPod,
  indexFailuresBefore,
  completionIndexOf
} from "../../../../src/kubernetes/batch/jobs/jobPods.ts"
import { podEndMillis } from "../../../../src/kubernetes/batch/jobs/podEnds.ts"
import { aJob, aTemplate } from "../../../builders.ts"
import type * as Core from "kubernetes-types/core/v1.js"
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
    aPod("ready since an unknown time", {
      metadata: { creationTimestamp: at(5) },
      status: { conditions: [{ type: "Ready", status: "True" }] }
    }),
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
      why: "when it ceased to be ready, while one of its containers tells no state",
      pod: { status: { ...notReady, containerStatuses: [ended(7), {}] } },
      second: 20
    },
    {
      why: "when it was created, if it does not tell since when it is not ready",
      pod: { status: { conditions: [{ type: "Ready", status: "False" }] } },
      second: 1
    },
    {
      why: "when its deletion was requested, without a grace period",
      pod: { metadata: { deletionTimestamp: at(45) } },
      second: 45
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

describe("the index of a Pod (TestGetCompletionIndex)", () => {
  const job = aJob({ spec: { completionMode: "Indexed", completions: 12 } })
  const indexed = (text: string) => ({ annotations: { "batch.kubernetes.io/job-completion-index": text } })
  it.each([
    { why: "is in an annotation", metadata: indexed("3"), index: 3 },
    { why: "has several digits", metadata: indexed("11"), index: 11 },
    { why: "is below completions", metadata: indexed("12"), index: undefined },
    { why: "is a number", metadata: indexed("1a"), index: undefined },
    { why: "has no sign", metadata: indexed("-1"), index: undefined },
    { why: "is not empty", metadata: indexed(""), index: undefined },
    { why: "is none without the annotation", metadata: { annotations: {} }, index: undefined },
    { why: "is none without annotations", metadata: {}, index: undefined }
  ])("$why", ({ metadata, index }) => {
    expect(completionIndexOf(job, aPod("one", { metadata }))).toBe(index)
  })

  it("has had no failures where no annotation tells of them", () => {
    expect(indexFailuresBefore(aPod("one"))).toEqual({ counted: 0, ignored: 0 })
    expect(indexFailuresBefore(aPod("one", { metadata: { annotations: {} } }))).toEqual({
      counted: 0,
      ignored: 0
    })
  })
})

describe("a new Pod of a Job", () => {
  const template = aTemplate("v1", { labels: { tier: "batch" }, annotations: { a: "b" } })
  const owner = {
    apiVersion: "batch/v1",
    kind: "Job",
    name: "pi",
    uid: "uid-pi",
    controller: true,
    blockOwnerDeletion: true
  }
  it("has the template's labels and annotations, an owner, and the finalizer by which it is counted", () => {
    expect(draftJobPod(aJob({ spec: { template } }))).toEqual({
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        generateName: "pi-",
        namespace: "shop",
        labels: { app: "web", tier: "batch" },
        annotations: { a: "b" },
        finalizers: ["batch.kubernetes.io/job-tracking"],
        ownerReferences: [owner]
      },
      spec: template.spec
    })
  })

  it("has its index in its name, its label, its annotation, its hostname and its environment", () => {
    const { metadata, spec } = draftJobPod(aJob({ spec: { template } }), { index: 3 })
    const index = { "batch.kubernetes.io/job-completion-index": "3" }
    const variable = {
      name: "JOB_COMPLETION_INDEX",
      valueFrom: {
        fieldRef: { fieldPath: "metadata.labels['batch.kubernetes.io/job-completion-index']" }
      }
    }
    expect(metadata).toMatchObject({
      generateName: "pi-3-",
      labels: { tier: "batch", ...index },
      annotations: { a: "b", ...index }
    })
    expect(spec).toEqual({
      containers: [{ name: "app", image: "registry.example/app:v1", env: [variable] }],
      hostname: "pi-3"
    })
  })

  it("has its index in the environment of all containers that do not set the variable (TestAddCompletionIndexEnv)", () => {
    const own = { name: "JOB_COMPLETION_INDEX", value: "mine" }
    const other = { name: "MODE", value: "fast" }
    const spec = {
      containers: [
        { name: "app", env: [other] },
        { name: "own", env: [other, own] }
      ],
      initContainers: [{ name: "setup" }]
    }
    const drafted = draftJobPod(aJob({ spec: { template: { spec } } }), { index: 0 }).spec
    const names = (containers: ReadonlyArray<Core.Container> = []) =>
      containers.map(
        ({ name, env = [] }) => `${name}: ${env.map((it) => `${it.name}=${it.value ?? ""}`).join(" ")}`
      )
    expect([...names(drafted.initContainers), ...names(drafted.containers)]).toEqual([
      "setup: JOB_COMPLETION_INDEX=",
      "app: MODE=fast JOB_COMPLETION_INDEX=",
      "own: MODE=fast JOB_COMPLETION_INDEX=mine"
    ])
  })

  it("has no namespace where its Job has none, and no second finalizer", () => {
    const finalizers = ["example.com/mine", "batch.kubernetes.io/job-tracking"]
    const job = aJob({ spec: { template: { ...template, metadata: { finalizers } } } })
    const { namespace: _, ...metadata } = job.metadata
    const draft = draftJobPod({ ...job, metadata })
    expect(draft.metadata).not.toHaveProperty("namespace")
    expect(draft.metadata.finalizers).toEqual(finalizers)
  })
})

it("keeps the index in the name of a Pod whose Job has a long one", () => {
  const job = { metadata: { name: "a".repeat(60) }, spec: { template: {} } } as unknown as Job
  expect(draftJobPod(job, { index: 12 }).metadata.generateName).toBe(`${"a".repeat(54)}-12-`)
})
