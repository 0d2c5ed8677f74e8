import * as Effect from "effect/Effect"
import { isSemanticallyEqual } from "../../kubernetes/meta/semanticEquality.ts"
import { kubeletStateAnnotation } from "../../kubernetes/core/nodeStatus.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { startOfDrain, makeDrain } from "./nodeDrain.ts"
import { NotFound } from "../../store/storeErrors.ts"
import { lastingKind } from "../faultKind.ts"
import { refusedByStore } from "../faultRefused.ts"
import type { KubeObject, Node } from "../../kubernetes/meta/objects.ts"
import type { EndFault, FaultKinds, FaultNamed, FaultContext } from "../faultKind.ts"
import type { FaultRefused } from "../faultRefused.ts"
import type { NodeFaultTypes } from "../schemas/nodeFaultSchemas.ts"

export const nodeFaults: FaultKinds<keyof NodeFaultTypes> = {
  nodeLost: lastingKind({
    text: ({ node }) => `${node} is lost`,
    deletes: ({ node }, { spec }) => spec.nodeName === node,
    begin: (fault, context) => holdProperty(fault, context, kubeletProperty),
    makeLasting: ({ node }, context, changed) => ({
      end: restoreProperty(context, node, changed, kubeletProperty)
    })
  }),
  nodeCordoned: lastingKind({
    text: ({ node }) => `${node} is cordoned`,
    begin: (fault, context) => holdProperty(fault, context, cordonProperty),
    makeLasting: ({ node }, context, changed) => ({
      end: restoreProperty(context, node, changed, cordonProperty)
    })
  }),
  nodeDrained: lastingKind({
    text: ({ node }) => `${node} is drained`,
    deletes: ({ node }, { spec }) => spec.nodeName === node,
    // `kept`: the node that this fault has cordoned.
    begin: (fault, context) =>
      Effect.map(holdProperty(fault, context, cordonProperty), (changed) => ({
        kept: changed,
        drain: startOfDrain(context, fault.node)
      })),
    makeLasting: ({ node }, context, { kept, drain }) => {
      const { evictRemaining, stop, save } = makeDrain(context, drain)
      return {
        runOnce: evictRemaining,
        end: Effect.andThen(Effect.sync(stop), restoreProperty(context, node, kept, cordonProperty)),
        save: (saveTimerPlace) => ({ kept, drain: save(saveTimerPlace) })
      }
    }
  }),
  nodeFull: lastingKind({
    text: ({ node }) => `${node} is full`,
    begin: (fault, context) => holdProperty(fault, context, roomProperty(context, fault.node)),
    makeLasting: ({ node }, context, changed) => ({
      end: restoreProperty(context, node, changed, roomProperty(context, node))
    })
  })
}

/** A node's property that a fault changes and restores. */
interface NodeProperty {
  readonly propertyName: string
  readonly read: (node: Node) => unknown
  readonly change: (node: Node) => Node
  readonly restore: (node: Node, before: unknown) => Node
  /** Whether to write the node's status. */
  readonly isStatus?: boolean
}

interface ChangedNode {
  readonly uid: string
}

const holdProperty = (
  { fault, node: name }: FaultNamed<keyof NodeFaultTypes>,
  context: FaultContext,
  property: NodeProperty
): Effect.Effect<ChangedNode, FaultRefused> =>
  Effect.gen(function* () {
    const node = context.view.get(resources.nodes, name)
    if (node === undefined) {
      return yield* refusedByStore(fault, new NotFound({ resource: resources.nodes, resourceName: name }))
    }
    const { uid } = node.metadata
    const valueName = `${property.propertyName} ${uid}`
    const isFirstFault = context.nodeValuesBeforeFaults.hold(valueName, property.read(node))
    if (isFirstFault) {
      yield* writeNode(context, { name, uid, property }, property.change).pipe(
        Effect.mapError((error) => refusedByStore(fault, error)),
        Effect.onError(() => Effect.sync(() => context.nodeValuesBeforeFaults.release(valueName)))
      )
    }
    return { uid }
  })

const restoreProperty = (
  context: FaultContext,
  name: string,
  { uid }: ChangedNode,
  property: NodeProperty
): EndFault =>
  Effect.suspend(() => {
    const original = context.nodeValuesBeforeFaults.release(`${property.propertyName} ${uid}`)
    if (original === undefined) return Effect.void
    // The node may have been deleted.
    return Effect.ignore(
      writeNode(context, { name, uid, property }, (node) => property.restore(node, original.before))
    )
  })

const writeNode = (
  { store }: FaultContext,
  { name, uid, property }: { readonly name: string; readonly uid: string; readonly property: NodeProperty },
  change: (node: Node) => Node
) =>
  store.modify({ resource: resources.nodes, key: name }, (object: KubeObject) => change(object as Node), {
    uid,
    status: property.isStatus ?? false
  })

const kubeletProperty: NodeProperty = {
  propertyName: "kubelet",
  read: ({ metadata }) => metadata.annotations?.[kubeletStateAnnotation],
  change: (node) => withKubelet(node, "stopped"),
  restore: (node, before) => withKubelet(node, typeof before === "string" ? before : undefined)
}

const withKubelet = (node: Node, state: string | undefined): Node => {
  const { annotations: present = {}, ...metadata } = node.metadata
  const { [kubeletStateAnnotation]: _old, ...others } = present
  const annotations = state === undefined ? others : { ...others, [kubeletStateAnnotation]: state }
  return {
    ...node,
    metadata: Object.keys(annotations).length === 0 ? metadata : { ...metadata, annotations }
  }
}

const cordonProperty: NodeProperty = {
  propertyName: "cordon",
  read: ({ spec }) => spec.unschedulable === true,
  change: (node) => ({ ...node, spec: { ...node.spec, unschedulable: true } }),
  restore: (node, before) => {
    const { unschedulable: _is, ...spec } = node.spec
    return before === true ? node : { ...node, spec }
  }
}

/** The scheduler reads `allocatable.pods`, and heartbeats do not write it. */
const roomProperty = ({ view }: FaultContext, name: string): NodeProperty => {
  const withNoRoom = (node: Node): Node => {
    const { allocatable = node.status.capacity ?? {} } = node.status
    const pods = String(view.nodePods.requestedOn(name).pods)
    return { ...node, status: { ...node.status, allocatable: { ...allocatable, pods } } }
  }
  return {
    propertyName: "room",
    read: (node) => ({ was: node.status.allocatable, is: withNoRoom(node).status.allocatable }),
    change: withNoRoom,
    restore: (node, before) => {
      const { was, is } = before as { readonly was?: Allocatable; readonly is?: Allocatable }
      // Another client has changed the amounts.
      if (!isSemanticallyEqual(node.status.allocatable, is)) return node
      const { allocatable: _full, ...status } = node.status
      return { ...node, status: was === undefined ? status : { ...status, allocatable: was } }
    },
    isStatus: true
  }
}

type Allocatable = NonNullable<Node["status"]["allocatable"]>
