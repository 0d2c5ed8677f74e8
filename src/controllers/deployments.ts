import * as Effect from "effect/Effect"
import { dequal } from "dequal/lite"
import { keyOf } from "../domain/objects.ts"
import { nextName } from "../domain/newReplicaSet.ts"
import { resources } from "../domain/kinds.ts"
import { controllerOf } from "../domain/ownerReferences.ts"
import { progressingOf } from "../domain/progress.ts"
import { rolloutStatus } from "../domain/rolloutStatus.ts"
import { observeDeployment } from "../domain/observations.ts"
import { revisionAnnotation } from "../domain/revisions.ts"
import { rolledBack } from "../domain/rollback.ts"
import { withReports } from "../domain/deploymentStatus.ts"
import { refuse } from "../runtime/reconciler.ts"
import { changeHands, isClaiming, ranks, siblingKey, wakeSelecting } from "./services.ts"
import type { AnyStateMachine } from "xstate"
import type { Command } from "../domain/commands.ts"
import type { StatusReport } from "../domain/deploymentStatus.ts"
import type { Deployment, Key, ReplicaSet } from "../domain/objects.ts"
import type { StoreError } from "../store/errors.ts"
import type { Change, ClusterView } from "../store/objectStore.ts"
import type { CommandRefused, Controller, Wake } from "../runtime/reconciler.ts"
import type { ControllerServices } from "./services.ts"

const component = "deployment-controller"
/** A refused Deployment is tried again this often, then waits for the next change. */
const retriesMax = 15

/**
 * Source: pkg/controller/deployment/deployment_controller.go.
 */
export const deploymentController = (
  services: ControllerServices,
  machine: AnyStateMachine
): Controller<typeof resources.deployments> => ({
  resource: resources.deployments,
  rank: ranks.deployments,
  machine,
  retriesMax,
  isEcho,
  wakes: (change, wake) => wakeDeployments(services.view, change, wake),
  look: (deployment) => look(services, deployment),
  perform: (deployment, commands) => perform(services, deployment, commands)
})

/**
 * Its own report of progress on a rollout that is not over yet: what it waits for is Pods. Every other report (paused,
 * resumed, found, complete, overdue, a name that was taken) may lead on to the next decision.
 */
const isEcho = ({ object, old }: Change): boolean => {
  const [deployment, was] = [object as Deployment, old as Deployment | undefined]
  return (
    deployment.spec === was?.spec &&
    deployment.metadata.deletionTimestamp === was.metadata.deletionTimestamp &&
    deployment.status.collisionCount === was.status.collisionCount &&
    progressingOf(deployment)?.reason === "ReplicaSetUpdated" &&
    rolloutStatus(deployment).state !== "complete"
  )
}

const wakeDeployments = (view: ClusterView["Service"], change: Change, wake: Wake): void => {
  if (change.resource === resources.deployments) {
    const [object, old] = [change.object as Deployment, change.old as Deployment | undefined]
    const isGone = change.type === "DELETED"
    if (isGone || (!isRecount(object, old) && !isBeside(object, old))) wake(keyOf(object))
  }
  if (change.resource === resources.replicaSets) wakeByReplicaSet(view, change, wake)
  if (change.resource === resources.pods && change.type === "DELETED") wakeByLastPod(view, change, wake)
}

/**
 * Nothing is under way, and only the Deployment's own labels have changed, or who manages what: a rollout depends on
 * neither. While something is, any change is a reason to try again.
 */
const isBeside = (object: Deployment, old: Deployment | undefined): boolean =>
  old !== undefined &&
  object.spec === old.spec &&
  object.status === old.status &&
  rolloutStatus(object).state === "complete" &&
  dequal({ ...old.metadata, ...besideRollouts }, { ...object.metadata, ...besideRollouts })

const besideRollouts = { labels: undefined, managedFields: undefined, resourceVersion: undefined }

const wakeByReplicaSet = (view: ClusterView["Service"], change: Change, wake: Wake): void => {
  const [object, old] = [change.object as ReplicaSet, change.old as ReplicaSet | undefined]
  const owner = controllerOf(object)
  const former = old === undefined ? undefined : controllerOf(old)
  if (former !== undefined && former.uid !== owner?.uid) wake(siblingKey(object, former.name))
  if (owner !== undefined) {
    if (owner.kind !== "Deployment") return
    // A loss is seen before it is made good: the turn is that of the ReplicaSets, ahead of their next look.
    wake(siblingKey(object, owner.name), isLoss(object, old) ? { rank: ranks.replicaSets } : undefined)
    return
  }
  if (change.type === "DELETED") return
  const relabelled =
    old === undefined || old.metadata.labels !== object.metadata.labels || former !== undefined
  if (relabelled) wakeSelecting(view.all(resources.deployments), object, wake)
}

