import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { showValue } from "../options/invalidOptions.ts"
import { decodeObject } from "../kubernetes/admission/decoding/decodeObject.ts"
import { decodeStruct, newDecodeState } from "../kubernetes/admission/decoding/decodeStruct.ts"
import {
  invalidMessage,
  unsupportedValue,
  requiredValue,
  type FieldErrors
} from "../kubernetes/validation/fieldErrors.ts"
import { kubeletAnnotation } from "../kubernetes/core/nodeStatus.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import { unknownResourceMessage } from "../kubernetes/meta/resourceNames.ts"
import { toObjectKey } from "../kubernetes/meta/objects.ts"
import { deepFreezeUntrusted } from "../kubernetes/meta/deepFreeze.ts"
import { currentWriterName } from "../faults/currentWriter.ts"
import { BadRequest, Invalid, NotFound } from "../store/storeErrors.ts"
import type { GroupResource, Kind, KindRegistry } from "../kubernetes/meta/kinds.ts"
import type { Draft, EventObject, KubeObject, Manifest } from "../kubernetes/meta/objects.ts"
import type { TimelineGate } from "../runtime/time/timelineGate.ts"
import type { Observers } from "../runtime/observers.ts"
import type { Expired, StoreError } from "../store/storeErrors.ts"
import type { WriterName } from "../faults/currentWriter.ts"
import type {
  Change,
  ClusterView,
  DeleteOptions,
  ListOptions,
  ObjectList,
  ObjectOf,
  ObjectStore,
  Ref,
  WatchOptions
} from "../store/objectStore.ts"

/** What a cluster does with objects. */
export interface ObjectApi {
  readonly create: (draft: Manifest) => Effect.Effect<KubeObject, StoreError>
  readonly get: <R extends GroupResource>(
    resource: R,
    name: string,
    namespace?: string
  ) => Effect.Effect<ObjectOf<R>, NotFound | BadRequest>
  readonly list: <R extends GroupResource>(
    resource: R,
    options?: ListOptions
  ) => Effect.Effect<ObjectList<ObjectOf<R>>, BadRequest>
  readonly modify: (
    ref: Ref,
    change: (object: KubeObject) => Draft,
    options?: { readonly status?: boolean }
  ) => Effect.Effect<KubeObject, StoreError>
  readonly delete: (ref: Ref, options?: DeleteOptions) => Effect.Effect<KubeObject, StoreError>
  /** Binds a Pod to a node: for Pods with behaviour `manual`. */
  readonly bind: (binding: PodBinding) => Effect.Effect<KubeObject, StoreError>
  readonly watch: (options?: WatchOptions) => Stream.Stream<Change, Expired | BadRequest>
  /** Calls back on every change, synchronously and in order, with its writer. Returns how to unsubscribe. */
  readonly onChange: (listener: (change: Change, by: WriterName) => unknown) => () => void
  readonly events: (about?: { readonly uid: string }) => Effect.Effect<ReadonlyArray<EventObject>>
  readonly setKubelet: (node: string, state: "running" | "stopped") => Effect.Effect<void, StoreError>
}

interface Storage {
  readonly store: ObjectStore["Service"]
  readonly view: ClusterView["Service"]
}

export const makeObjectApi = (
  { store, view }: Storage,
  {
    runAtPresent: here,
    whileOpen,
    checkOpen
  }: Pick<TimelineGate, "runAtPresent" | "whileOpen" | "checkOpen">,
  observers: Observers
): ObjectApi => {
  const ifServed = <A, E>(
    resource: GroupResource,
    act: () => Effect.Effect<A, E>
  ): Effect.Effect<A, E | BadRequest> => Effect.flatMap(resolveKind(view.kinds, resource), act)
  return {
    create: (draft) => here(Effect.suspend(() => createCopy({ store, view }, draft))),
    get: (resource, name, namespace) =>
      here(ifServed(resource, () => store.get({ resource, key: toObjectKey(namespace, name) }))),
    list: (resource, wanted) => here(ifServed(resource, () => store.list(resource, wanted))),
    modify: (ref, change, only) =>
      here(
        ifServed(ref.resource, () => store.modify(ref, (object) => deepFreezeUntrusted(change(object)), only))
      ),
    delete: (ref, request) =>
      here(ifServed(ref.resource, () => deleteValidated({ store, view }, ref, request))),
    bind: (binding) => here(Effect.suspend(() => bindByName({ store, view }, binding))),
    watch: (wanted = {}) => {
      const watched = Effect.sync(() => store.watch(wanted))
      const { resource } = wanted
      return Stream.unwrap(whileOpen(resource === undefined ? watched : ifServed(resource, () => watched)))
    },
    onChange: (listener) => {
      checkOpen()
      const observe = observers.add("an onChange callback")
      return view.subscribe(observe((change) => listener(change, currentWriterName())))
    },
    events: (about) =>
      whileOpen(
        Effect.sync(() =>
          [...view.all(resources.events)].filter(
            ({ involvedObject }) => about === undefined || involvedObject?.uid === about.uid
          )
        )
      ),
    setKubelet: (node, state) => here(setKubelet(store, node, state))
  }
}

