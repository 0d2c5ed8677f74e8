import * as Effect from "effect/Effect"
import { isSameValue } from "../domain/sameness.ts"
import { kubeletAnnotation } from "../domain/nodeStatus.ts"
import { resources } from "../domain/kinds.ts"
import { drain } from "./drain.ts"
import { notFound } from "./choosePods.ts"
import { FaultRefused } from "./faultWorld.ts"
import type { KubeObject, Node } from "../domain/objects.ts"
import type { Beginnings, End, FaultNamed, FaultWorld } from "./faultWorld.ts"

type NodeFaultName = "nodeLost" | "nodeDrained" | "nodeCordoned" | "nodeFull"

/** What happens to nodes. Each is put back as it was, when the last fault that meets it so is over. */
export const nodeFaults: Beginnings<NodeFaultName> = {
  nodeLost: (fault, world) => keep(fault, world, silence),
  nodeCordoned: (fault, world) => keep(fault, world, cordon),
  nodeDrained: (fault, world) =>
    Effect.gen(function* () {
      const uncordon = yield* keep(fault, world, cordon)
      const stop = yield* drain(world, fault.node)
      return Effect.andThen(Effect.sync(stop), uncordon)
    }),
  nodeFull: (fault, world) => keep(fault, world, fill(world, fault.node))
}

/** Something of a node that is kept another way for a while. */
interface Keeping {
  readonly what: string
  /** What must be known to put it back. */
  readonly read: (node: Node) => unknown
  readonly change: (node: Node) => Node
  readonly putBack: (node: Node, before: unknown) => Node
  readonly isStatus?: boolean
}

const keep = (
  { fault, node: name }: FaultNamed<NodeFaultName>,
  world: FaultWorld,
  { what, read, change, putBack, isStatus = false }: Keeping
): Effect.Effect<End, FaultRefused> =>
  Effect.gen(function* () {
    const { store, view, holds } = world
    const node = view.get(resources.nodes, name)
    if (node === undefined) {
      return yield* new FaultRefused({ fault, why: notFound(resources.nodes, name) })
    }
    const { uid } = node.metadata
    const held = `${what} ${uid}`
    const write = (to: (node: Node) => Node) =>
      store.modify({ resource: resources.nodes, key: name }, (object: KubeObject) => to(object as Node), {
        uid,
        status: isStatus
      })
    if (holds.take(held, read(node))) {
      yield* Effect.mapError(write(change), ({ message: why }) => new FaultRefused({ fault, why }))
    }
    return Effect.suspend(() => {
      const last = holds.release(held)
      // A node that is gone by then has nothing to be put back.
      return last === undefined ? Effect.void : Effect.ignore(write((it) => putBack(it, last.before)))
    })
  })

/** Nothing is heard of its kubelet any more. */
const silence: Keeping = {
  what: "kubelet",
  read: ({ metadata }) => metadata.annotations?.[kubeletAnnotation],
  change: (node) => withKubelet(node, "stopped"),
  putBack: (node, before) => withKubelet(node, typeof before === "string" ? before : undefined)
}

const withKubelet = (node: Node, state: string | undefined): Node => {
  const { annotations: present = {}, ...metadata } = node.metadata
  const { [kubeletAnnotation]: _old, ...others } = present
  const annotations = state === undefined ? others : { ...others, [kubeletAnnotation]: state }
  return {
    ...node,
    metadata: Object.keys(annotations).length === 0 ? metadata : { ...metadata, annotations }
  }
}

const cordon: Keeping = {
  what: "cordon",
  read: ({ spec }) => spec.unschedulable === true,
  change: (node) => ({ ...node, spec: { ...node.spec, unschedulable: true } }),
  putBack: (node, before) => {
    const { unschedulable: _is, ...spec } = node.spec
    return before === true ? node : { ...node, spec }
  }
}

/**
 * It has room for the Pods that it has. Said where a scheduler reads it, in what the node may take; its heartbeats
 * speak of its conditions alone, and leave that as it is.
 */
const fill = ({ view }: FaultWorld, name: string): Keeping => {
  const full = (node: Node): Node => {
    const { allocatable = node.status.capacity ?? {} } = node.status
    const pods = String(view.nodePods.load(name).pods)
    return { ...node, status: { ...node.status, allocatable: { ...allocatable, pods } } }
  }
  return {
    what: "room",
    read: (node) => ({ was: node.status.allocatable, is: full(node).status.allocatable }),
    change: full,
    putBack: (node, before) => {
      const { was, is } = before as { readonly was?: Room; readonly is?: Room }
      // Who has said otherwise meanwhile has the last word.
      if (!isSameValue(node.status.allocatable, is)) return node
      const { allocatable: _full, ...status } = node.status
      return { ...node, status: was === undefined ? status : { ...status, allocatable: was } }
    },
    isStatus: true
  }
}

type Room = NonNullable<Node["status"]["allocatable"]>
