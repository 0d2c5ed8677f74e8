import { describe, expect, it } from "vitest"
import { makeActorOrigins } from "../../src/inspect/actorOrigins.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { aDeployment, aNode, aPod, aReplicaSet } from "../builders.ts"
import type { KubeObject } from "../../src/kubernetes/meta/objects.ts"
import type { ObjectChangeEvent } from "../../src/inspect/actorOrigins.ts"

const web = aDeployment({ generation: 3 })
const replicaSet = aReplicaSet({ replicas: 3 })
const pod = aPod({ owner: replicaSet, name: "web-1" })
const node = aNode({ name: "n1" })
const ids = {
  web: "deployment/shop/web",
  replicaSet: "replicaSet/shop/web-v1",
  pod: "pod/shop/web-1",
  node: "node/n1"
}
const present = [
  { resource: resources.deployments, object: web },
  { resource: resources.replicaSets, object: replicaSet },
  { resource: resources.pods, object: pod },
  { resource: resources.nodes, object: node }
]

const followObjects = (initial = present) => {
  let send: (change: ObjectChangeEvent) => void = () => {}
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
  return { origins, stop, send: (change: ObjectChangeEvent) => send(change) }
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
    readonly to: keyof typeof ids
    readonly by: string
    readonly before?: ObjectChangeEvent
  }>([
    {
      why: "a client with a field manager",
      change: modified(resources.deployments, web, managed(bigger, "kubectl-edit")),
      to: "web",
      by: "client kubectl-edit"
    },
    {
      why: "a client without a field manager",
      change: modified(resources.deployments, web, bigger),
      to: "web",
      by: "client"
    },
    {
      why: "the Deployment that scales its ReplicaSet",
      change: modified(resources.replicaSets, replicaSet, {
        ...replicaSet,
        metadata: { ...replicaSet.metadata, generation: 9 }
      }),
      to: "replicaSet",
      by: ids.web
    },
    {
      why: "the ReplicaSet that reports its status",
      change: modified(resources.replicaSets, replicaSet, countedReplicas),
      to: "web",
      by: ids.replicaSet
    },
    {
      why: "the Pod that reports its status",
      change: modified(resources.pods, pod, reported),
      to: "replicaSet",
      by: ids.pod
    },
    {
      why: "the scheduler",
      change: modified(resources.pods, aPod({ owner: replicaSet, name: "web-1", node: undefined }), pod),
      to: "pod",
      by: "scheduler"
    },
    {
      why: "a client that deletes a Pod",
      change: modified(resources.pods, pod, deleting(pod)),
      to: "replicaSet",
      by: "client"
    },
    {
      why: "the ReplicaSet that deletes a surplus Pod",
      before: modified(resources.replicaSets, replicaSet, aReplicaSet({ replicas: 2, pods: 3 })),
      change: modified(resources.pods, pod, deleting(pod)),
      to: "pod",
      by: ids.replicaSet
    },
    {
      why: "the lost node that evicts a Pod",
      before: modified(resources.nodes, node, tainted),
      change: modified(resources.pods, pod, deleting(pod)),
      to: "pod",
      by: ids.node
    },
    {
      why: "the node that taints itself",
      change: modified(resources.nodes, node, tainted),
      to: "node",
      by: ids.node
    },
    {
      why: "the garbage collector, if the ReplicaSet is gone",
      before: { type: "DELETED", resource: resources.replicaSets, object: replicaSet, old: replicaSet },
      change: modified(resources.pods, pod, deleting(pod)),
      to: "pod",
      by: "garbage collector"
    },
    {
      why: "the kubelet that removes a terminated Pod",
      change: { type: "DELETED", resource: resources.pods, object: deleting(pod), old: deleting(pod) },
      to: "replicaSet",
      by: ids.pod
    }
  ])("is $why", ({ before, change, to, by }) => {
    const { origins, send } = followObjects()
    if (before !== undefined) send(before)
    for (const id of Object.values(ids)) origins.sourceOf(id, { isSeen: true })
    send(change)
    expect(origins.sourceOf(ids[to], { isSeen: true })).toBe(by)
    expect(origins.sourceOf(ids[to], { isSeen: true })).toBeUndefined()
  })

  it("is the other writer, not the actor's own later write", () => {
    const { origins, send } = followObjects()
    send(modified(resources.deployments, web, bigger))
    send(modified(resources.deployments, bigger, { ...bigger, status: { replicas: 3 } } as KubeObject))
    expect(origins.sourceOf(ids.web, { isSeen: false })).toBe("client")
  })

  it("is undefined for an actor whose object was deleted", () => {
    const { origins, send } = followObjects()
    send({ type: "DELETED", resource: resources.replicaSets, object: replicaSet, old: replicaSet })
    send(modified(resources.pods, pod, deleting(pod)))
    send({ type: "DELETED", resource: resources.pods, object: deleting(pod), old: deleting(pod) })
    expect(origins.sourceOf(ids.replicaSet, { isSeen: false })).toBeUndefined()
  })

  it("is known until the subscription ends, as are owners", () => {
    const { origins, stop, send } = followObjects()
    expect(origins.ownerOf(ids.pod)).toBe(ids.replicaSet)
    expect(origins.ownerOf(ids.replicaSet)).toBe(ids.web)
    send({ type: "DELETED", resource: resources.pods, object: pod, old: pod })
    expect(origins.ownerOf(ids.pod)).toBeUndefined()
    stop()
    send(modified(resources.deployments, web, bigger))
    expect(origins.sourceOf(ids.web, { isSeen: true })).toBeUndefined()
  })
})
