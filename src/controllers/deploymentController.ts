import * as Effect from "effect/Effect"
import { dequal } from "dequal/lite"
import { objectKeyOf } from "../kubernetes/meta/objects.ts"
import { nextReplicaSetName } from "../kubernetes/apps/revisions/newReplicaSet.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import { controllerOf } from "../kubernetes/meta/ownerReferences.ts"
import { progressingCondition } from "../kubernetes/apps/progress.ts"
import { rolloutStatus } from "../kubernetes/apps/rolloutStatus.ts"
import { observeDeployment } from "../kubernetes/apps/deploymentObservation.ts"
import { revisionAnnotation } from "../kubernetes/apps/revisions/revisions.ts"
import { withRollback } from "../kubernetes/apps/revisions/rollback.ts"
import { withStatusReports } from "../kubernetes/apps/deploymentStatus.ts"
import { toCommandRefused } from "../runtime/reconciler/controller.ts"
import { adoptAndRelease, isClaimCommand } from "./adoption.ts"
import { controllerRanks, keyInNamespaceOf, wakeSelectingOwners } from "./controllerServices.ts"
import type { AnyStateMachine } from "xstate"
import type { Command } from "../kubernetes/apps/commands.ts"
import type { DeploymentStatusReport } from "../kubernetes/apps/deploymentStatus.ts"
import type { Deployment, Key, ReplicaSet } from "../kubernetes/meta/objects.ts"
import type { StoreError } from "../store/storeErrors.ts"
import type { Change, ClusterView } from "../store/objectStore.ts"
import type { CommandRefused, Controller, Wake } from "../runtime/reconciler/controller.ts"
import type { ControllerServices } from "./controllerServices.ts"

const component = "deployment-controller"
const retriesMax = 15

export const deploymentController = (
  services: ControllerServices,
  machine: AnyStateMachine
): Controller<typeof resources.deployments> => ({
  resource: resources.deployments,
  rank: controllerRanks.deployments,
  machine,
  retriesMax,
  needsNoLook: isEcho,
  wakeActors: (change, wake) => wakeDeployments(services.view, change, wake),
  look: (deployment) => look(services, deployment),
  perform: (deployment, commands) => perform(services, deployment, commands)
})

/** Own progress reports on a rollout that waits for Pods. Other reports may lead to the next decision. */
const isEcho = ({ object, old }: Change): boolean => {
  const [deployment, oldDeployment] = [object as Deployment, old as Deployment | undefined]
  return (
    deployment.spec === oldDeployment?.spec &&
    deployment.metadata.deletionTimestamp === oldDeployment.metadata.deletionTimestamp &&
    deployment.status.collisionCount === oldDeployment.status.collisionCount &&
    progressingCondition(deployment)?.reason === "ReplicaSetUpdated" &&
    rolloutStatus(deployment).state !== "complete"
  )
}

const wakeDeployments = (view: ClusterView["Service"], change: Change, wake: Wake): void => {
  if (change.resource === resources.deployments) {
    const [object, old] = [change.object as Deployment, change.old as Deployment | undefined]
    const isGone = change.type === "DELETED"
    if (isGone || (!isRecount(object, old) && !isUnrelated(object, old))) wake(objectKeyOf(object))
  }
  if (change.resource === resources.replicaSets) wakeByReplicaSet(view, change, wake)
  if (change.resource === resources.pods && change.type === "DELETED") wakeByLastPod(view, change, wake)
}

/** Whether only labels or managed fields of a complete Deployment changed. During a rollout any change wakes it. */
const isUnrelated = (object: Deployment, old: Deployment | undefined): boolean =>
  old !== undefined &&
  object.spec === old.spec &&
  object.status === old.status &&
  rolloutStatus(object).state === "complete" &&
  dequal({ ...old.metadata, ...unrelatedFields }, { ...object.metadata, ...unrelatedFields })

const unrelatedFields = { labels: undefined, managedFields: undefined, resourceVersion: undefined }

const wakeByReplicaSet = (view: ClusterView["Service"], change: Change, wake: Wake): void => {
  const [object, old] = [change.object as ReplicaSet, change.old as ReplicaSet | undefined]
  const owner = controllerOf(object)
  const former = old === undefined ? undefined : controllerOf(old)
  if (former !== undefined && former.uid !== owner?.uid) wake(keyInNamespaceOf(object, former.name))
  if (owner !== undefined) {
    if (owner.kind !== "Deployment") return
    // The Deployment sees lost replicas before the ReplicaSet replaces them: it gets the rank of the ReplicaSets.
    wake(
      keyInNamespaceOf(object, owner.name),
      hasLostReplicas(object, old) ? { rank: controllerRanks.replicaSets } : undefined
    )
    return
  }
  if (change.type === "DELETED") return
  const relabelled =
    old === undefined || old.metadata.labels !== object.metadata.labels || former !== undefined
  if (relabelled) wakeSelectingOwners(view.all(resources.deployments), object, wake)
}

