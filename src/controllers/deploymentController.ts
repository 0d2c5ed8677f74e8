import * as Effect from "effect/Effect"
import { objectKeyOf } from "../kubernetes/meta/objects.ts"
import { newReplicaSetName } from "../kubernetes/apps/revisions/newReplicaSet.ts"
import { isEqualAsStored } from "../kubernetes/meta/semanticEquality.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import { controllerOf } from "../kubernetes/meta/ownerReferences.ts"
import { observeDeployment } from "../kubernetes/apps/deploymentObservation.ts"
import {
  deploymentWrite,
  reportedDeployment,
  splitStatusReports
} from "../kubernetes/apps/deploymentWrites.ts"
import { builtInStrategies, stopsOldFirst } from "../../machines/strategies/strategies.ts"
import { controllingOwner } from "../store/ownerLookup.ts"
import { ignoreNotFound } from "../store/storeErrors.ts"
import { performRequest, toCommandRefused } from "../runtime/reconciler/controller.ts"
import { adoptAndRelease, isClaimCommand } from "./adoption.ts"
import { concernsDeployment, hasLostReplicas, isOwnProgressReport, mayBeAdopted } from "./changeFilters.ts"
import {
  keyInNamespaceOf,
  modifyWithoutFiber,
  updateStatusWithoutFiber,
  wakeSelectingOwners
} from "./controllerServices.ts"
import { controllerTurnOrder } from "../runtime/reconciler/controllerTurnOrder.ts"
import type { AnyStateMachine } from "xstate"
import type { Strategy } from "../../machines/strategies/strategy.ts"
import type { Command } from "../kubernetes/apps/commands.ts"
import type { DeploymentReports, DeploymentWrite } from "../kubernetes/apps/deploymentWrites.ts"
import type { Deployment, KubeObject, ReplicaSet } from "../kubernetes/meta/objects.ts"
import type { StoreError } from "../store/storeErrors.ts"
import type { Change, ClusterView } from "../store/objectStore.ts"
import type { CommandRefused, Controller, Wake } from "../runtime/reconciler/controller.ts"
import type { ControllerServices } from "./controllerServices.ts"

const component = "deployment-controller"
/** Source: pkg/controller/deployment/deployment_controller.go (maxRetries). */
const retriesMax = 15

export const deploymentController = (
  services: ControllerServices,
  machine: AnyStateMachine,
  strategies: ReadonlyArray<Strategy> = builtInStrategies
): Controller<typeof resources.deployments> => ({
  resource: resources.deployments,
  turnOrder: controllerTurnOrder.deployment,
  machine: () => machine,
  watches: [resources.deployments, resources.replicaSets, resources.pods],
  retriesMax,
  needsNoLook: isOwnProgressReport,
  wakeActors: (change, wake) => wakeDeployments(services.view, strategies, change, wake),
  look: (deployment) => look(services, deployment),
  perform: (deployment, commands) => perform(services, deployment, commands)
})

const wakeDeployments = (
  view: ClusterView["Service"],
  strategies: ReadonlyArray<Strategy>,
  change: Change,
  wake: Wake
): void => {
  if (change.resource === resources.deployments && concernsDeployment(change, strategies))
    wake(objectKeyOf(change.object))
  if (change.resource === resources.replicaSets) wakeByReplicaSet(view, change, wake)
  if (change.resource === resources.pods && change.type === "DELETED") {
    const deployment = deploymentOfPod(view, change.object)
    const isLastPodGone =
      deployment !== undefined && stopsOldFirst(deployment, strategies) && !hasPods(view, deployment)
    if (isLastPodGone) wake(objectKeyOf(deployment))
  }
}

