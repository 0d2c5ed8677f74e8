import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { objectKeyOf } from "../kubernetes/meta/objects.ts"
import { kindOfResource, resources } from "../kubernetes/meta/kinds.ts"
import { controllerReference } from "../kubernetes/meta/ownerReferences.ts"
import { toCommandRefused } from "../runtime/reconciler/controller.ts"
import { isGoneOrReplaced, keyInNamespaceOf } from "./controllerServices.ts"
import { withFinalizer } from "../kubernetes/meta/deletion.ts"
import type { OwnerReference } from "kubernetes-types/meta/v1.js"
import type { Command } from "../kubernetes/apps/commands.ts"
import type { ObjectIdentity } from "../kubernetes/apps/sharedCommands.ts"
import type { KubeObject, Meta } from "../kubernetes/meta/objects.ts"
import type { StoreError } from "../store/storeErrors.ts"
import type { CommandRefused } from "../runtime/reconciler/controller.ts"
import type { ControllerServices } from "./controllerServices.ts"

class CannotAdopt extends Data.TaggedError("CannotAdopt")<{ readonly child: string; readonly why: string }> {
  override get message(): string {
    return `can't adopt ${this.child}: ${this.why}`
  }
}

interface ClaimCommand {
  readonly type: "adoptReplicaSet" | "releaseReplicaSet" | "adoptPod" | "releasePod" | "adoptRevision"
  readonly child: ObjectIdentity
}

export const isClaimCommand = (command: Command): command is ClaimCommand => command.type in childResources

const childResources: Readonly<Record<ClaimCommand["type"], string>> = {
  adoptReplicaSet: resources.replicaSets,
  releaseReplicaSet: resources.replicaSets,
  adoptRevision: resources.controllerRevisions,
  adoptPod: resources.pods,
  releasePod: resources.pods
}

type OwnerResource =
  | typeof resources.deployments
  | typeof resources.replicaSets
  | typeof resources.statefulSets
  | typeof resources.daemonSets
  | typeof resources.jobs

/**
 * Tries every command and returns the first refusal. The owner is read from the store before an adoption: an owner
 * that is gone, replaced or terminating adopts nothing.
 * Source: pkg/controller/controller_ref_manager.go (ClaimObject, CanAdopt, RecheckDeletionTimestamp).
 */
export const adoptAndRelease = Effect.fnUntraced(function* (options: {
  readonly services: ControllerServices
  readonly ownerResource: OwnerResource
  readonly owner: KubeObject
  readonly claims: ReadonlyArray<ClaimCommand>
  readonly finalizerOfAdopted?: string
}): Effect.fn.Return<void, CommandRefused> {
  const { services, owner, claims } = options
  const isAdopting = claims.some(isAdoption)
  const adoptionProblem = isAdopting
    ? yield* whyAdoptionRefused(services, options.ownerResource, owner)
    : undefined
  let refusal: CommandRefused | undefined
  for (const claim of claims) {
    const attempt =
      isAdoption(claim) && adoptionProblem !== undefined
        ? Effect.fail(cannotAdopt(owner, claim, adoptionProblem))
        : changeOwner(services, owner, claim, options.finalizerOfAdopted)
    const error = yield* Effect.match(attempt, { onFailure: (it) => it, onSuccess: () => undefined })
    refusal ??= error
  }
  if (refusal !== undefined) return yield* Effect.fail(refusal)
})

const isAdoption = ({ type }: ClaimCommand): boolean => type !== "releaseReplicaSet" && type !== "releasePod"

const cannotAdopt = (owner: KubeObject, { type, child }: ClaimCommand, why: string): CommandRefused => {
  const kind = kindOfResource(childResources[type])?.kind
  const name = `${kind} ${keyInNamespaceOf(owner, child.name)} (${child.uid})`
  return { command: type, error: new CannotAdopt({ child: name, why }) }
}

const whyAdoptionRefused = (
  { store }: ControllerServices,
  resource: string,
  owner: KubeObject
): Effect.Effect<string | undefined> => {
  const key = objectKeyOf(owner)
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

/** A child that is gone is ignored. A child that was replaced cannot be adopted; its release succeeds. */
const changeOwner = (
  { store }: ControllerServices,
  owner: KubeObject,
  claim: ClaimCommand,
  finalizerOfAdopted: string | undefined
): Effect.Effect<void, CommandRefused> => {
  const { type, child } = claim
  const reference = isAdoption(claim) ? controllerReference(owner) : undefined
  const write = store.modify(
    { resource: childResources[type], key: keyInNamespaceOf(owner, child.name) },
    (object) => {
      const claimed = { ...object, metadata: withOwner(object.metadata, owner.metadata.uid, reference) }
      return reference === undefined || finalizerOfAdopted === undefined
        ? claimed
        : withFinalizer(claimed, finalizerOfAdopted)
    },
    { uid: child.uid }
  )
  const canIgnore = (error: StoreError): boolean =>
    reference === undefined ? isGoneOrReplaced(error) : error._tag === "NotFound"
  return Effect.mapError(
    Effect.catchIf(Effect.asVoid(write), canIgnore, () => Effect.void),
    toCommandRefused(type)
  )
}

const withOwner = (metadata: Meta, ownerUid: string, reference: OwnerReference | undefined): Meta => {
  const { ownerReferences = [], ...otherFields } = metadata
  const hasReference = ownerReferences.some(({ uid }) => uid === ownerUid)
  const remaining = ownerReferences.flatMap((it) => (it.uid === ownerUid ? (reference ?? []) : it))
  const references = reference === undefined || hasReference ? remaining : [reference, ...remaining]
  return references.length === 0 ? otherFields : { ...otherFields, ownerReferences: references }
}
