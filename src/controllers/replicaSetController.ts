import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { objectKeyOf } from "../kubernetes/meta/objects.ts"
import { isPodActive } from "../kubernetes/pods/podState.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import { claimChildren } from "../kubernetes/apps/deploymentObservation.ts"
import { draftReplicaSetPod, reportedReplicaSet } from "../kubernetes/apps/replicaSets/replicaSetWrites.ts"
import { controllerOf } from "../kubernetes/meta/ownerReferences.ts"
import { isNamespaceTerminating } from "../store/storeErrors.ts"
import { performRequest } from "../runtime/reconciler/controller.ts"
import { adoptAndRelease, isClaimCommand } from "./adoption.ts"
import {
  changesOnlyAnnotations,
  concernsPodCounts,
  isOwnReplicaSetReport,
  mayBeAdopted
} from "./changeFilters.ts"
import { keyInNamespaceOf, updateStatusWithoutFiber, wakeSelectingOwners } from "./controllerServices.ts"
import { controllerTurnOrder } from "../runtime/reconciler/controllerTurnOrder.ts"
import type { AnyStateMachine } from "xstate"
import type { Command } from "../kubernetes/apps/commands.ts"
import type { KubeObject, Pod, ReplicaSet } from "../kubernetes/meta/objects.ts"
import type { ReplicaSetObservation } from "../kubernetes/apps/replicaSets/replicaSetObservation.ts"
import type { CommandRefused, Controller, Wake } from "../runtime/reconciler/controller.ts"
import type { StoreError } from "../store/storeErrors.ts"
import type { Change, ClusterView } from "../store/objectStore.ts"
import type { ControllerServices } from "./controllerServices.ts"

const component = "replicaset-controller"

export const replicaSetController = (
  services: ControllerServices,
  machine: AnyStateMachine
): Controller<typeof resources.replicaSets> => ({
  resource: resources.replicaSets,
  turnOrder: controllerTurnOrder.replicaSet,
  machine: () => machine,
  watches: [resources.replicaSets, resources.pods],
  // The chart creates Pods in batches, and waits for a `performed` event after each.
  awaitsPerformed: (commands) => commands.some(({ type }) => type === "createPods"),
  needsNoLook: isOwnReplicaSetReport,
  wakeActors: (change, wake) => wakeReplicaSets(services.view, change, wake),
  look: (replicaSet) => look(services, replicaSet),
  perform: (replicaSet, commands) => perform(services, replicaSet, commands)
})

const wakeReplicaSets = (view: ClusterView["Service"], change: Change, wake: Wake): void => {
  if (change.resource === resources.replicaSets)
    return wake(
      objectKeyOf(change.object),
      changesOnlyAnnotations(change) ? { onlyIfRetrying: true } : undefined
    )
  if (change.resource !== resources.pods || !concernsPodCounts(change)) return
  const [pod, old] = [change.object as Pod, change.old as Pod | undefined]
  const owner = controllerOf(pod)
  const formerOwner = old === undefined ? undefined : controllerOf(old)
  if (formerOwner?.kind === "ReplicaSet" && formerOwner.uid !== owner?.uid)
    wake(keyInNamespaceOf(pod, formerOwner.name))
  if (owner?.kind === "ReplicaSet") return wake(keyInNamespaceOf(pod, owner.name))
  if (owner === undefined && mayBeAdopted(change))
    wakeSelectingOwners(view.all(resources.replicaSets), pod, wake)
}

/** Pods are listed only where some are to be adopted or released. */
const look = (
  { view, featureGates, nowMillis }: ControllerServices,
  replicaSet: ReplicaSet
): ReplicaSetObservation => {
  const { uid, namespace = "" } = replicaSet.metadata
  const { selector, template, minReadySeconds = 0 } = replicaSet.spec
  const now = nowMillis()
  const owned = view.pods.hasUnselectedPods(uid, selector) ? view.controlled(resources.pods, uid) : noPods
  const { adopt, release } = claimChildren({
    owner: replicaSet,
    selector,
    owned: owned.filter(isPodActive),
    orphans: view.orphans(resources.pods, namespace).filter(isPodActive)
  })
  const templateLabels = template.metadata?.labels ?? {}
  const pods = view.pods.counts({ ownerUid: uid, selector, templateLabels, minReadySeconds, nowMillis: now })
  const countsTerminating = featureGates.DeploymentReplicaSetTerminatingReplicas
  return { replicaSet, pods, claims: { adopt, release }, countsTerminating, nowMillis: now }
}

const noPods: ReadonlyArray<Pod> = []

const perform = (
  services: ControllerServices,
  replicaSet: ReplicaSet,
  commands: ReadonlyArray<Command>
): Effect.Effect<unknown, CommandRefused> => {
  if (!commands.some(isClaimCommand)) return performEach(services, replicaSet, commands)
  const claims = commands.filter(isClaimCommand)
  const others = commands.filter((command) => !isClaimCommand(command))
  return Effect.flatMap(
    adoptAndRelease({ services, ownerResource: resources.replicaSets, owner: replicaSet, claims }),
    // Called only after the claims, since the call of `performEach` writes reports.
    () => performEach(services, replicaSet, others)
  )
}