const wakeByReplicaSet = (view: ClusterView["Service"], change: Change, wake: Wake): void => {
  const [object, old] = [change.object as ReplicaSet, change.old as ReplicaSet | undefined]
  const owner = controllerOf(object)
  const formerOwner = old === undefined ? undefined : controllerOf(old)
  if (formerOwner !== undefined && formerOwner.uid !== owner?.uid)
    wake(keyInNamespaceOf(object, formerOwner.name))
  if (owner !== undefined) {
    if (owner.kind !== "Deployment") return
    // With the turn order of ReplicaSets, the Deployment looks at lost replicas before a ReplicaSet replaces the Pods.
    wake(
      keyInNamespaceOf(object, owner.name),
      hasLostReplicas(change) ? { turnOrder: controllerTurnOrder.replicaSet } : undefined
    )
    return
  }
  if (mayBeAdopted(change)) wakeSelectingOwners(view.all(resources.deployments), object, wake)
}

const deploymentOfPod = (view: ClusterView["Service"], pod: KubeObject): Deployment | undefined => {
  const replicaSet = controllingOwner(view, resources.replicaSets, pod)
  return replicaSet && controllingOwner(view, resources.deployments, replicaSet)
}

const hasPods = (view: ClusterView["Service"], { metadata }: Deployment): boolean =>
  view.controlled(resources.replicaSets, metadata.uid).some((it) => view.pods.total(it.metadata.uid) > 0)

const look = ({ view, featureGates, nowMillis }: ControllerServices, deployment: Deployment) =>
  observeDeployment({
    deployment,
    owned: view.controlled(resources.replicaSets, deployment.metadata.uid),
    orphans: view.orphans(resources.replicaSets, deployment.metadata.namespace ?? ""),
    countUnfinishedPods: view.pods.unfinished,
    namesake: view.get(resources.replicaSets, keyInNamespaceOf(deployment, newReplicaSetName(deployment))),
    countsTerminating: featureGates.DeploymentReplicaSetTerminatingReplicas,
    nowMillis: nowMillis()
  })

const perform = (
  services: ControllerServices,
  deployment: Deployment,
  commands: ReadonlyArray<Command>
): Effect.Effect<unknown, CommandRefused> => {
  const { writeCommands, status } = splitStatusReports(commands)
  // The view need not show a report before the next look: a report on an old version is refused with a conflict.
  if (writeCommands.length === 0 && status !== undefined) return reportStatus(services, deployment, status)
  return (
    performWithoutFiber(services, deployment, writeCommands, status) ??
    performAndAwaitView(services, deployment, writeCommands, status)
  )
}

/**
 * Avoids fibers for a ReplicaSet that gets annotations, as after each step of a steered rollout. Source:
 * pkg/controller/deployment/progress.go (syncRolloutStatus), which writes no equal status.
 */
const performWithoutFiber = (
  { store, view, nowMillis }: ControllerServices,
  deployment: Deployment,
  commands: ReadonlyArray<Command>,
  status: DeploymentReports | undefined
): Effect.Effect<void> | undefined => {
  const [command] = commands
  if (command?.type !== "renumberReplicaSet" || commands.length !== 1) return undefined
  const reported = status === undefined ? deployment : reportedDeployment(deployment, status, nowMillis())
  const isReported =
    isEqualAsStored(deployment.status, reported.status) &&
    isEqualAsStored(deployment.metadata.annotations, reported.metadata.annotations)
  if (!isReported) return undefined
  const write = deploymentWrite(command)
  if (write?.type !== "updateReplicaSet") return undefined
  const { ref, current } = replicaSetToUpdate(view, deployment, write)
  if (current === undefined) return undefined
  const updated = write.change(current)
  const written = modifyWithoutFiber(store, ref, () => updated)
  return written && view.waitForVersion(written.value.metadata.resourceVersion)
}

/** `current` is undefined if neither earlier writes nor the view have the ReplicaSet. */
const replicaSetToUpdate = (
  view: ClusterView["Service"],
  deployment: Deployment,
  { name }: Extract<DeploymentWrite, { readonly type: "updateReplicaSet" }>,
  written?: UnseenWrites["replicaSets"]
) => {
  const ref = { resource: resources.replicaSets, key: keyInNamespaceOf(deployment, name) }
  return { ref, current: written?.get(ref.key) ?? view.get(ref.resource, ref.key) }
}