const isLoss = (replicaSet: ReplicaSet, old: ReplicaSet | undefined): boolean => {
  const pods = replicaSet.status.replicas ?? 0
  return old !== undefined && pods < (old.status.replicas ?? 0) && pods < replicaSet.spec.replicas
}

/** The Deployment's own report of terminating Pods: the ReplicaSet that counted them has woken it already. */
const isRecount = (object: Deployment, old: Deployment | undefined): boolean =>
  old !== undefined &&
  object.spec === old.spec &&
  object.status.terminatingReplicas !== old.status.terminatingReplicas &&
  dequal(
    { ...old.metadata, ...old.status, terminatingReplicas: 0, resourceVersion: "" },
    { ...object.metadata, ...object.status, terminatingReplicas: 0, resourceVersion: "" }
  )

/** Recreate waits for old Pods to be gone: the end of the very last one wakes it, whatever statuses count. */
const wakeByLastPod = (view: ClusterView["Service"], change: Change, wake: Wake): void => {
  const owner = controllerOf(change.object)
  if (owner?.kind !== "ReplicaSet") return
  const replicaSet = view.get(resources.replicaSets, siblingKey(change.object, owner.name))
  if (replicaSet?.metadata.uid !== owner.uid) return
  const grand = controllerOf(replicaSet)
  if (grand?.kind !== "Deployment") return
  const deployment = view.get(resources.deployments, siblingKey(replicaSet, grand.name))
  if (deployment?.metadata.uid !== grand.uid || deployment.spec.strategy.type !== "Recreate") return
  const left = view
    .controlled(resources.replicaSets, grand.uid)
    .some((it) => view.pods.total(it.metadata.uid) > 0)
  if (!left) wake(keyOf(deployment))
}

const look = ({ view, featureGates, nowMillis }: ControllerServices, deployment: Deployment) =>
  observeDeployment({
    deployment,
    owned: view.controlled(resources.replicaSets, deployment.metadata.uid),
    orphans: view.orphans(resources.replicaSets, deployment.metadata.namespace ?? ""),
    podsOf: view.pods.unfinished,
    namesake: view.get(resources.replicaSets, siblingKey(deployment, nextName(deployment))),
    countsTerminating: featureGates.DeploymentReplicaSetTerminatingReplicas,
    nowMillis: nowMillis()
  })

/**
 * Performs in order, children that change hands first; the parts of the status that were reported become one write at
 * the end.
 */
const perform = (
  services: ControllerServices,
  deployment: Deployment,
  commands: ReadonlyArray<Command>
): Effect.Effect<void, CommandRefused> => {
  const said = { reports: [], revision: undefined }
  // Most of the time there is nothing to do but to say how things stand.
  return commands.every((command) => isSaid(said, command))
    ? reportStatus(services, deployment, said)
    : performAll(services, deployment, commands)
}

/** What a turn has to say of the Deployment. */
interface Said {
  readonly reports: Array<StatusReport>
  revision: string | undefined
}

/** Takes down what a command says; false where it is one that does something. */
const isSaid = (said: Said, command: Command): boolean => {
  if (command.type === "report") said.reports.push(command.report)
  else if (command.type === "showRevision") said.revision = command.revision
  else return false
  return true
}

const performAll = Effect.fnUntraced(function* (
  services: ControllerServices,
  deployment: Deployment,
  commands: ReadonlyArray<Command>
): Effect.fn.Return<void, CommandRefused> {
  const turn: Turn = { written: new Map(), version: undefined }
  const performed = yield* Effect.exit(performInTurn(services, turn, deployment, commands))
  // What was written must be there when the Deployment is looked at next.
  if (turn.version !== undefined) yield* services.view.caughtUp(turn.version)
  return yield* performed
})

/** What one turn has written of ReplicaSets, which a view may not show yet. */
interface Turn {
  readonly written: Map<string, ReplicaSet>
  version: string | undefined
}

const performInTurn = Effect.fnUntraced(function* (
  services: ControllerServices,
  turn: Turn,
  deployment: Deployment,
  commands: ReadonlyArray<Command>
): Effect.fn.Return<void, CommandRefused> {
  const said: Said = { reports: [], revision: undefined }
  const claims = commands.filter(isClaiming)
  if (claims.length > 0) {
    yield* changeHands({ services, ownerResource: resources.deployments, owner: deployment, claims })
  }
  for (const command of commands) {
    if (isClaiming(command) || isSaid(said, command)) continue
    if (command.type === "createReplicaSet") {
      said.revision = command.replicaSet.metadata.annotations?.[revisionAnnotation]
    }
    yield* performOne(services, turn, deployment, command)
  }
  if (said.reports.length > 0 || said.revision !== undefined) yield* reportStatus(services, deployment, said)
})

