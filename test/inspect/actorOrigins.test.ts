import { describe, expect, it } from "vitest"
import { makeActorOrigins } from "../../src/inspect/actorOrigins.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { aDeployment, aNode, aPod, aReplicaSet } from "../builders.ts"
import type { KubeObject } from "../../src/kubernetes/meta/objects.ts"
import type { WriterName } from "../../src/runtime/reconciler/currentWriter.ts"
import type { ObjectChangeEvent } from "../../src/inspect/actorOrigins.ts"

const web = aDeployment({ generation: 3 })
const replicaSet = aReplicaSet({ replicas: 3 })
const pod = aPod({ owner: replicaSet, name: "web-1" })
const node = aNode({ name: "n1" })
const ownedBy = <A extends KubeObject>(object: A, { kind, metadata: { name, uid } }: KubeObject): A => ({
  ...object,
  metadata: {
    ...object.metadata,
    ownerReferences: [{ apiVersion: "batch/v1", kind, name, uid, controller: true, blockOwnerDeletion: true }]
  }
})
const nightly = {
  ...web,
  apiVersion: "batch/v1",
  kind: "CronJob",
  metadata: { ...web.metadata, name: "nightly" }
}
const nightlyRun = ownedBy(
  { ...web, apiVersion: "batch/v1", kind: "Job", metadata: { ...web.metadata, name: "nightly-1" } },
  nightly
)
const jobPod = ownedBy(aPod({ name: "nightly-1-a" }), nightlyRun)
const ids = {
  web: "deployment/shop/web",
  replicaSet: "replicaSet/shop/web-v1",
  pod: "pod/shop/web-1",
  node: "node/n1",
  cronJob: "cronJob/shop/nightly",
  job: "job/shop/nightly-1",
  jobPod: "pod/shop/nightly-1-a"
}
const present = [
  { resource: resources.deployments, object: web },
  { resource: resources.replicaSets, object: replicaSet },
  { resource: resources.pods, object: pod },
  { resource: resources.nodes, object: node },
  { resource: resources.cronJobs, object: nightly },
  { resource: resources.jobs, object: nightlyRun }
]

const followObjects = (initial = present) => {
  let send: (change: ObjectChangeEvent, writer: WriterName) => void = () => {}
  const origins = makeActorOrigins()
  const stop = origins.follow({
    existingObjects: initial,
    onChange: (listener) => {
      send = listener
      return () => {
        send = () => {}
      }
    }
  })
  return { origins, stop, send: (change: ObjectChangeEvent, writer: WriterName) => send(change, writer) }
}
const modified = (resource: string, old: KubeObject, object: KubeObject): ObjectChangeEvent => ({
  type: "MODIFIED",
  resource,
  old,
  object
})
const deleting = <A extends KubeObject>(object: A): A => ({
  ...object,
  metadata: { ...object.metadata, deletionTimestamp: "2026-01-01T00:00:30Z" }
})
const managed = <A extends KubeObject>(object: A, manager: string): A => ({
  ...object,
  metadata: {
    ...object.metadata,
    managedFields: [{ manager, operation: "Update", time: "2026-01-01T00:00:07Z" }]
  }
})
const bigger = { ...web, metadata: { ...web.metadata, generation: 4 }, spec: { ...web.spec, replicas: 7 } }
const grown = { ...replicaSet, metadata: { ...replicaSet.metadata, generation: 9 } }
const countedReplicas = { ...replicaSet, status: { ...replicaSet.status, availableReplicas: 1 } }
const reported = { ...pod, status: { ...pod.status, message: "ready" } }
const tainted = {
  ...node,
  spec: { taints: [{ key: "node.kubernetes.io/unreachable", effect: "NoExecute" }] }
}

