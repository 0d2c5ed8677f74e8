import { dequal } from "dequal/lite"
import * as Effect from "effect/Effect"
import {
  validateCreate,
  validateStatusUpdate,
  validateUpdate,
  withDefaults
} from "../domain/admission/admit.ts"
import { groupResourceOf, resources } from "../domain/kinds.ts"
import { isTerminating } from "../domain/ownerReferences.ts"
import { byKey, keyIn } from "../domain/objects.ts"
import { isSameValue } from "../domain/sameness.ts"
import { deepFreeze } from "../domain/freeze.ts"
import { boundTo, refuseBinding } from "./binding.ts"
import { isReleased, planDeletion } from "./deletion.ts"
import { makeIdentities } from "./identity.ts"
import { makeLimitRangeIndex } from "./limitRanges.ts"
import { makePodAdmission } from "./podAdmission.ts"
import { makeReplica } from "./replica.ts"
import { makeServiceAddresses } from "./serviceAddresses.ts"
import { isWanted, makeWatch } from "./watch.ts"
import { prepareCreate, prepareStatus, prepareUpdate, withFirstStatus } from "./prepare.ts"
import {
  anotherUid,
  identityMismatch,
  invalid,
  notFound,
  refuseDeletion,
  refuseStale,
  unknownKind
} from "./refusals.ts"
import { AlreadyExists, BadRequest, Conflict, Forbidden, modifiedMeanwhile, NotFound } from "./errors.ts"
import type { FieldErrors } from "../domain/admission/fieldErrors.ts"
import type { GroupResource, Kind } from "../domain/kinds.ts"
import type { LimitRange } from "../domain/limitRanges.ts"
import type { Draft, Key, KubeObject, Namespace, Pod } from "../domain/objects.ts"
import type { Present, ReplicaState } from "./replica.ts"
import type { ServiceAddressesState } from "./serviceAddresses.ts"
import type { StoreError } from "./errors.ts"
import type { ClusterView, ObjectStore, WriteOptions } from "./objectStore.ts"

/** Changes kept for watchers that come back. */
const historyLengthDefault = 4096
/** How often the server itself tries to make up a free name. */
const nameAttemptsMax = 8

interface MemoryStoreOptions {
  readonly nowMillis: () => number
  readonly seed: number
  readonly historyLength?: number
  /** What Deployments may ask for as their strategy; upstream's two where it is left out. */
  readonly strategies?: ReadonlyArray<string>
  /** Pods it takes at the most; no bound where it is left out. */
  readonly podsMax?: number
  /** Begins as another store was. Chance goes on as it would have there, unless the seed is another one. */
  readonly from?: StoreState | undefined
}

/** All that a store holds; what is frozen is not copied. */
export interface StoreState {
  readonly seed: number
  readonly replica: ReplicaState
  readonly addresses: ServiceAddressesState
  /** How far chance has got: for what runs in the cluster, for what is only tried, and for housekeeping. */
  readonly identities: ReadonlyArray<ReadonlyArray<number>>
}

/** What the cluster keeps for itself must not change the names and uids of what runs in it. */
const housekeeping: ReadonlySet<GroupResource> = new Set([
  resources.services,
  resources.endpoints,
  resources.endpointSlices,
  resources.serviceAccounts,
  resources.configMaps
])

interface WriteMode extends WriteOptions {
  /** The status alone, or everything but it. */
  readonly status: boolean
}

