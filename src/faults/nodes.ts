import * as Effect from "effect/Effect"
import { isSameValue } from "../domain/sameness.ts"
import { kubeletAnnotation } from "../domain/nodeStatus.ts"
import { resources } from "../domain/kinds.ts"
import { podsToDrain, makeDrain } from "./drain.ts"
import { NotFound } from "../store/errors.ts"
import { lastingKind, refusedByStore } from "./faultWorld.ts"
import type { KubeObject, Node } from "../domain/objects.ts"
import type { EndFault, FaultKinds, FaultNamed, FaultRefused, FaultWorld } from "./faultWorld.ts"

type NodeFaultName = "nodeLost" | "nodeDrained" | "nodeCordoned" | "nodeFull"

/** Faults of nodes. When the last fault of a kind ends, the node is restored. */
export const nodeFaults: FaultKinds<NodeFaultName> = {
  nodeLost: lastingKind(
    (fault, world) => holdProperty(fault, world, kubeletProperty),
    ({ node }, world, kept) => ({ end: restoreProperty(world, node, kept, kubeletProperty) })
  ),
  nodeCordoned: lastingKind(
    (fault, world) => holdProperty(fault, world, cordonProperty),
    ({ node }, world, kept) => ({ end: restoreProperty(world, node, kept, cordonProperty) })
  ),
  nodeDrained: lastingKind(
    (fault, world) =>
      Effect.map(holdProperty(fault, world, cordonProperty), (kept) => ({
        kept,
        drain: podsToDrain(world, fault.node)
      })),
    ({ node }, world, { kept, drain: begun }) => {
      const { round, stop, save } = makeDrain(world, begun)
      return {
        first: round,
        end: Effect.andThen(Effect.sync(stop), restoreProperty(world, node, kept, cordonProperty)),
        save: (placeOf) => ({ kept, drain: save(placeOf) })
      }
    }
  ),
  nodeFull: lastingKind(
    (fault, world) => holdProperty(fault, world, roomProperty(world, fault.node)),
    ({ node }, world, kept) => ({ end: restoreProperty(world, node, kept, roomProperty(world, node)) })
  )
}

/** A property of a node that faults change for a while. */
interface NodeProperty {
  readonly what: string
  /** The original value. */
  readonly read: (node: Node) => unknown
  readonly change: (node: Node) => Node
  readonly restore: (node: Node, before: unknown) => Node
  readonly isStatus?: boolean
}

/** The node that was changed. */
interface ChangedNode {
  readonly uid: string
}

const holdProperty = (
  { fault, node: name }: FaultNamed<NodeFaultName>,
  world: FaultWorld,
  keeping: NodeProperty
): Effect.Effect<ChangedNode, FaultRefused> =>
  Effect.gen(function* () {
    const node = world.view.get(resources.nodes, name)
    if (node === undefined) {
      return yield* refusedByStore(fault, new NotFound({ resource: resources.nodes, name }))
    }
    const { uid } = node.metadata
    const what = `${keeping.what} ${uid}`
    if (world.heldValues.hold(what, keeping.read(node))) {
      yield* writeNode(world, { name, uid, keeping }, keeping.change).pipe(
        Effect.mapError((error) => refusedByStore(fault, error)),
        Effect.onError(() => Effect.sync(() => world.heldValues.release(what)))
      )
    }
    return { uid }
  })

const restoreProperty = (
  world: FaultWorld,
  name: string,
  { uid }: ChangedNode,
  keeping: NodeProperty
): EndFault =>
  Effect.suspend(() => {
    const original = world.heldValues.release(`${keeping.what} ${uid}`)
    if (original === undefined) return Effect.void
    // The node may be gone by then.
    return Effect.ignore(
      writeNode(world, { name, uid, keeping }, (it) => keeping.restore(it, original.before))
    )
  })

const writeNode = (
  { store }: FaultWorld,
  { name, uid, keeping }: { readonly name: string; readonly uid: string; readonly keeping: NodeProperty },
  to: (node: Node) => Node
) =>
  store.modify({ resource: resources.nodes, key: name }, (object: KubeObject) => to(object as Node), {
    uid,
    status: keeping.isStatus ?? false
  })

/** The kubelet sends no heartbeats. */
const kubeletProperty: NodeProperty = {
  what: "kubelet",
  read: ({ metadata }) => metadata.annotations?.[kubeletAnnotation],
  change: (node) => withKubelet(node, "stopped"),
  restore: (node, before) => withKubelet(node, typeof before === "string" ? before : undefined)
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

const cordonProperty: NodeProperty = {
  what: "cordon",
  read: ({ spec }) => spec.unschedulable === true,
  change: (node) => ({ ...node, spec: { ...node.spec, unschedulable: true } }),
  restore: (node, before) => {
    const { unschedulable: _is, ...spec } = node.spec
    return before === true ? node : { ...node, spec }
  }
}

/**
 * The node has room for its present Pods only: `allocatable.pods`, which the scheduler reads and heartbeats do not
 * write.
 */
const roomProperty = ({ view }: FaultWorld, name: string): NodeProperty => {
  const full = (node: Node): Node => {
    const { allocatable = node.status.capacity ?? {} } = node.status
    const pods = String(view.nodePods.load(name).pods)
    return { ...node, status: { ...node.status, allocatable: { ...allocatable, pods } } }
  }
  return {
    what: "room",
    read: (node) => ({ was: node.status.allocatable, is: full(node).status.allocatable }),
    change: full,
    restore: (node, before) => {
      const { was, is } = before as { readonly was?: Room; readonly is?: Room }
      // A change by another client since then stays.
      if (!isSameValue(node.status.allocatable, is)) return node
      const { allocatable: _full, ...status } = node.status
      return { ...node, status: was === undefined ? status : { ...status, allocatable: was } }
    },
    isStatus: true
  }
}

type Room = NonNullable<Node["status"]["allocatable"]>
