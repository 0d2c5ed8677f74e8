import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import {
  deleteOptionNames,
  listOptionNames,
  subscribeOptionNames,
  validateAddress,
  writeTargetNames,
  watchOptionNames
} from "./callOptions.ts"
import { toListOptions, toStoreRef } from "./toStoreRequest.ts"
import { formatOptionValue, InvalidOptions, validateOptionNames } from "../../options/invalidOptions.ts"
import { decodeObject } from "../../kubernetes/admission/decoding/decodeObject.ts"
import { decodeStruct, newDecodeState } from "../../kubernetes/admission/decoding/decodeStruct.ts"
import {
  invalidMessage,
  unsupportedValue,
  requiredValue,
  type FieldErrors
} from "../../kubernetes/validation/fieldErrors.ts"
import { kubeletStateAnnotation } from "../../kubernetes/core/nodeStatus.ts"
import { convertToStored } from "../../kubernetes/meta/kindConversion.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { unknownResourceMessage } from "../../kubernetes/meta/resourceNames.ts"
import { isFields, toJsonValue } from "../../kubernetes/meta/fields.ts"
import { requestedVersionProblem } from "../../store/storeRefusals.ts"
import { toObjectKey } from "../../kubernetes/meta/objects.ts"
import { UnapplicablePatch } from "../../kubernetes/apply/patches/unapplicablePatch.ts"
import { deepFreezeEveryPart } from "../../kubernetes/meta/deepFreeze.ts"
import { WatchFeed } from "../../store/watch/watchFeed.ts"
import { effectStreams } from "../../store/watch/effectStreams.ts"
import { currentWriterName } from "../../runtime/reconciler/currentWriter.ts"
import { BadRequest, Invalid, NotFound } from "../../store/storeErrors.ts"
import type { GroupResource, Kind, KindRegistry } from "../../kubernetes/meta/kinds.ts"
import type { Draft, KubeObject } from "../../kubernetes/meta/objects.ts"
import type { UserCalls } from "../../runtime/time/userCalls.ts"
import type { Observers } from "../../runtime/observers.ts"
import type { Expired, StoreError } from "../../store/storeErrors.ts"
import type { Watches } from "../../store/watch/watchChanges.ts"
import type { ObjectAddress, PodBinding, WatchQuery, WriteTarget } from "./callOptions.ts"
import type { ObjectCalls, UntypedObjectCalls } from "./clusterCalls.ts"
import type {
  Change,
  ClusterView,
  DeleteOptions,
  ObjectStore,
  Ref,
  WatchOptions
} from "../../store/objectStore.ts"

export interface ObjectApi extends ObjectCalls<"effect"> {
  readonly modify: (
    address: ObjectAddress,
    change: (object: KubeObject) => Draft,
    options?: WriteTarget
  ) => Effect.Effect<KubeObject, StoreError>
  /** As `watch`, for clusters whose calls return promises: they do not load Effect's streams. */
  readonly feed: (resource?: GroupResource, query?: WatchQuery) => WatchFeed<Change, Expired | BadRequest>
}

interface Storage {
  readonly store: ObjectStore["Service"]
  readonly view: ClusterView["Service"]
}

type ObjectApiUserCalls = Pick<UserCalls, "runNow" | "whileOpen" | "checkOpen" | "importModule">

