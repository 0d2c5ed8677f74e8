import { actorKindList } from "../../machines/actorKinds.ts"
import { completeManagedFieldsOf } from "../kubernetes/apply/managedFields/completeManagedFields.ts"
import { controllerOf } from "../kubernetes/meta/ownerReferences.ts"
import { managedFieldsOf } from "../kubernetes/apply/managedFields/ownerships.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import { writerNames } from "../runtime/reconciler/currentWriter.ts"
import type { KubeObject, Pod } from "../kubernetes/meta/objects.ts"
import type { WriterName } from "../runtime/reconciler/currentWriter.ts"

export interface ObjectChangeEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED"
  readonly resource: string
  readonly object: KubeObject
  readonly old: KubeObject | undefined
}

export interface ObservableCluster {
  readonly onChange: (listener: (change: ObjectChangeEvent, writer: WriterName) => void) => () => void
  readonly existingObjects?: ReadonlyArray<{ readonly resource: string; readonly object: KubeObject }>
}

/** Actors have ids such as `deployment/default/web`; a writer without an actor is named: `client kubectl`. */
export interface ActorOrigins {
  readonly follow: (cluster: ObservableCluster) => () => void
  readonly ownerOf: (id: string) => string | undefined
  /** The writer of unobserved changes. `marksObserved`: the actor observes them now. */
  readonly sourceOf: (id: string, options: { readonly marksObserved: boolean }) => string | undefined
}

const chartByResource: ReadonlyMap<string, string> = new Map(
  actorKindList.flatMap(({ resource, chart }) => (resource === undefined ? [] : [[resource, chart] as const]))
)
const chartByKind: ReadonlyMap<string, string> = new Map(
  actorKindList.map(({ kind, chart }) => [kind, chart] as const)
)

export const makeActorOrigins = (): ActorOrigins => {
  /** The owner of each existing object, both by the ids of their actors. */
  const owners = new Map<string, string | undefined>()
  /** The writer of the changes that an actor has not observed yet, by the actor's id. */
  const sources = new Map<string, string>()

  const setSource = (id: string, source: string): void => {
    // Of several unobserved writes, one that is not the actor's own is shown.
    if (source !== id || !sources.has(id)) sources.set(id, source)
  }

  const observe = (change: ObjectChangeEvent, writer: WriterName): void => {
    const chart = chartByResource.get(change.resource)
    if (chart === undefined) return
    const { object } = change
    const id = actorIdOf(chart, object)
    const owner = ownerIdOf(object)
    const source = sourceOfWrite(change, writer, { chart, id, owner })
    if (change.type === "DELETED") {
      owners.delete(id)
      sources.delete(id)
    } else {
      owners.set(id, owner)
      setSource(id, source)
    }
    // An owner that does not exist has no actor.
    if (owner !== undefined && owners.has(owner)) setSource(owner, source)
  }

  return {
    follow: ({ onChange, existingObjects = [] }) => {
      for (const { resource, object } of existingObjects) {
        const chart = chartByResource.get(resource)
        if (chart !== undefined) owners.set(actorIdOf(chart, object), ownerIdOf(object))
      }
      return onChange(observe)
    },
    ownerOf: (id) => owners.get(id),
    sourceOf: (id, { marksObserved }) => {
      const source = sources.get(id)
      if (marksObserved) sources.delete(id)
      return source
    }
  }
}

const actorIdOf = (chart: string, { metadata: { namespace, name } }: KubeObject): string =>
  [chart, ...(namespace === undefined ? [] : [namespace]), name].join("/")

const ownerIdOf = (object: KubeObject): string | undefined => {
  const controller = controllerOf(object)
  const chart = controller === undefined ? undefined : chartByKind.get(controller.kind)
  if (controller === undefined || chart === undefined) return undefined
  return [chart, object.metadata.namespace ?? "", controller.name].join("/")
}

const managerOfChange = ({ type, object, old }: ObjectChangeEvent): string | undefined => {
  if (type === "DELETED" || object.metadata.managedFields === old?.metadata.managedFields) return undefined
  const before = new Set(
    (old === undefined ? [] : completeManagedFieldsOf(old)).map((it) => JSON.stringify(it))
  )
  return managedFieldsOf(object).findLast((it) => !before.has(JSON.stringify(it)))?.manager
}

/** A controller writes as the actor of the object, of its owner, or, for the node controller, of its node. */
const sourceOfWrite = (
  change: ObjectChangeEvent,
  writer: WriterName,
  { chart, id, owner }: { readonly chart: string; readonly id: string; readonly owner: string | undefined }
): string => {
  if (writer === "client") {
    const manager = managerOfChange(change)
    return manager === undefined ? "client" : `client ${manager}`
  }
  if (writer === chart) return id
  if (owner?.startsWith(`${writer}/`) === true) return owner
  if (writer === "node" && change.resource === resources.pods) {
    // The resource determines the type of the object, which TypeScript cannot infer.
    const { nodeName } = (change.object as Pod).spec
    if (nodeName !== undefined) return `node/${nodeName}`
  }
  return writerNames[writer]
}
