import { describe, expect, it } from "vitest"
import {
  deploymentWrite,
  reportedDeployment,
  splitStatusReports
} from "../../../src/kubernetes/apps/deploymentWrites.ts"
import { revisionAnnotation } from "../../../src/kubernetes/apps/revisions/revisions.ts"
import { draftReplicaSetPod } from "../../../src/kubernetes/apps/replicaSets/replicaSetWrites.ts"
import { aDeployment, aReplicaSet, aTemplate } from "../../builders.ts"
import type { Command } from "../../../src/kubernetes/apps/commands.ts"
import type { ReplicaSetDraft } from "../../../src/kubernetes/apps/revisions/newReplicaSet.ts"

const { status: _status, ...draft } = aReplicaSet({ version: "v2", replicas: 2, revision: "3" })
const aDraft = (metadata: object, replicas = 2): ReplicaSetDraft =>
  ({ ...draft, metadata, spec: { ...draft.spec, replicas } }) as ReplicaSetDraft
const resize = (replicasFrom: number, replicasTo: number): Command => ({
  type: "scaleReplicaSet",
  name: "web-v1",
  replicasFrom,
  replicasTo,
  annotations: {}
})
const child = { name: "web-v1", uid: "u" }

describe("the Event of a write (ScalingReplicaSet)", () => {
  it.each([
    {
      why: "tells that a ReplicaSet grows",
      command: resize(1, 3),
      message: "up replica set web-v1 from 1 to 3"
    },
    { why: "tells that it shrinks", command: resize(3, 1), message: "down replica set web-v1 from 3 to 1" },
    { why: "is missing if only annotations change", command: resize(3, 3), message: undefined },
    {
      why: "tells the size of a new ReplicaSet",
      command: { type: "createReplicaSet", replicaSet: aDraft({ name: "web-v2" }) } as const,
      message: "up replica set web-v2 from 0 to 2"
    },
    {
      why: "is missing for a new ReplicaSet without replicas",
      command: { type: "createReplicaSet", replicaSet: aDraft({ name: "web-v2" }, 0) } as const,
      message: undefined
    },
    {
      why: "is missing if a ReplicaSet is deleted",
      command: { type: "deleteReplicaSet", child } as const,
      message: undefined
    }
  ])("$why", ({ command, message }) => {
    const event = deploymentWrite(command)?.event
    expect(event?.message).toBe(message === undefined ? undefined : `Scaled ${message}`)
  })
})

describe("the write of a command", () => {
  it.each([
    {
      why: "deletes a ReplicaSet",
      command: { type: "deleteReplicaSet", child } as const,
      type: "deleteReplicaSet"
    },
    {
      why: "drops a rollback",
      command: { type: "rollBack", to: undefined } as const,
      type: "updateDeployment"
    },
    { why: "is none for another look", command: { type: "lookAgain" } as const, type: undefined }
  ])("$why", ({ command, type }) => {
    expect(deploymentWrite(command)?.type).toBe(type)
  })
})

describe("a ReplicaSet that gets its Deployment's annotations", () => {
  const replicaSet = aReplicaSet({ replicas: 2 })
  const specAfter = (minReadySeconds: number): unknown => {
    const annotations = { note: "hi" }
    const write = deploymentWrite({
      type: "renumberReplicaSet",
      name: "web-v1",
      annotations,
      minReadySeconds
    })
    if (write?.type !== "updateReplicaSet") throw new Error("no update")
    const changed = write.change(replicaSet)
    expect(changed.metadata.annotations).toEqual(annotations)
    return changed.spec
  }

  it("keeps its spec, so that its generation stays, where 0 minReadySeconds are left out", () => {
    expect(specAfter(0)).toBe(replicaSet.spec)
  })

  it("gets other minReadySeconds", () => {
    expect(specAfter(5)).toEqual({ ...replicaSet.spec, minReadySeconds: 5 })
  })
})

