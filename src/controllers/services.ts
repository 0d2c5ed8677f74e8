import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { keyIn, keyOf } from "../domain/objects.ts"
import { kindOfResource, resources } from "../domain/kinds.ts"
import { controllerReference } from "../domain/ownerReferences.ts"
import { isSameValue } from "../domain/sameness.ts"
import { isEmptySelector, matchesSelector } from "../domain/selectors.ts"
import { meantAnother } from "../store/errors.ts"
import { refuse } from "../runtime/reconciler.ts"
import type { OwnerReference } from "kubernetes-types/meta/v1.js"
import type { Command, ObjectIdentity } from "../domain/commands.ts"
import type { FeatureGates } from "../domain/featureGates.ts"
import type { Deployment, KubeObject, Meta, ReplicaSet } from "../domain/objects.ts"
import type { StoreError } from "../store/errors.ts"
import type { ClusterView, ObjectStore } from "../store/objectStore.ts"
import type { Memory } from "../runtime/memory.ts"
import type { CommandRefused, Wake } from "../runtime/reconciler.ts"
import type { EventRecorder } from "./eventRecorder.ts"

/** What every controller works with. */
export interface ControllerServices {
  readonly store: ObjectStore["Service"]
  readonly view: ClusterView["Service"]
  readonly events: EventRecorder
  readonly featureGates: FeatureGates
  readonly nowMillis: () => number
  /** What a controller knows beside the store; left out where nobody takes snapshots. */
  readonly memory?: Memory | undefined
}

/**
 * The order of kinds at one instant: leaves before their owners. Binding and cleaning up come between the Pods and
 * those who count them.
 */
export const ranks = {
  pods: 10,
  scheduler: 20,
  nodes: 30,
  garbage: 40,
  replicaSets: 50,
  deployments: 60,
  namespaces: 70,
  quotas: 80,
  serviceAccounts: 90,
  disruptionBudgets: 100,
  endpoints: 110
} as const

/** Something asked of an object by its uid: done where it is gone, or somebody else by now. */
export const unlessGone = (asked: Effect.Effect<unknown, StoreError>): Effect.Effect<void, StoreError> =>
  Effect.catchIf(Effect.asVoid(asked), isGone, () => Effect.void)

const isGone = (error: StoreError): boolean => error._tag === "NotFound" || meantAnother(error)

/** Writes a status where it has changed; what is gone has none. */
export const writeStatus = <Status>(
  { store }: ControllerServices,
  object: KubeObject & { readonly status?: Status },
  status: Status
): Effect.Effect<void, StoreError> => {
  if (isSameValue(object.status, status)) return Effect.void
  const reported: typeof object = { ...object, status }
  return Effect.catchTag(Effect.asVoid(store.updateStatus(reported)), "NotFound", () => Effect.void)
}

/** `namespace/name` of an object in the same namespace as another. */
export const siblingKey = (object: KubeObject, name: string): string => keyIn(object.metadata.namespace, name)

/** Wakes whoever may adopt an orphan: the owners in its namespace that select it. Without labels nobody does. */
export const wakeSelecting = (
  owners: Iterable<Deployment | ReplicaSet>,
  orphan: KubeObject,
  wake: Wake
): void => {
  const { labels, namespace } = orphan.metadata
  if (Object.keys(labels ?? {}).length === 0) return
  for (const owner of owners) {
    const { selector } = owner.spec
    const isNear = owner.metadata.namespace === namespace
    if (isNear && !isEmptySelector(selector) && matchesSelector(selector, labels)) wake(keyOf(owner))
  }
}

/** The owner may not adopt any more, or not yet. */
class CannotAdopt extends Data.TaggedError("CannotAdopt")<{ readonly child: string; readonly why: string }> {
  override get message(): string {
    return `can't adopt ${this.child}: ${this.why}`
  }
}

/** A command by which a child changes hands. */
interface Claiming {
  readonly type: "adoptReplicaSet" | "releaseReplicaSet" | "adoptPod" | "releasePod"
  readonly child: ObjectIdentity
}

export const isClaiming = (command: Command): command is Claiming => command.type in childResources