const performAndAwaitView = (
  services: ControllerServices,
  deployment: Deployment,
  commands: ReadonlyArray<Command>,
  status: DeploymentReports | undefined
): Effect.Effect<unknown, CommandRefused> => {
  const unseen: UnseenWrites = { replicaSets: new Map(), lastVersion: undefined }
  return Effect.flatMap(Effect.exit(performAll(services, unseen, deployment, commands, status)), (exit) =>
    unseen.lastVersion === undefined
      ? exit
      : Effect.andThen(services.view.waitForVersion(unseen.lastVersion), exit)
  )
}

const performAll = Effect.fnUntraced(function* (
  services: ControllerServices,
  unseen: UnseenWrites,
  deployment: Deployment,
  commands: ReadonlyArray<Command>,
  status: DeploymentReports | undefined
): Effect.fn.Return<void, CommandRefused> {
  const claims = commands.filter(isClaimCommand)
  if (claims.length > 0) {
    yield* adoptAndRelease({ services, ownerResource: resources.deployments, owner: deployment, claims })
  }
  for (const command of commands) {
    if (!isClaimCommand(command)) yield* performCommand(services, unseen, deployment, command)
  }
  if (status !== undefined) yield* reportStatus(services, deployment, status)
})

/** The view may not show these writes yet. */
interface UnseenWrites {
  readonly replicaSets: Map<string, ReplicaSet>
  lastVersion: string | undefined
}

const performCommand = Effect.fnUntraced(function* (
  services: ControllerServices,
  unseen: UnseenWrites,
  deployment: Deployment,
  command: Command
): Effect.fn.Return<void, CommandRefused> {
  const write = deploymentWrite(command)
  const event = command.type === "recordEvent" ? command : write?.event
  if (write !== undefined) {
    yield* Effect.mapError(applyWrite(services, unseen, deployment, write), toCommandRefused(command.type))
  } else if (event === undefined) {
    return yield* Effect.die(new Error(`not a command of a Deployment: ${command.type}`))
  }
  if (event !== undefined) yield* services.events.record({ component, about: deployment, event })
})

const applyWrite = Effect.fnUntraced(function* (
  { store, view }: ControllerServices,
  unseen: UnseenWrites,
  deployment: Deployment,
  write: DeploymentWrite
): Effect.fn.Return<void, StoreError> {
  switch (write.type) {
    case "createReplicaSet": {
      const created = yield* store.create(write.replicaSet)
      unseen.lastVersion = created.metadata.resourceVersion
      return
    }
    case "updateReplicaSet": {
      const { ref, current } = replicaSetToUpdate(view, deployment, write, unseen.replicaSets)
      // A conflict is retried after another look.
      const updated = (yield* store.update(write.change(current ?? (yield* store.get(ref))))) as ReplicaSet
      unseen.replicaSets.set(ref.key, updated)
      unseen.lastVersion = updated.metadata.resourceVersion
      return
    }
    case "deleteReplicaSet": {
      const ref = { resource: resources.replicaSets, key: keyInNamespaceOf(deployment, write.child.name) }
      yield* ignoreNotFound(store.delete(ref, { propagationPolicy: "Background" }))
      return
    }
    case "updateDeployment":
      yield* store.update(write.change(deployment))
  }
})

const reportStatus = (
  { store, nowMillis }: ControllerServices,
  deployment: Deployment,
  status: DeploymentReports
): Effect.Effect<unknown, CommandRefused> =>
  performRequest(
    "report",
    updateStatusWithoutFiber(
      store,
      resources.deployments,
      reportedDeployment(deployment, status, nowMillis())
    )
  )