describe("the status write of a decision", () => {
  const report = { part: "noCondition", conditionType: "Progressing" } as const

  it.each<{ why: string; commands: ReadonlyArray<Command>; status: object | undefined }>([
    { why: "is none without a report and a revision", commands: [resize(1, 2)], status: undefined },
    {
      why: "has the reports",
      commands: [resize(1, 2), { type: "report", report }],
      status: { reports: [report], revision: undefined }
    },
    {
      why: "has the revision",
      commands: [{ type: "showRevision", revision: "7" }],
      status: { reports: [], revision: "7" }
    },
    {
      why: "has the revision of a new ReplicaSet",
      commands: [{ type: "createReplicaSet", replicaSet: aDraft(draft.metadata) }],
      status: { reports: [], revision: "3" }
    },
    {
      why: "has what a strategy records, the last value of each annotation",
      commands: [
        { type: "annotateDeployment", annotations: { a: "1", b: "1" } },
        { type: "annotateDeployment", annotations: { b: undefined } }
      ],
      status: { reports: [], revision: undefined, annotations: { a: "1", b: undefined } }
    },
    {
      why: "has no revision of a new ReplicaSet without one",
      commands: [{ type: "createReplicaSet", replicaSet: aDraft({ name: "web-v2" }) }],
      status: undefined
    }
  ])("$why", ({ commands, status }) => {
    const inStatus = new Set(["report", "showRevision", "annotateDeployment"])
    const writeCommands = commands.filter(({ type }) => !inStatus.has(type))
    expect(splitStatusReports(commands)).toEqual({ writeCommands, status })
  })
})

describe("a record of a strategy", () => {
  it("replaces, adds and removes annotations, and leaves the revision to Kubernetes", () => {
    const before = { a: "1", b: "1", c: "1" }
    const deployment = { ...aDeployment(), metadata: { ...aDeployment().metadata, annotations: before } }
    const annotations = { a: "2", b: undefined, d: "2", [revisionAnnotation]: "99" }
    const { metadata } = reportedDeployment(deployment, { reports: [], revision: "7", annotations }, 0)
    expect(metadata.annotations).toEqual({ a: "2", c: "1", d: "2", [revisionAnnotation]: "7" })
  })
})

describe("a new Pod of a ReplicaSet (GetPodFromTemplate)", () => {
  const metadataOf = (metadata: object | undefined, owner: object = {}) => {
    const { metadata: _metadata, ...template } = aTemplate()
    const replicaSet = aReplicaSet({
      template: metadata === undefined ? template : { ...template, metadata }
    })
    const { ownerReferences, ...rest } = draftReplicaSetPod({
      ...replicaSet,
      metadata: { ...replicaSet.metadata, ...owner }
    }).metadata
    expect(ownerReferences).toMatchObject([{ kind: "ReplicaSet", name: "web-v1", controller: true }])
    return rest
  }
  const [generateName, { namespace }] = ["web-v1-", aReplicaSet().metadata]

  it.each([
    { why: "has the labels of the template", metadata: { labels: { app: "web" } } },
    { why: "has its annotations", metadata: { annotations: { note: "a" } } },
    { why: "has its finalizers", metadata: { finalizers: ["example.com/a"] } },
    { why: "has nothing else of it", metadata: { name: "x" }, pod: {} },
    { why: "has no metadata of a template without any", metadata: undefined, pod: {} }
  ])("$why", ({ metadata, pod = metadata }) => {
    expect(metadataOf(metadata)).toStrictEqual({ generateName, namespace, ...pod })
  })

  it("has no namespace if its ReplicaSet has none", () => {
    expect(metadataOf({}, { namespace: undefined })).toStrictEqual({ generateName })
  })

  it("shares its owner references with the others of the ReplicaSet only", () => {
    const replicaSet = aReplicaSet()
    const referencesOf = (uid: string) =>
      draftReplicaSetPod({ ...replicaSet, metadata: { ...replicaSet.metadata, uid } }).metadata
        .ownerReferences
    expect(referencesOf("a")).toBe(referencesOf("a"))
    expect(referencesOf("b")).toMatchObject([{ uid: "b" }])
  })
})
