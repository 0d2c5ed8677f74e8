import * as Effect from "effect/Effect"
import { approvalGate, recordAnnotation, steeredCondition } from "../kubernetes/steering/steeringNames.ts"
import { conditionOf, replaceConditions } from "../kubernetes/meta/conditions.ts"
import { groupResourceOf, storedKindOfObject } from "../kubernetes/meta/kinds.ts"
import { isSemanticallyEqual } from "../kubernetes/meta/semanticEquality.ts"
import type { Deployment, KubeObject, Pod } from "../kubernetes/meta/objects.ts"
import type { Draft } from "../kubernetes/meta/objects.ts"
import type { GroupResource } from "../kubernetes/meta/kinds.ts"
import type { ObjectStore } from "../store/objectStore.ts"

/**
 * A store that sends no write (shadow mode). It adds the unsent annotations and conditions to the objects that the
 * steering reads.
 */
export interface Shadow {
  readonly store: ObjectStore["Service"]
  readonly withUnsentChanges: <O extends KubeObject>(object: O) => O
  /** Whether an undo of this generation was not sent: the steering cannot know what would have followed. */
  readonly isAfterUndo: (deployment: KubeObject) => boolean
}

/** The unsent changes of one object. */
interface Overlay {
  readonly setAnnotations: Readonly<Record<string, string>>
  readonly removedAnnotations: Readonly<Record<string, string>>
  /** By type; undefined for a removed condition. */
  readonly conditions: Readonly<Record<string, Condition | undefined>>
}

type Condition = NonNullable<Pod["status"]["conditions"]>[number]

const noOverlay: Overlay = { setAnnotations: {}, removedAnnotations: {}, conditions: {} }

export const makeShadow = (
  remoteStore: ObjectStore["Service"],
  refresh: (resource: GroupResource, object: KubeObject) => void
): Shadow => {
  const overlays = new Map<string, Overlay>()
  /** The generation at which an undo would have set the template back, by uid. */
  const undoneAtGeneration = new Map<string, number | undefined>()
  const serverObjects = new Map<string, KubeObject>()

  const withUnsentChanges: Shadow["withUnsentChanges"] = (object) => {
    const overlay = overlays.get(object.metadata.uid)
    serverObjects.set(object.metadata.uid, object)
    return overlay === undefined ? object : withOverlay(object, overlay)
  }
  const addUnsent = (draft: Draft, change: (overlay: Overlay, original: KubeObject) => Overlay) =>
    Effect.sync(() => {
      const uid = draft.metadata.uid ?? ""
      const original = serverObjects.get(uid)
      if (original === undefined) return draft as KubeObject
      overlays.set(uid, change(overlays.get(uid) ?? noOverlay, original))
      const kind = storedKindOfObject(original)
      if (kind !== undefined) refresh(groupResourceOf(kind), original)
      return withOverlay(original, overlays.get(uid) ?? noOverlay)
    })
  return {
    withUnsentChanges,
    isAfterUndo: ({ metadata }) =>
      undoneAtGeneration.has(metadata.uid) && undoneAtGeneration.get(metadata.uid) === metadata.generation,
    store: {
      ...remoteStore,
      create: (draft) => Effect.succeed(draft as KubeObject),
      delete: (ref) => remoteStore.get(ref),
      modify: ({ resource, key }, change) =>
        Effect.map(remoteStore.get({ resource, key }), (object) => change(object) as KubeObject),
      update: (draft) =>
        addUnsent(draft, (overlay, original) => {
          if (isSpecChanged(draft, original))
            undoneAtGeneration.set(original.metadata.uid, original.metadata.generation)
          const [before, after] = [original.metadata.annotations ?? {}, draft.metadata.annotations ?? {}]
          const newEntries = Object.entries(after).filter(([name, value]) => before[name] !== value)
          const removedEntries = Object.entries(before).filter(([name]) => !Object.hasOwn(after, name))
          return {
            ...overlay,
            setAnnotations: Object.fromEntries(newEntries),
            removedAnnotations: Object.fromEntries(removedEntries)
          }
        }),
      updateStatus: (draft) =>
        addUnsent(draft, (overlay) => {
          const { conditions } = (draft as Deployment | Pod).status
          const type = draft.kind === "Pod" ? approvalGate : steeredCondition
          const condition = conditionOf(conditions, type)
          return { ...overlay, conditions: { ...overlay.conditions, [type]: condition } }
        })
    }
  }
}

const isSpecChanged = (draft: Draft, original: KubeObject): boolean =>
  draft.kind === "Deployment" &&
  !isSemanticallyEqual((draft as Deployment).spec, (original as Deployment).spec)

const withOverlay = <O extends KubeObject>(object: O, overlay: Overlay): O => {
  const { setAnnotations, removedAnnotations, conditions } = overlay
  const annotations = { ...object.metadata.annotations }
  // A steering record on the server stays: another controller really steers the Deployment.
  const isSteered = Object.hasOwn(annotations, recordAnnotation)
  for (const [name, value] of Object.entries(removedAnnotations))
    if (annotations[name] === value) delete annotations[name]
  for (const [name, value] of Object.entries(setAnnotations))
    if (name !== recordAnnotation || !isSteered) annotations[name] = value
  return {
    ...object,
    metadata: { ...object.metadata, annotations },
    ...(Object.keys(conditions).length === 0 ? {} : { status: withConditions(object, conditions) })
  }
}

const withConditions = (object: KubeObject, conditions: Overlay["conditions"]): unknown => {
  const { status = {} } = object as { readonly status?: Partial<Pod["status"]> }
  const otherConditions = (status.conditions ?? []).filter(({ type }) => !Object.hasOwn(conditions, type))
  const unsentConditions = Object.values(conditions).filter((condition) => condition !== undefined)
  return { ...status, conditions: replaceConditions(otherConditions, unsentConditions) }
}