export const makeObjectApi = (
  { store, view, feed }: Storage & Pick<Watches, "feed">,
  { runNow, whileOpen, checkOpen, importModule }: ObjectApiUserCalls,
  observers: Observers
): ObjectApi => {
  const { kinds } = view
  const ifServed = <A, E>(
    resource: GroupResource,
    request: () => Effect.Effect<A, E>
  ): Effect.Effect<A, E | BadRequest> => Effect.flatMap(resolveKind(kinds, resource), request)
  const onObject = <R extends GroupResource, A, E>(
    address: ObjectAddress<R>,
    request: (ref: Ref<R>) => Effect.Effect<A, E>
  ): Effect.Effect<A, E | BadRequest> =>
    runNow(ifServed(address.resource, () => request(toStoreRef(kinds, address))))
  const modify: ObjectApi["modify"] = (address, change, options = {}) =>
    Effect.suspend(() => {
      validateAddress("modify", address)
      return onObject(address, (ref) =>
        store.modify(ref, (object) => deepFreezeEveryPart(change(object)), options)
      )
    })
  const openWatch = <A>(
    resource: GroupResource | undefined,
    query: WatchQuery,
    open: (options: WatchOptions) => A
  ): Effect.Effect<A, BadRequest> => {
    const listOptions = toListOptions(kinds, {
      ...validateOptionNames("watch", query, watchOptionNames),
      resource
    })
    const { resourceVersion } = query
    const problem = resourceVersion === undefined ? undefined : requestedVersionProblem(resourceVersion)
    if (problem !== undefined) throw new BadRequest({ why: problem })
    const options: WatchOptions = {
      ...Result.getOrThrow(listOptions),
      ...(resource === undefined ? {} : { resource }),
      ...(resourceVersion === undefined ? {} : { resourceVersion })
    }
    const opened = Effect.sync(() => open(options))
    return whileOpen(resource === undefined ? opened : ifServed(resource, () => opened))
  }
  const calls: UntypedObjectCalls<"effect"> & Pick<ObjectApi, "modify" | "feed"> = {
    apply: (manifest) =>
      Effect.flatMap(
        importModule(() => import("../../manifests/applyManifests.ts")),
        ({ applyManifest }) => runNow(applyManifest(store, manifest))
      ),
    create: (draft) => runNow(Effect.suspend(() => writeCopy({ store, view }, draft, store.create))),
    update: (draft, target = {}) =>
      runNow(
        Effect.suspend(() => {
          const { status = false } = validateOptionNames("update", target, writeTargetNames)
          return writeCopy({ store, view }, draft, status ? store.updateStatus : store.update)
        })
      ),
    get: (address) =>
      Effect.suspend(() => {
        validateAddress("get", address)
        return onObject(address, store.get)
      }),
    list: (resource, query = {}) =>
      Effect.suspend(() => {
        const options = toListOptions(kinds, {
          ...validateOptionNames("list", query, listOptionNames),
          resource
        })
        return Effect.flatMap(Effect.fromResult(options), (listOptions) =>
          runNow(ifServed(resource, () => store.list(resource, listOptions)))
        )
      }),
    watch: (resource, query = {}) => effectStreams().unwrap(openWatch(resource, query, store.watch)),
    feed: (resource, query = {}) =>
      new WatchFeed(Effect.flatMap(openWatch(resource, query, feed), ({ open }) => open)),
    patch: (address, patch, options = {}) =>
      Effect.suspend(() => {
        validateAddress("patch", address)
        validateOptionNames("patch", options, writeTargetNames)
        return Effect.flatMap(
          importModule(() => import("../../kubernetes/apply/patches/jsonPatches.ts")),
          ({ applyPatch }) =>
            modify(address, (object) => applyPatch(object, patch, kinds), options).pipe(
              // `applyPatch` runs inside the store's write, which it can leave by a defect only.
              Effect.catchDefect((defect) =>
                defect instanceof UnapplicablePatch ? Effect.fail(defect) : Effect.die(defect)
              )
            )
        )
      }),
    modify,
    delete: (address, options = {}) =>
      Effect.suspend(() => {
        validateAddress("delete", address)
        validateOptionNames("delete", options, deleteOptionNames)
        return onObject(address, (ref) => deleteValidated(store, ref, options))
      }),
    bind: (binding) => runNow(Effect.suspend(() => bindByName({ store, view }, binding))),
    onChange: (resourceOrListener, listenerOrOptions) => {
      checkOpen()
      const resource = typeof resourceOrListener === "string" ? resourceOrListener : undefined
      const listener = resource === undefined ? resourceOrListener : listenerOrOptions
      const options = typeof listenerOrOptions === "object" ? listenerOrOptions : {}
      validateOptionNames("onChange", options, subscribeOptionNames)
      if (typeof listener !== "function")
        throw new TypeError("onChange needs a function, which is called with each change")
      if (resource !== undefined) Effect.runSync(resolveKind(kinds, resource))
      const catchErrors = observers.catchErrorsOf("an onChange callback")
      const call = catchErrors((change: Change) => listener(change, currentWriterName()))
      return view.subscribe(call, resource === undefined ? undefined : [resource], options)
    },
    events: (about) =>
      whileOpen(
        Effect.sync(() => {
          if (about !== undefined) requireUid(about)
          return [...view.all(resources.events)].filter(
            ({ involvedObject }) => about === undefined || involvedObject?.uid === about.uid
          )
        })
      ),
    setKubelet: (node, state) => runNow(setKubelet(store, node, state))
  }
  // The store has validated the type of the objects.
  return calls as ObjectApi
}

