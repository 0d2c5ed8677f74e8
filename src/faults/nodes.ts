import * as Effect from "effect/Effect"
import { isSameValue } from "../domain/sameness.ts"
import { kubeletAnnotation } from "../domain/nodeStatus.ts"
import { resources } from "../domain/kinds.ts"
import { drained, makeDrain } from "./drain.ts"
import { NotFound } from "../store/errors.ts"
import { lasting, refusedBy } from "./faultWorld.ts"
import type { KubeObject, Node } from "../domain/objects.ts"
import type { End, FaultKinds, FaultNamed, FaultRefused, FaultWorld } from "./faultWorld.ts"

type NodeFaultName = "nodeLost" | "nodeDrained" | "nodeCordoned" | "nodeFull"

/** Faults of nodes. When the last fault of a kind ends, the node is restored. */
export const nodeFaults: FaultKinds<NodeFaultName> = {
  nodeLost: lasting(
    (fault, world) => keep(fault, world, silence),
    ({ node }, world, kept) => ({ end: putBack(world, node, kept, silence) })
  ),
  nodeCordoned: lasting(
    (fault, world) => keep(fault, world, cordon),
    ({ node }, world, kept) => ({ end: putBack(world, node, kept, cordon) })
  ),
  nodeDrained: lasting(
    (fault, world) =>
      Effect.map(keep(fault, world, cordon), (kept) => ({ kept, drain: drained(world, fault.node) })),
    ({ node }, world, { kept, drain: begun }) => {
      const { round, stop, save } = makeDrain(world, begun)
      return {
        first: round,
        end: Effect.andThen(Effect.sync(stop), putBack(world, node, kept, cordon)),
        save: (placeOf) => ({ kept, drain: save(placeOf) })
      }
    }
  ),
  nodeFull: lasting(
    (fault, world) => keep(fault, world, fill(world, fault.node)),
    ({ node }, world, kept) => ({ end: putBack(world, node, kept, fill(world, node)) })
  )
}

/** A property of a node that faults change for a while. */
interface Keeping {
  readonly what: string
  /** The original value. */
  readonly read: (node: Node) => unknown
  readonly change: (node: Node) => Node
  readonly putBack: (node: Node, before: unknown) => Node
  readonly isStatus?: boolean
}

/** The node that was changed. */
interface Kept {
  readonly uid: string
}

const keep = (
  { fault, node: name }: FaultNamed<NodeFaultName>,
  world: FaultWorld,
  keeping: Keeping
): Effect.Effect<Kept, FaultRefused> =>
  Effect.gen(function* () {
    const node = world.view.get(resources.nodes, name)
    if (node === undefined) {
      return yield* refusedBy(fault, new NotFound({ resource: resources.nodes, name }))
    }
    const { uid } = node.metadata
    const what = `${keeping.what} ${uid}`
    if (world.holds.take(what, keeping.read(node))) {
      yield* write(world, { name, uid, keeping }, keeping.change).pipe(
        Effect.mapError((error) => refusedBy(fault, error)),
        Effect.onError(() => Effect.sync(() => world.holds.release(what)))
      )
    }
    return { uid }
  })

const putBack = (world: FaultWorld, name: string, { uid }: Kept, keeping: Keeping): End =>
  Effect.suspend(() => {
    const last = world.holds.release(`${keeping.what} ${uid}`)
    if (last === undefined) return Effect.void
    // The node may be gone by then.
    return Effect.ignore(write(world, { name, uid, keeping }, (it) => keeping.putBack(it, last.before)))
  })

const write = (
  { store }: FaultWorld,
  { name, uid, keeping }: { readonly name: string; readonly uid: string; readonly keeping: Keeping },
  to: (node: Node) => Node
) =>
  store.modify({ resource: resources.nodes, key: name }, (object: KubeObject) => to(object as Node), {
    uid,
    status: keeping.isStatus ?? false
  })

/** The kubelet sends no heartbeats. */
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
 * The node has room for its present Pods only: `allocatable.pods`, which the scheduler reads and heartbeats do not
 * write.
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
      // A change by another client since then stays.
      if (!isSameValue(node.status.allocatable, is)) return node
      const { allocatable: _full, ...status } = node.status
      return { ...node, status: was === undefined ? status : { ...status, allocatable: was } }
    },
    isStatus: true
  }
}

type Room = NonNullable<Node["status"]["allocatable"]>