const hasLostReplicas = (replicaSet: ReplicaSet, old: ReplicaSet | undefined): boolean => {
  const pods = replicaSet.status.replicas ?? 0
  return old !== undefined && pods < (old.status.replicas ?? 0) && pods < replicaSet.spec.replicas
}

/** Own reports of terminating Pods: the ReplicaSet that counted them has woken the Deployment already. */
const isRecount = (object: Deployment, old: Deployment | undefined): boolean =>
  old !== undefined &&
  object.spec === old.spec &&
  object.status.terminatingReplicas !== old.status.terminatingReplicas &&
  dequal(
    { ...old.metadata, ...old.status, terminatingReplicas: 0, resourceVersion: "" },
    { ...object.metadata, ...object.status, terminatingReplicas: 0, resourceVersion: "" }
  )

/** Recreate waits until the old Pods are gone: the deletion of the last one wakes the Deployment. */
const wakeByLastPod = (view: ClusterView["Service"], change: Change, wake: Wake): void => {
  const owner = controllerOf(change.object)
  if (owner?.kind !== "ReplicaSet") return
  const replicaSet = view.get(resources.replicaSets, keyInNamespaceOf(change.object, owner.name))
  if (replicaSet?.metadata.uid !== owner.uid) return
  const deploymentRef = controllerOf(replicaSet)
  if (deploymentRef?.kind !== "Deployment") return
  const deployment = view.get(resources.deployments, keyInNamespaceOf(replicaSet, deploymentRef.name))
  if (deployment?.metadata.uid !== deploymentRef.uid || deployment.spec.strategy.type !== "Recreate") return
  const left = view
    .controlled(resources.replicaSets, deploymentRef.uid)
    .some((it) => view.pods.total(it.metadata.uid) > 0)
  if (!left) wake(objectKeyOf(deployment))
}

const look = ({ view, featureGates, nowMillis }: ControllerServices, deployment: Deployment) =>
  observeDeployment({
    deployment,
    owned: view.controlled(resources.replicaSets, deployment.metadata.uid),
    orphans: view.orphans(resources.replicaSets, deployment.metadata.namespace ?? ""),
    podsOf: view.pods.unfinished,
    namesake: view.get(resources.replicaSets, keyInNamespaceOf(deployment, nextReplicaSetName(deployment))),
    countsTerminating: featureGates.DeploymentReplicaSetTerminatingReplicas,
    nowMillis: nowMillis()
  })

const perform = (
  services: ControllerServices,
  deployment: Deployment,
  commands: ReadonlyArray<Command>
): Effect.Effect<void, CommandRefused> => {
  const statusReports = { reports: [], revision: undefined }
  return commands.every((command) => addReport(statusReports, command))
    ? reportStatus(services, deployment, statusReports)
    : performAll(services, deployment, commands)
}

interface StatusReports {
  readonly reports: Array<DeploymentStatusReport>
  revision: string | undefined
}

const addReport = (statusReports: StatusReports, command: Command): boolean => {
  if (command.type === "report") statusReports.reports.push(command.report)
  else if (command.type === "showRevision") statusReports.revision = command.revision
  else return false
  return true
}

const performAll = Effect.fnUntraced(function* (
  services: ControllerServices,
  deployment: Deployment,
  commands: ReadonlyArray<Command>
): Effect.fn.Return<void, CommandRefused> {
  const writes: TurnWrites = { written: new Map(), version: undefined }
  const performed = yield* Effect.exit(performInTurn(services, writes, deployment, commands))
  // Wait until the view shows the writes, before the Deployment's next look.
  if (writes.version !== undefined) yield* services.view.waitForVersion(writes.version)
  return yield* performed
})

interface TurnWrites {
  readonly written: Map<string, ReplicaSet>
  version: string | undefined
}

const performInTurn = Effect.fnUntraced(function* (
  services: ControllerServices,
  writes: TurnWrites,
  deployment: Deployment,
  commands: ReadonlyArray<Command>
): Effect.fn.Return<void, CommandRefused> {
  const statusReports: StatusReports = { reports: [], revision: undefined }
  const claims = commands.filter(isClaimCommand)
  if (claims.length > 0) {
    yield* adoptAndRelease({ services, ownerResource: resources.deployments, owner: deployment, claims })
  }
  for (const command of commands) {
    if (isClaimCommand(command) || addReport(statusReports, command)) continue
    if (command.type === "createReplicaSet") {
      statusReports.revision = command.replicaSet.metadata.annotations?.[revisionAnnotation]
    }
    yield* performOne(services, writes, deployment, command)
  }
  if (statusReports.reports.length > 0 || statusReports.revision !== undefined)
    yield* reportStatus(services, deployment, statusReports)
})