const performOne = (
  services: ControllerServices,
  turn: Turn,
  deployment: Deployment,
  command: Command
): Effect.Effect<void, CommandRefused> => {
  const refused = refuse(command.type)
  switch (command.type) {
    case "createReplicaSet":
      return Effect.mapError(createReplicaSet(services, turn, deployment, command.replicaSet), refused)
    case "scaleReplicaSet":
      return Effect.mapError(scaleReplicaSet(services, turn, deployment, command), refused)
    case "renumberReplicaSet":
      return Effect.mapError(renumberReplicaSet(services, turn, deployment, command), refused)
    case "deleteReplicaSet": {
      const ref = { resource: resources.replicaSets, key: siblingKey(deployment, command.child.name) }
      return services.store.delete(ref, { propagationPolicy: "Background" }).pipe(
        Effect.asVoid,
        Effect.catchTag("NotFound", () => Effect.void),
        Effect.mapError(refused)
      )
    }
    case "rollBack":
      return services.store
        .update(rolledBack(deployment, command.to))
        .pipe(Effect.asVoid, Effect.mapError(refused))
    case "recordEvent":
      return services.events.record({ component, about: deployment, event: command })
    default:
      return Effect.die(new Error(`not a command of a Deployment: ${command.type}`))
  }
}

const createReplicaSet = Effect.fnUntraced(function* (
  { store, events }: ControllerServices,
  turn: Turn,
  deployment: Deployment,
  draft: Extract<Command, { readonly type: "createReplicaSet" }>["replicaSet"]
) {
  const created = yield* store.create(draft)
  turn.version = created.metadata.resourceVersion
  if (draft.spec.replicas === 0) return
  const message = `Scaled up replica set ${created.metadata.name} from 0 to ${draft.spec.replicas}`
  const event = { eventType: "Normal", reason: "ScalingReplicaSet", message } as const
  yield* events.record({ component, about: deployment, event })
})

const scaleReplicaSet = Effect.fnUntraced(function* (
  services: ControllerServices,
  turn: Turn,
  deployment: Deployment,
  command: Extract<Command, { readonly type: "scaleReplicaSet" }>
) {
  const { name, replicasFrom, replicasTo } = command
  yield* rewrite(services, turn, siblingKey(deployment, name), (replicaSet) => ({
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
  turn: Turn,
  deployment: Deployment,
  command: Extract<Command, { readonly type: "renumberReplicaSet" }>
): Effect.Effect<void, StoreError> =>
  rewrite(services, turn, siblingKey(deployment, command.name), (replicaSet) => ({
    ...replicaSet,
    metadata: { ...replicaSet.metadata, annotations: command.annotations },
    spec: { ...replicaSet.spec, minReadySeconds: command.minReadySeconds }
  }))

/**
 * Replaces a ReplicaSet as the controller knows it: one that has changed without its knowledge is refused as a
 * conflict, and tried again when it has been looked at.
 */
const rewrite = Effect.fnUntraced(function* (
  { store, view }: ControllerServices,
  turn: Turn,
  key: Key,
  change: (replicaSet: ReplicaSet) => ReplicaSet
): Effect.fn.Return<void, StoreError> {
  const ref = { resource: resources.replicaSets, key }
  const known = turn.written.get(key) ?? view.get(ref.resource, key) ?? (yield* store.get(ref))
  // What was a ReplicaSet is one after its spec was replaced.
  const written = (yield* store.update(change(known))) as ReplicaSet
  turn.written.set(key, written)
  turn.version = written.metadata.resourceVersion
})

const reportStatus = (
  { store, nowMillis }: ControllerServices,
  deployment: Deployment,
  { reports, revision }: Said
): Effect.Effect<void, CommandRefused> => {
  const annotations =
    revision === undefined
      ? {}
      : { annotations: { ...deployment.metadata.annotations, [revisionAnnotation]: revision } }
  const reported: Deployment = {
    ...deployment,
    metadata: { ...deployment.metadata, ...annotations },
    status: withReports(deployment.status, reports, nowMillis())
  }
  return Effect.mapError(Effect.asVoid(store.updateStatus(reported)), refuse("report"))
}