const performEach = (
  services: ControllerServices,
  replicaSet: ReplicaSet,
  commands: ReadonlyArray<Command>
): Effect.Effect<unknown, CommandRefused> => {
  const [soleCommand] = commands
  if (soleCommand !== undefined && commands.length === 1) return performOne(services, replicaSet, soleCommand)
  return Effect.forEach(commands, (command) => performOne(services, replicaSet, command), { discard: true })
}

const performOne = (
  services: ControllerServices,
  replicaSet: ReplicaSet,
  command: Command
): Effect.Effect<unknown, CommandRefused> => {
  switch (command.type) {
    case "createPods":
      return performRequest(command.type, createPods(services, replicaSet, command.count))
    case "deletePods":
      return deletePods(services, replicaSet, command.count)
    case "reportReplicaSet":
      return performRequest(command.type, report(services, replicaSet, command.status))
    default:
      return Effect.die(new Error(`not a command of a ReplicaSet: ${command.type}`))
  }
}

/**
 * A refused status write is retried once.
 * Source: pkg/controller/replicaset/replica_set_utils.go (updateReplicaSetStatus, statusUpdateRetries).
 */
const report = (
  { store }: ControllerServices,
  replicaSet: ReplicaSet,
  status: ReplicaSet["status"]
): Effect.Effect<unknown, StoreError> => {
  const reported = updateStatusWithoutFiber(
    store,
    resources.replicaSets,
    reportedReplicaSet(replicaSet, status)
  )
  if (Exit.isExit(reported) && Exit.isSuccess(reported)) return reported
  const ref = { resource: resources.replicaSets, key: objectKeyOf(replicaSet) }
  return Effect.catch(reported, () =>
    Effect.flatMap(store.get(ref), (latest) => store.updateStatus(reportedReplicaSet(latest, status)))
  )
}

/** Tries every Pod of a batch and returns the first error. */
const createPods = Effect.fnUntraced(function* (
  { store, view, events }: ControllerServices,
  replicaSet: ReplicaSet,
  count: number
) {
  const draft = draftReplicaSetPod(replicaSet)
  let lastCreated: KubeObject | undefined
  let refusal: StoreError | undefined
  for (let index = 0; index < count; index += 1) {
    const created = yield* Effect.catch(store.create(draft), (error: StoreError) => Effect.succeed(error))
    if (!("metadata" in created)) {
      refusal ??= created
      if (isNamespaceTerminating(created)) continue
      const message = `Error creating: ${created.message}`
      const event = { eventType: "Warning", reason: "FailedCreate", message } as const
      yield* events.record({ component, about: replicaSet, event })
      continue
    }
    const message = `Created pod: ${created.metadata.name}`
    const event = { eventType: "Normal", reason: "SuccessfulCreate", message } as const
    yield* events.record({ component, about: replicaSet, event })
    lastCreated = created
  }
  if (lastCreated !== undefined) yield* view.waitForVersion(lastCreated.metadata.resourceVersion)
  if (refusal !== undefined) return yield* Effect.fail(refusal)
})

/** The order of deletion counts a node's Pods of all ReplicaSets of the Deployment. */
const siblingUids = (view: ClusterView["Service"], replicaSet: ReplicaSet): ReadonlyArray<string> => {
  const owner = controllerOf(replicaSet)
  return owner === undefined
    ? []
    : view.controlled(resources.replicaSets, owner.uid).map((sibling) => sibling.metadata.uid)
}

const deletePods = Effect.fnUntraced(function* (
  { store, view, events, nowMillis }: ControllerServices,
  replicaSet: ReplicaSet,
  count: number
) {
  const podsToDelete = view.pods.firstToDelete({
    ownerUid: replicaSet.metadata.uid,
    relatedOwnerUids: siblingUids(view, replicaSet),
    count,
    nowMillis: nowMillis()
  })
  let lastDeleted: KubeObject | undefined
  let refusal: StoreError | undefined
  for (const pod of podsToDelete) {
    const ref = { resource: resources.pods, key: objectKeyOf(pod) }
    const outcome = yield* Effect.catch(store.delete(ref), (error: StoreError) => Effect.succeed(error))
    if ("metadata" in outcome) {
      lastDeleted = outcome
      const message = `Deleted pod: ${pod.metadata.name}`
      const event = { eventType: "Normal", reason: "SuccessfulDelete", message } as const
      yield* events.record({ component, about: replicaSet, event })
    } else if (outcome._tag !== "NotFound") {
      refusal ??= outcome
      const message = `Error deleting: ${outcome.message}`
      const event = { eventType: "Warning", reason: "FailedDelete", message } as const
      yield* events.record({ component, about: replicaSet, event })
    }
  }
  if (lastDeleted !== undefined) yield* view.waitForVersion(lastDeleted.metadata.resourceVersion)
  if (refusal !== undefined) return yield* Effect.fail(deletionRefused(refusal))
})

const deletionRefused = ({ _tag, message }: StoreError): CommandRefused => ({
  command: "deletePods",
  error: { _tag, message: `unable to delete pods: ${message}` }
})