/** The kind of a resource. An unknown resource is an error, not a resource without objects. */
export const resolveKind = (
  kinds: KindRegistry,
  resource: GroupResource
): Effect.Effect<Kind, BadRequest> => {
  const name: unknown = resource
  if (typeof name !== "string")
    return Effect.fail(
      new BadRequest({ why: `a resource is named by text such as "pods", not ${showValue(name)}` })
    )
  const kind = kinds.ofResource(resource)
  return kind === undefined
    ? Effect.fail(new BadRequest({ why: unknownResourceMessage(resource, kinds) }))
    : Effect.succeed(kind)
}

const createCopy = ({ store, view }: Storage, draft: Draft): Effect.Effect<KubeObject, StoreError> => {
  const decoded = decodeObject(structuredClone(draft), { strict: true, kinds: view.kinds })
  return decoded.ok ? store.create(decoded.object) : Effect.fail(new BadRequest({ why: decoded.message }))
}

const policies = ["Foreground", "Background", "Orphan"]

const deleteValidated = (
  { store }: Storage,
  ref: Ref,
  request: DeleteOptions = {}
): Effect.Effect<KubeObject, StoreError> => {
  const { dryRun: _tried, ...otherOptions } = request
  const decoding = newDecodeState()
  decodeStruct(withoutUndefined(otherOptions), "DeleteOptions", decoding)
  if (decoding.problem !== undefined) return Effect.fail(new BadRequest({ why: decoding.problem.message }))
  const { propagationPolicy: policy } = request
  if (policy === undefined || policies.includes(policy)) return store.delete(ref, request)
  return Effect.fail(
    toInvalid(
      { group: "meta.k8s.io", kind: "DeleteOptions" },
      {
        resource: ref.resource,
        name: "",
        errors: [unsupportedValue("propagationPolicy", policy, [...policies, "nil"])]
      }
    )
  )
}

const withoutUndefined = (options: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))

export interface PodBinding {
  readonly name: string
  readonly namespace?: string
  readonly node: string
}

/**
 * Binds a Pod as a scheduler does.
 *
 * Source: pkg/registry/core/pod/storage/storage.go (BindingREST).
 */
const bindByName = (
  { store, view }: Storage,
  { name, namespace = "default", node }: PodBinding
): Effect.Effect<KubeObject, StoreError> => {
  const key = toObjectKey(namespace, name)
  const pod = view.get(resources.pods, key)
  if (pod === undefined) return Effect.fail(new NotFound({ resource: resources.pods, name }))
  if (node !== "") return store.bind({ key, uid: pod.metadata.uid, nodeName: node })
  const errors = [requiredValue("target.name")]
  return Effect.fail(toInvalid({ group: "", kind: "Binding" }, { resource: "bindings", name, errors }))
}

const toInvalid = (
  kind: { readonly group: string; readonly kind: string },
  refused: { readonly resource: string; readonly name: string; readonly errors: FieldErrors }
): Invalid => {
  const groupKind = kind.group === "" ? kind.kind : `${kind.kind}.${kind.group}`
  return new Invalid({ ...refused, kind, sentence: invalidMessage({ groupKind, ...refused }) })
}

const setKubelet = (
  store: Storage["store"],
  node: string,
  state: "running" | "stopped"
): Effect.Effect<void, StoreError> => {
  if (state !== "running" && state !== "stopped") {
    const why = `a kubelet is "running" or "stopped", not ${JSON.stringify(state)}`
    return Effect.fail(new BadRequest({ why }))
  }
  return Effect.asVoid(
    store.modify({ resource: resources.nodes, key: node }, (object) => ({
      ...object,
      metadata: {
        ...object.metadata,
        annotations: { ...object.metadata.annotations, [kubeletAnnotation]: state }
      }
    }))
  )
}