export const resolveKind = (
  kinds: KindRegistry,
  resource: GroupResource
): Effect.Effect<Kind, BadRequest> => {
  const name: unknown = resource
  if (typeof name !== "string")
    return Effect.fail(
      new BadRequest({ why: `a resource is named by text such as "pods", not ${formatOptionValue(name)}` })
    )
  const kind = kinds.findByResource(resource)
  return kind === undefined
    ? Effect.fail(new BadRequest({ why: unknownResourceMessage(resource, kinds) }))
    : Effect.succeed(kind)
}

const requireUid = (about: unknown): void => {
  if (isFields(about) && typeof about["uid"] === "string") return
  const problem = `events takes an object's metadata, or another object with its uid, not ${formatOptionValue(about)}`
  throw new InvalidOptions({ problems: [problem] })
}

/** The caller may change its draft later. */
const writeCopy = (
  { view }: Storage,
  draft: Draft,
  write: (object: Draft) => Effect.Effect<KubeObject, StoreError>
): Effect.Effect<KubeObject, StoreError> => {
  const decoded = decodeObject(toJsonValue(draft), { strict: true, kinds: view.kinds })
  return decoded.ok
    ? write(convertToStored(decoded.kind, decoded.object))
    : Effect.fail(new BadRequest({ why: decoded.message }))
}

const propagationPolicies = ["Foreground", "Background", "Orphan"]

const deleteValidated = (
  store: Storage["store"],
  ref: Ref,
  request: DeleteOptions
): Effect.Effect<KubeObject, StoreError> => {
  // In the API's DeleteOptions `dryRun` is a list, here a boolean.
  const { dryRun: _dryRun, ...otherOptions } = request
  const decoding = newDecodeState()
  decodeStruct(withoutUndefined(otherOptions), "DeleteOptions", decoding)
  if (decoding.problem !== undefined) return Effect.fail(new BadRequest({ why: decoding.problem.message }))
  const { propagationPolicy } = request
  if (propagationPolicy === undefined || propagationPolicies.includes(propagationPolicy))
    return store.delete(ref, request)
  return Effect.fail(
    toInvalid(
      { group: "meta.k8s.io", kind: "DeleteOptions" },
      {
        resource: ref.resource,
        resourceName: "",
        errors: [unsupportedValue("propagationPolicy", propagationPolicy, [...propagationPolicies, "nil"])]
      }
    )
  )
}

const withoutUndefined = (options: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))

/** Source: pkg/registry/core/pod/storage/storage.go (BindingREST). */
const bindByName = (
  { store, view }: Storage,
  { name, namespace = "default", node }: PodBinding
): Effect.Effect<KubeObject, StoreError> => {
  const key = toObjectKey(namespace, name)
  const pod = view.get(resources.pods, key)
  if (pod === undefined) return Effect.fail(new NotFound({ resource: resources.pods, resourceName: name }))
  if (node !== "") return store.bind({ key, uid: pod.metadata.uid, nodeName: node })
  const errors = [requiredValue("target.name")]
  return Effect.fail(
    toInvalid({ group: "", kind: "Binding" }, { resource: "bindings", resourceName: name, errors })
  )
}

const toInvalid = (
  kind: { readonly group: string; readonly kind: string },
  refused: { readonly resource: string; readonly resourceName: string; readonly errors: FieldErrors }
): Invalid => {
  const groupKind = kind.group === "" ? kind.kind : `${kind.kind}.${kind.group}`
  return new Invalid({
    ...refused,
    kind,
    sentence: invalidMessage({ groupKind, name: refused.resourceName, errors: refused.errors })
  })
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
        annotations: { ...object.metadata.annotations, [kubeletStateAnnotation]: state }
      }
    }))
  )
}