describe("the source of a change that an actor observes", () => {
  it.each<{
    readonly why: string
    readonly change: ObjectChangeEvent
    readonly writer: WriterName
    readonly to: keyof typeof ids
    readonly by: string
  }>([
    {
      why: "a client with a field manager",
      change: modified(resources.deployments, web, managed(bigger, "kubectl-edit")),
      writer: "client",
      to: "web",
      by: "client kubectl-edit"
    },
    {
      why: "a client without a field manager",
      change: modified(resources.deployments, web, bigger),
      writer: "client",
      to: "web",
      by: "client"
    },
    {
      why: "the Deployment that scales its ReplicaSet",
      change: modified(resources.replicaSets, replicaSet, grown),
      writer: "deployment",
      to: "replicaSet",
      by: ids.web
    },
    {
      why: "a client that scales a Deployment's ReplicaSet",
      change: modified(resources.replicaSets, replicaSet, grown),
      writer: "client",
      to: "replicaSet",
      by: "client"
    },
    {
      why: "the ReplicaSet that reports its status",
      change: modified(resources.replicaSets, replicaSet, countedReplicas),
      writer: "replicaSet",
      to: "web",
      by: ids.replicaSet
    },
    {
      why: "the Pod that reports its status",
      change: modified(resources.pods, pod, reported),
      writer: "pod",
      to: "replicaSet",
      by: ids.pod
    },
    {
      why: "the scheduler",
      change: modified(resources.pods, aPod({ owner: replicaSet, name: "web-1", node: undefined }), pod),
      writer: "scheduler",
      to: "pod",
      by: "scheduler"
    },
    {
      why: "a client that deletes a Pod",
      change: modified(resources.pods, pod, deleting(pod)),
      writer: "client",
      to: "replicaSet",
      by: "client"
    },
    {
      why: "the ReplicaSet that deletes a surplus Pod",
      change: modified(resources.pods, pod, deleting(pod)),
      writer: "replicaSet",
      to: "pod",
      by: ids.replicaSet
    },
    {
      why: "the node from which a Pod is evicted",
      change: modified(resources.pods, pod, deleting(pod)),
      writer: "node",
      to: "pod",
      by: ids.node
    },
    {
      why: "the node that gets a taint",
      change: modified(resources.nodes, node, tainted),
      writer: "node",
      to: "node",
      by: ids.node
    },
    {
      why: "the garbage collector",
      change: modified(resources.pods, pod, deleting(pod)),
      writer: "garbageCollector",
      to: "pod",
      by: "garbage collector"
    },
    {
      why: "the kubelet that removes a terminated Pod",
      change: { type: "DELETED", resource: resources.pods, object: deleting(pod), old: deleting(pod) },
      writer: "pod",
      to: "replicaSet",
      by: ids.pod
    },
    {
      why: "the CronJob that creates a Job",
      change: { type: "ADDED", resource: resources.jobs, object: nightlyRun, old: undefined },
      writer: "cronJob",
      to: "job",
      by: ids.cronJob
    },
    {
      why: "the Job that deletes its Pod",
      change: modified(resources.pods, jobPod, deleting(jobPod)),
      writer: "job",
      to: "jobPod",
      by: ids.job
    }
  ])("is $why", ({ change, writer, to, by }) => {
    const { origins, send } = followObjects()
    for (const id of Object.values(ids)) origins.sourceOf(id, { marksObserved: true })
    send(change, writer)
    expect(origins.sourceOf(ids[to], { marksObserved: true })).toBe(by)
    expect(origins.sourceOf(ids[to], { marksObserved: true })).toBeUndefined()
  })

  it("is the other writer, not the actor's own later write", () => {
    const { origins, send } = followObjects()
    send(modified(resources.deployments, web, bigger), "client")
    send(
      modified(resources.deployments, bigger, { ...bigger, status: { replicas: 3 } } as KubeObject),
      "deployment"
    )
    expect(origins.sourceOf(ids.web, { marksObserved: false })).toBe("client")
  })

  it("is undefined for an actor whose object was deleted", () => {
    const { origins, send } = followObjects()
    send(
      { type: "DELETED", resource: resources.replicaSets, object: replicaSet, old: replicaSet },
      "garbageCollector"
    )
    send(modified(resources.pods, pod, deleting(pod)), "garbageCollector")
    send({ type: "DELETED", resource: resources.pods, object: deleting(pod), old: deleting(pod) }, "pod")
    expect(origins.sourceOf(ids.replicaSet, { marksObserved: false })).toBeUndefined()
  })

  it("is known until the subscription ends, as are owners", () => {
    const { origins, stop, send } = followObjects()
    expect(origins.ownerOf(ids.pod)).toBe(ids.replicaSet)
    expect(origins.ownerOf(ids.replicaSet)).toBe(ids.web)
    send({ type: "DELETED", resource: resources.pods, object: pod, old: pod }, "pod")
    expect(origins.ownerOf(ids.pod)).toBeUndefined()
    stop()
    send(modified(resources.deployments, web, bigger), "client")
    expect(origins.sourceOf(ids.web, { marksObserved: true })).toBeUndefined()
  })
})