/** What is adopted or released. */
const childResources: Readonly<Record<Claiming["type"], string>> = {
  adoptReplicaSet: resources.replicaSets,
  releaseReplicaSet: resources.replicaSets,
  adoptPod: resources.pods,
  releasePod: resources.pods
}

/**
 * Takes children on and lets others go. Each of them is tried, whatever becomes of the others; the first refusal is
 * told at the end. Before the first is adopted the owner is read again, from the store and not from the view: one that
 * is gone, is somebody else or is being deleted adopts nobody.
 *
 * Source: pkg/controller/controller_ref_manager.go (ClaimObject, CanAdopt, RecheckDeletionTimestamp).
 */
export const changeHands = Effect.fnUntraced(function* (options: {
  readonly services: ControllerServices
  readonly ownerResource: typeof resources.deployments | typeof resources.replicaSets
  readonly owner: KubeObject
  readonly claims: ReadonlyArray<Claiming>
}): Effect.fn.Return<void, CommandRefused> {
  const { services, owner, claims } = options
  const isAdopting = claims.some(isAdoption)
  const obstacle = isAdopting ? yield* whyNotAdopt(services, options.ownerResource, owner) : undefined
  let refusal: CommandRefused | undefined
  for (const claim of claims) {
    const attempt =
      isAdoption(claim) && obstacle !== undefined
        ? Effect.fail(cannotAdopt(owner, claim, obstacle))
        : changeOwner(services, owner, claim)
    const refused = yield* Effect.match(attempt, { onFailure: (it) => it, onSuccess: () => undefined })
    refusal ??= refused
  }
  if (refusal !== undefined) return yield* Effect.fail(refusal)
})

const isAdoption = ({ type }: Claiming): boolean => type === "adoptReplicaSet" || type === "adoptPod"

const cannotAdopt = (owner: KubeObject, { type, child }: Claiming, why: string): CommandRefused => {
  const kind = kindOfResource(childResources[type])?.kind
  const name = `${kind} ${siblingKey(owner, child.name)} (${child.uid})`
  return { command: type, error: new CannotAdopt({ child: name, why }) }
}

/** What keeps an owner from adopting, by the store's own word; undefined where nothing does. */
const whyNotAdopt = (
  { store }: ControllerServices,
  resource: string,
  owner: KubeObject
): Effect.Effect<string | undefined> => {
  const key = keyOf(owner)
  return Effect.match(store.get({ resource, key }), {
    onFailure: (error) => error.message,
    onSuccess: ({ metadata: { uid, deletionTimestamp } }) => {
      if (uid !== owner.metadata.uid) {
        return `original ${owner.kind} ${key} is gone: got uid ${uid}, wanted ${owner.metadata.uid}`
      }
      return deletionTimestamp === undefined
        ? undefined
        : `${key} has just been deleted at ${deletionTimestamp}`
    }
  })
}

/**
 * A child that is gone is left alone. One that is somebody else by now cannot be adopted; letting it go has succeeded.
 */
const changeOwner = (
  { store }: ControllerServices,
  owner: KubeObject,
  claim: Claiming
): Effect.Effect<void, CommandRefused> => {
  const { type, child } = claim
  const reference = isAdoption(claim) ? controllerReference(owner) : undefined
  const write = store.modify(
    { resource: childResources[type], key: siblingKey(owner, child.name) },
    (object) => ({ ...object, metadata: withOwner(object.metadata, owner.metadata.uid, reference) }),
    { uid: child.uid }
  )
  const isForgiven = (error: StoreError): boolean =>
    reference === undefined ? isGone(error) : error._tag === "NotFound"
  return Effect.mapError(
    Effect.catchIf(Effect.asVoid(write), isForgiven, () => Effect.void),
    refuse(type)
  )
}

/** As a strategic merge patch leaves the list: a known reference keeps its place, a new one comes first. */
const withOwner = (metadata: Meta, ownerUid: string, reference: OwnerReference | undefined): Meta => {
  const { ownerReferences = [], ...others } = metadata
  const isKnown = ownerReferences.some(({ uid }) => uid === ownerUid)
  const kept = ownerReferences.flatMap((it) => (it.uid === ownerUid ? (reference ?? []) : it))
  const references = reference === undefined || isKnown ? kept : [reference, ...kept]
  return references.length === 0 ? others : { ...others, ownerReferences: references }
}