const performOne = (
  services: ControllerServices,
  writes: TurnWrites,
  deployment: Deployment,
  command: Command
): Effect.Effect<void, CommandRefused> => {
  const toRefusal = toCommandRefused(command.type)
  switch (command.type) {
    case "createReplicaSet":
      return Effect.mapError(createReplicaSet(services, writes, deployment, command.replicaSet), toRefusal)
    case "scaleReplicaSet":
      return Effect.mapError(scaleReplicaSet(services, writes, deployment, command), toRefusal)
    case "renumberReplicaSet":
      return Effect.mapError(renumberReplicaSet(services, writes, deployment, command), toRefusal)
    case "deleteReplicaSet": {
      const ref = { resource: resources.replicaSets, key: keyInNamespaceOf(deployment, command.child.name) }
      return services.store.delete(ref, { propagationPolicy: "Background" }).pipe(
        Effect.asVoid,
        Effect.catchTag("NotFound", () => Effect.void),
        Effect.mapError(toRefusal)
      )
    }
    case "rollBack":
      return services.store
        .update(withRollback(deployment, command.to))
        .pipe(Effect.asVoid, Effect.mapError(toRefusal))
    case "recordEvent":
      return services.events.record({ component, about: deployment, event: command })
    default:
      return Effect.die(new Error(`not a command of a Deployment: ${command.type}`))
  }
}

const createReplicaSet = Effect.fnUntraced(function* (
  { store, events }: ControllerServices,
  writes: TurnWrites,
  deployment: Deployment,
  draft: Extract<Command, { readonly type: "createReplicaSet" }>["replicaSet"]
) {
  const created = yield* store.create(draft)
  writes.version = created.metadata.resourceVersion
  if (draft.spec.replicas === 0) return
  const message = `Scaled up replica set ${created.metadata.name} from 0 to ${draft.spec.replicas}`
  const event = { eventType: "Normal", reason: "ScalingReplicaSet", message } as const
  yield* events.record({ component, about: deployment, event })
})

const scaleReplicaSet = Effect.fnUntraced(function* (
  services: ControllerServices,
  writes: TurnWrites,
  deployment: Deployment,
  command: Extract<Command, { readonly type: "scaleReplicaSet" }>
) {
  const { name, replicasFrom, replicasTo } = command
  yield* replaceReplicaSet(services, writes, keyInNamespaceOf(deployment, name), (replicaSet) => ({
    ...replicaSet,
    metadata: {
      ...replicaSet.metadata,
      annotations: { ...replicaSet.metadata.annotations, ...command.annotations }
    },
    spec: { ...replicaSet.spec, replicas: replicasTo }
  }))
  if (replicasFrom === replicasTo) return
  const direction = replicasTo > replicasFrom ? "up" : "down"
  const message = `Scaled ${direction} replica set ${name} from ${replicasFrom} to ${replicasTo}`
  const event = { eventType: "Normal", reason: "ScalingReplicaSet", message } as const
  yield* services.events.record({ component, about: deployment, event })
})

const renumberReplicaSet = (
  services: ControllerServices,
  writes: TurnWrites,
  deployment: Deployment,
  command: Extract<Command, { readonly type: "renumberReplicaSet" }>
): Effect.Effect<void, StoreError> =>
  replaceReplicaSet(services, writes, keyInNamespaceOf(deployment, command.name), (replicaSet) => ({
    ...replicaSet,
    metadata: { ...replicaSet.metadata, annotations: command.annotations },
    spec: { ...replicaSet.spec, minReadySeconds: command.minReadySeconds }
  }))

/** Replaces the known version of a ReplicaSet; a conflict is retried after another look. */
const replaceReplicaSet = Effect.fnUntraced(function* (
  { store, view }: ControllerServices,
  writes: TurnWrites,
  key: Key,
  change: (replicaSet: ReplicaSet) => ReplicaSet
): Effect.fn.Return<void, StoreError> {
  const ref = { resource: resources.replicaSets, key }
  const known = writes.written.get(key) ?? view.get(ref.resource, key) ?? (yield* store.get(ref))
  const written = (yield* store.update(change(known))) as ReplicaSet
  writes.written.set(key, written)
  writes.version = written.metadata.resourceVersion
})

const reportStatus = (
  { store, nowMillis }: ControllerServices,
  deployment: Deployment,
  { reports, revision }: StatusReports
): Effect.Effect<void, CommandRefused> => {
  const annotations =
    revision === undefined
      ? {}
      : { annotations: { ...deployment.metadata.annotations, [revisionAnnotation]: revision } }
  const reported: Deployment = {
    ...deployment,
    metadata: { ...deployment.metadata, ...annotations },
    status: withStatusReports(deployment.status, reports, nowMillis())
  }
  return Effect.mapError(Effect.asVoid(store.updateStatus(reported)), toCommandRefused("report"))
}
