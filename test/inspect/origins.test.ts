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

const following = (there = present) => {
  let tell: (change: ObjectChangeEvent) => void = () => {}
  const origins = makeActorOrigins()
  const stop = origins.follow({
    existingObjects: there,
    onChange: (listener) => {
      tell = listener
      return () => {
        tell = () => {}
      }
    }
  })
  return { origins, stop, tell: (change: ObjectChangeEvent) => tell(change) }
}
const modified = (resource: string, old: KubeObject, object: KubeObject): ObjectChangeEvent => ({
  type: "MODIFIED",
  resource,
  old,
  object
})
const leaving = <A extends KubeObject>(object: A): A => ({
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
const counted = { ...replicaSet, status: { ...replicaSet.status, availableReplicas: 1 } }
const further = { ...pod, status: { ...pod.status, message: "ready" } }
const tainted = {
  ...node,
  spec: { taints: [{ key: "node.kubernetes.io/unreachable", effect: "NoExecute" }] }
}

describe("who has caused what an actor is shown", () => {
  it.each<{
    readonly why: string
    readonly change: ObjectChangeEvent
    readonly to: keyof typeof ids
    readonly by: string
    readonly before?: ObjectChangeEvent
  }>([
    {
      why: "a client that says its name",
      change: modified(resources.deployments, web, managed(bigger, "kubectl-edit")),
      to: "web",
      by: "client kubectl-edit"
    },
    {
      why: "somebody who says none",
      change: modified(resources.deployments, web, bigger),
      to: "web",
      by: "client"
    },
    {
      why: "the Deployment that sizes its ReplicaSet",
      change: modified(resources.replicaSets, replicaSet, {
        ...replicaSet,
        metadata: { ...replicaSet.metadata, generation: 9 }
      }),
      to: "replicaSet",
      by: ids.web
    },
    {
      why: "the ReplicaSet that counts",
      change: modified(resources.replicaSets, replicaSet, counted),
      to: "web",
      by: ids.replicaSet
    },
    {
      why: "the Pod that gets further",
      change: modified(resources.pods, pod, further),
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
      why: "whoever deletes a Pod that is wanted",
      change: modified(resources.pods, pod, leaving(pod)),
      to: "replicaSet",
      by: "client"
    },
    {
      why: "the ReplicaSet that has one Pod too many",
      before: modified(resources.replicaSets, replicaSet, aReplicaSet({ replicas: 2, pods: 3 })),
      change: modified(resources.pods, pod, leaving(pod)),
      to: "pod",
      by: ids.replicaSet
    },
    {
      why: "the node that is lost",
      before: modified(resources.nodes, node, tainted),
      change: modified(resources.pods, pod, leaving(pod)),
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
      why: "the garbage collector, where the ReplicaSet is gone",
      before: { type: "DELETED", resource: resources.replicaSets, object: replicaSet, old: replicaSet },
      change: modified(resources.pods, pod, leaving(pod)),
      to: "pod",
      by: "garbage collector"
    },
    {
      why: "the kubelet that takes the last of a Pod away",
      change: { type: "DELETED", resource: resources.pods, object: leaving(pod), old: leaving(pod) },
      to: "replicaSet",
      by: ids.pod
    }
  ])("is $why", ({ before, change, to, by }) => {
    const { origins, tell } = following()
    if (before !== undefined) tell(before)
    for (const id of Object.values(ids)) origins.sourceOf(id, { isSeen: true })
    tell(change)
    expect(origins.sourceOf(ids[to], { isSeen: true })).toBe(by)
    expect(origins.sourceOf(ids[to], { isSeen: true })).toBeUndefined()
  })

  it("is somebody else rather than the actor's own write that came after", () => {
    const { origins, tell } = following()
    tell(modified(resources.deployments, web, bigger))
    tell(modified(resources.deployments, bigger, { ...bigger, status: { replicas: 3 } } as KubeObject))
    expect(origins.sourceOf(ids.web, { isSeen: false })).toBe("client")
  })

  it("is nobody where the actor is gone, whatever becomes of what it has left", () => {
    const { origins, tell } = following()
    tell({ type: "DELETED", resource: resources.replicaSets, object: replicaSet, old: replicaSet })
    tell(modified(resources.pods, pod, leaving(pod)))
    tell({ type: "DELETED", resource: resources.pods, object: leaving(pod), old: leaving(pod) })
    expect(origins.sourceOf(ids.replicaSet, { isSeen: false })).toBeUndefined()
  })

  it("is known until nobody follows any more, and owners with it", () => {
    const { origins, stop, tell } = following()
    expect(origins.ownerOf(ids.pod)).toBe(ids.replicaSet)
    expect(origins.ownerOf(ids.replicaSet)).toBe(ids.web)
    tell({ type: "DELETED", resource: resources.pods, object: pod, old: pod })
    expect(origins.ownerOf(ids.pod)).toBeUndefined()
    stop()
    tell(modified(resources.deployments, web, bigger))
    expect(origins.sourceOf(ids.web, { isSeen: true })).toBeUndefined()
  })
})