/** The embedded store: one object table a resource, written by one thread, read by anyone. */
export const makeMemoryStore = (
  options: MemoryStoreOptions
): {
  readonly store: ObjectStore["Service"]
  readonly view: ClusterView["Service"]
  /** Begins with what there was at a version; for a store that holds nothing yet. */
  readonly fill: (present: Present) => void
  readonly save: () => StoreState
  /** Ends every watch. */
  readonly close: () => void
} => {
  const replica = makeReplica({
    nowMillis: options.nowMillis,
    historyLength: options.historyLength ?? historyLengthDefault
  })
  const { view, tables, tableOf, history, definitions, quotas, listeners } = replica
  const { get, all, kinds } = view
  const watches = new Set<() => void>()
  // What is only tried, and what is kept for the house, must not change the names and uids of what comes after it.
  const identities = makeIdentities(options)
  const [identity, identityTried, identityKept] = identities
  const limitRanges = makeLimitRangeIndex()
  const addresses = makeServiceAddresses()
  const podAdmission = makePodAdmission({ get, all })

  /** What the store keeps beyond what can be read of it. */
  const index = (
    resource: GroupResource,
    old: KubeObject | undefined,
    next: KubeObject | undefined
  ): void => {
    if (resource === resources.limitRanges) {
      limitRanges.update(old as LimitRange | undefined, next as LimitRange | undefined)
    } else if (resource === resources.services) addresses.update(old, next)
  }

  /** Makes a change true: a new version, the indexes, the history, and whoever listens. */
  const commit = (
    resource: GroupResource,
    old: KubeObject | undefined,
    next: KubeObject | undefined
  ): KubeObject => {
    const source = next ?? old
    if (source === undefined) throw new Error("a change of nothing")
    const resourceVersion = view.version() + 1
    const object = deepFreeze({
      ...source,
      metadata: { ...source.metadata, resourceVersion: String(resourceVersion) }
    })
    index(resource, old, next && object)
    const type = old === undefined ? "ADDED" : next === undefined ? "DELETED" : "MODIFIED"
    replica.apply({ type, resource, object, old, resourceVersion })
    return object
  }

  /**
   * Writes what an update came to: nothing when it changes nothing, a removal when it was the last thing
   * waited for.
   */
  const settle = (resource: GroupResource, old: KubeObject, next: KubeObject): KubeObject => {
    const isSame = kinds.ofResource(resource)?.custom === undefined ? isSameValue : dequal
    if (isSame(old, next)) return old
    return commit(resource, old, isReleased(next) ? undefined : next)
  }

  const create = (
    draft: Draft,
    { dryRun = false }: WriteOptions = {}
  ): Effect.Effect<KubeObject, StoreError> =>
    Effect.suspend(() => {
      const kind = kinds.ofObject(draft)
      if (kind === undefined) return Effect.fail(unknownKind(draft))
      const resource = groupResourceOf(kind)
      const { nameFor, uid } = dryRun ? identityTried : housekeeping.has(resource) ? identityKept : identity
      const { generateName, namespace, resourceVersion } = draft.metadata
      if (resourceVersion !== undefined && resourceVersion !== "") {
        return Effect.fail(
          new BadRequest({ why: "resourceVersion should not be set on objects to be created" })
        )
      }
      const refused = kind.namespaced
        ? (refuseByNamespace(resource, draft) ?? refuseByAdmission(resource, draft))
        : undefined
      if (refused !== undefined) return Effect.fail(refused)
      const taken = (name: string): KubeObject | undefined => tableOf(resource).get(keyIn(namespace, name))
      let name = draft.metadata.name ?? ""
      const isGenerated = name === "" && generateName !== undefined && generateName !== ""
      for (let attempt = 0; isGenerated && attempt < nameAttemptsMax; attempt += 1) {
        name = nameFor(generateName)
        if (taken(name) === undefined) break
      }
      const tooMany = refuseByNumber(resource, name)
      if (tooMany !== undefined) return Effect.fail(tooMany)
      const prepared = prepareCreate({
        kind,
        draft,
        name,
        uid: uid(),
        nowMillis: options.nowMillis()
      })
      const isPod = resource === resources.pods
      const limits = isPod ? limitRanges.of(namespace) : undefined
      const complete = addresses.fill(withDefaults(kind, isPod ? podAdmission.fill(prepared) : prepared))
      const filled = limits === undefined ? complete : limits.fill(complete)
      const object = withFirstStatus(resource, filled as KubeObject)
      const errors = either(addresses.problems(object), () =>
        validateCreate(kind, object, options.strategies)
      )
      if (errors.length > 0) return Effect.fail(invalid(kind, name, errors))
      const why = limits?.refusal((object as Pod).spec) ?? quotas.refusal(resource, object)
      if (why !== undefined) return Effect.fail(new Forbidden({ resource, name, why }))
      const present = taken(name)
      if (present !== undefined) {
        return Effect.fail(
          new AlreadyExists({ resource, name, terminating: isTerminating(present), isGenerated })
        )
      }
      const admitted = definitions.admitted(resource, object, options.nowMillis())
      return Effect.succeed(dryRun ? deepFreeze(admitted) : commit(resource, undefined, admitted))
    })

  /** What no machine could hold is refused as a quota would refuse it. */
  const refuseByNumber = (resource: GroupResource, name: string): StoreError | undefined => {
    const { podsMax } = options
    if (resource !== resources.pods || podsMax === undefined || tableOf(resource).size < podsMax)
      return undefined
    const why = `exceeded quota: cluster, requested: pods=1, used: pods=${podsMax}, limited: pods=${podsMax}`
    return new Forbidden({ resource, name, why })
  }

  /** A Pod is refused before it is given a name. */
  const refuseByAdmission = (resource: GroupResource, draft: Draft): StoreError | undefined => {
    const why = resource === resources.pods ? podAdmission.refusal(draft) : undefined
    if (why === undefined) return undefined
    const { name, generateName = "" } = draft.metadata
    return new Forbidden({ resource, name: name || generateName, why })
  }

  const refuseByNamespace = (resource: GroupResource, draft: Draft): StoreError | undefined => {
    const name = draft.metadata.namespace ?? ""
    const namespace: Namespace | undefined = get(resources.namespaces, name)
    if (namespace === undefined) return new NotFound({ resource: resources.namespaces, name })
    if (namespace.status.phase !== "Terminating" && !isTerminating(namespace)) return undefined
    return new Forbidden({
      resource,
      name: draft.metadata.name ?? draft.metadata.generateName ?? "",
      why: `unable to create new content in namespace ${name} because it is being terminated`,
      cause: "NamespaceTerminating"
    })
  }

  const write = (draft: Draft, mode: WriteMode): Effect.Effect<KubeObject, StoreError> =>
    Effect.suspend(() => {
      const kind = kinds.ofObject(draft)
      if (kind === undefined) return Effect.fail(unknownKind(draft))
      const resource = groupResourceOf(kind)
      const name = draft.metadata.name ?? ""
      const { namespace, uid, resourceVersion } = draft.metadata
      const old = tableOf(resource).get(keyIn(namespace, name))
      if (old === undefined) return Effect.fail(new NotFound({ resource, name }))
      if (uid !== undefined && uid !== old.metadata.uid) {
        return Effect.fail(new Conflict({ resource, name, why: identityMismatch(kind, old, uid) }))
      }
      if (resourceVersion && resourceVersion !== "0" && resourceVersion !== old.metadata.resourceVersion) {
        return Effect.fail(new Conflict({ resource, name, why: modifiedMeanwhile }))
      }
      return replace(kind, old, draft, mode)
    })

  const replace = (
    kind: Kind,
    old: KubeObject,
    draft: Draft,
    { status, dryRun = false }: WriteMode
  ): Effect.Effect<KubeObject, StoreError> => {
    const prepare = status
      ? prepareStatus
      : (of: Kind, from: KubeObject, to: Draft) =>
          prepareUpdate(of, from, addresses.fill(withDefaults(of, to), from))
    const next = prepare(kind, old, draft)
    const errors = status
      ? validateStatusUpdate(kind, next, old)
      : either(addresses.problems(next, old), () => validateUpdate(kind, next, old, options.strategies))
    if (errors.length > 0) return Effect.fail(invalid(kind, old.metadata.name, errors))
    const resource = groupResourceOf(kind)
    const why = status ? undefined : quotas.refusal(resource, next, old)
    if (why !== undefined) return Effect.fail(new Forbidden({ resource, name: old.metadata.name, why }))
    const admitted = definitions.admitted(resource, next, options.nowMillis())
    if (dryRun) return Effect.succeed(isSameValue(old, admitted) ? old : deepFreeze(admitted))
    return Effect.succeed(settle(resource, old, admitted))
  }

  const store: ObjectStore["Service"] = {
    get: (ref) =>
      Effect.suspend(() => {
        const object = get(ref.resource, ref.key)
        return object === undefined ? Effect.fail(notFound(ref)) : Effect.succeed(object)
      }),
    list: (resource, wanted = {}) =>
      Effect.sync(() => ({
        items: [...all(resource)].filter((object) => isWanted(object, wanted)).sort(byKey),
        resourceVersion: String(view.version())
      })),
    create,
    update: (draft, only) => write(draft, { ...only, status: false }),
    updateStatus: (draft, only) => write(draft, { ...only, status: true }),
    modify: (ref, change, only = {}) =>
      Effect.suspend(() => {
        const old = get(ref.resource, ref.key)
        const kind = kinds.ofResource(ref.resource)
        if (old === undefined || kind === undefined) return Effect.fail(notFound(ref))
        if (only.uid !== undefined && only.uid !== old.metadata.uid) {
          return Effect.fail(anotherUid(kind, old, only.uid))
        }
        const next = change(old)
        const refused = refuseStale(kind, old, next)
        if (refused !== undefined) return Effect.fail(refused)
        return replace(kind, old, next, { status: only.status ?? false })
      }),
    bind: ({ key, uid, nodeName }) =>
      Effect.suspend((): Effect.Effect<KubeObject, StoreError> => {
        const ref = { resource: resources.pods, key }
        const pod = get(resources.pods, key)
        if (pod === undefined || pod.metadata.uid !== uid) return Effect.fail(notFound(ref))
        const why = refuseBinding(pod)
        if (why === undefined) {
          return Effect.succeed(commit(ref.resource, pod, boundTo(pod, nodeName, options.nowMillis())))
        }
        return Effect.fail(new Conflict({ resource: "pods/binding", name: pod.metadata.name, why }))
      }),
    finalizeNamespace: (name, finalizers) =>
      Effect.suspend(() => {
        const namespace = get(resources.namespaces, name)
        if (namespace === undefined)
          return Effect.fail(new NotFound({ resource: resources.namespaces, name }))
        const spec = { ...namespace.spec, finalizers: [...finalizers] }
        return Effect.succeed(settle(resources.namespaces, namespace, { ...namespace, spec } as Namespace))
      }),
    delete: (ref, request = {}) =>
      Effect.suspend(() => {
        const object = get(ref.resource, ref.key)
        if (object === undefined) return Effect.fail(notFound(ref))
        const refused = refuseDeletion(ref, object, request.preconditions ?? {})
        if (refused !== undefined) return Effect.fail(refused)
        const left = planDeletion({ resource: ref.resource, object, request, nowMillis: options.nowMillis() })
        const leaving = left === undefined ? undefined : markNamespace(left)
        if (request.dryRun === true) return Effect.succeed(deepFreeze(leaving ?? object))
        if (leaving === undefined) return Effect.succeed(commit(ref.resource, object, undefined))
        return Effect.succeed(settle(ref.resource, object, leaving))
      }),
    watch: makeWatch({ all: (resource) => snapshot(tables, resource), history, listeners, watches })
  }

  const fill = (present: Present): void => {
    replica.fill(present)
    for (const [resource, table] of tables) {
      for (const object of table.values()) index(resource, undefined, object)
    }
  }
  if (options.from !== undefined) {
    replica.restore(options.from.replica)
    for (const object of all(resources.limitRanges)) index(resources.limitRanges, undefined, object)
    addresses.restore(options.from.addresses)
  }
  const save = (): StoreState => ({
    seed: options.seed,
    replica: replica.save(),
    addresses: addresses.save(),
    identities: identities.map((it) => it.save())
  })
  const close = (): void => {
    for (const end of watches) end()
    watches.clear()
  }
  return { store, view, fill, save, close }
}

const snapshot = (
  tables: ReadonlyMap<GroupResource, ReadonlyMap<Key, KubeObject>>,
  resource: GroupResource | undefined
): ReadonlyArray<readonly [GroupResource, KubeObject]> =>
  [...tables]
    .filter(([of]) => resource === undefined || of === resource)
    .flatMap(([of, table]) => [...table.values()].sort(byKey).map((object) => [of, object] as const))

const either = (first: FieldErrors, second: () => FieldErrors): FieldErrors =>
  first.length > 0 ? first : second()

/** A namespace that is deleted says so in its phase. */
const markNamespace = (object: KubeObject & { readonly status?: object }): KubeObject =>
  object.kind === "Namespace"
    ? ({ ...object, status: { ...object.status, phase: "Terminating" } } as KubeObject)
    : object
