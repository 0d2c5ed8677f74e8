import { revisionAnnotation } from "./revisions/revisions.ts"
import { withRollback } from "./revisions/rollback.ts"
import { withStatusReports } from "./deploymentStatus.ts"
import { scalingEvent } from "./deploymentEvents.ts"
import type { AnnotationChanges, Command, DeploymentCommand } from "./commands.ts"
import type { ObjectIdentity, RecordEvent } from "./sharedCommands.ts"
import type { DeploymentStatusReport } from "./deploymentStatus.ts"
import type { ReplicaSetDraft } from "./revisions/newReplicaSet.ts"
import type { Annotations, Deployment, ReplicaSet } from "../meta/objects.ts"

/**
 * What the commands of a Deployment write, as data. The controller carries the writes out against the store,
 * and the exhaustive search, which visits all states of a rollout, against its model: so what it proves holds for the
 * controller.
 * Source: pkg/controller/deployment/sync.go (getNewReplicaSet, scaleReplicaSet, cleanupDeployment,
 * syncDeploymentStatus), rollback.go (rollbackToTemplate, updateDeploymentAndClearRollbackTo).
 */
export type DeploymentWrite = ObjectWrite & {
  /** Recorded after the write. */
  readonly event?: RecordEvent | undefined
}

type ObjectWrite =
  | { readonly type: "createReplicaSet"; readonly replicaSet: ReplicaSetDraft }
  | {
      readonly type: "updateReplicaSet"
      readonly name: string
      readonly change: (replicaSet: ReplicaSet) => ReplicaSet
    }
  | { readonly type: "deleteReplicaSet"; readonly child: ObjectIdentity }
  | { readonly type: "updateDeployment"; readonly change: (deployment: Deployment) => Deployment }

/** The write of one command; undefined for a command that writes no Deployment and no ReplicaSet. */
export const deploymentWrite = (command: Command): DeploymentWrite | undefined => {
  switch (command.type) {
    case "createReplicaSet": {
      const { metadata, spec } = command.replicaSet
      return { ...command, event: scalingEvent(metadata.name ?? "", 0, spec.replicas) }
    }
    case "scaleReplicaSet": {
      const { name, replicasFrom, replicasTo } = command
      return {
        type: "updateReplicaSet",
        name,
        change: (replicaSet) => scaledReplicaSet(replicaSet, command),
        event: scalingEvent(name, replicasFrom, replicasTo)
      }
    }
    case "renumberReplicaSet":
      return {
        type: "updateReplicaSet",
        name: command.name,
        change: (replicaSet) => renumberedReplicaSet(replicaSet, command)
      }
    case "deleteReplicaSet":
      return command
    case "rollBack":
      return { type: "updateDeployment", change: (deployment) => withRollback(deployment, command.to) }
    default:
      return undefined
  }
}

type CommandOf<T extends DeploymentCommand["type"]> = Extract<DeploymentCommand, { readonly type: T }>

const scaledReplicaSet = (
  replicaSet: ReplicaSet,
  { annotations, replicasTo }: CommandOf<"scaleReplicaSet">
): ReplicaSet => ({
  ...replicaSet,
  metadata: { ...replicaSet.metadata, annotations: { ...replicaSet.metadata.annotations, ...annotations } },
  spec: { ...replicaSet.spec, replicas: replicasTo }
})

/** The ReplicaSet with the annotations of its new revision number. */
const renumberedReplicaSet = (
  replicaSet: ReplicaSet,
  { annotations, minReadySeconds }: CommandOf<"renumberReplicaSet">
): ReplicaSet => ({
  ...replicaSet,
  metadata: { ...replicaSet.metadata, annotations },
  // Mostly the annotations alone change: what is remembered of the spec, such as its checks, holds for the same object.
  spec:
    (replicaSet.spec.minReadySeconds ?? 0) === minReadySeconds
      ? replicaSet.spec
      : { ...replicaSet.spec, minReadySeconds }
})

/** The reports of one decision, the revision to publish, and a strategy's records: a single write, after all others. */
export interface DeploymentReports {
  readonly reports: ReadonlyArray<DeploymentStatusReport>
  readonly revision: string | undefined
  readonly annotations: AnnotationChanges | undefined
}

/**
 * Separates the commands that are written with the status from the others. The creation of a ReplicaSet also publishes
 * its revision.
 */
export const splitReports = (
  commands: ReadonlyArray<Command>
): { readonly others: ReadonlyArray<Command>; readonly status: DeploymentReports | undefined } => {
  const others: Array<Command> = []
  const reports: Array<DeploymentStatusReport> = []
  let revision: string | undefined
  let annotations: AnnotationChanges | undefined
  for (const command of commands) {
    if (command.type === "report") reports.push(command.report)
    else if (command.type === "showRevision") ({ revision } = command)
    else if (command.type === "annotateDeployment") annotations = { ...annotations, ...command.annotations }
    else {
      if (command.type === "createReplicaSet")
        revision = command.replicaSet.metadata.annotations?.[revisionAnnotation]
      others.push(command)
    }
  }
  const isEmpty = reports.length === 0 && revision === undefined && annotations === undefined
  return { others, status: isEmpty ? undefined : { reports, revision, annotations } }
}

/** The Deployment with the reports in its status and the revision in its annotations. */
export const reportedDeployment = (
  deployment: Deployment,
  { reports, revision, annotations = {} }: DeploymentReports,
  nowMillis: number
): Deployment => {
  const changes = revision === undefined ? annotations : { ...annotations, [revisionAnnotation]: revision }
  return {
    ...deployment,
    // A copy even without a change: the store puts the fields of a copy into their usual order.
    metadata: {
      ...deployment.metadata,
      ...(Object.keys(changes).length === 0
        ? {}
        : { annotations: withAnnotationChanges(deployment.metadata.annotations, changes) })
    },
    status: withStatusReports(deployment.status, reports, nowMillis)
  }
}

const withAnnotationChanges = (
  annotations: Annotations | undefined,
  changes: AnnotationChanges
): Annotations =>
  Object.fromEntries(
    Object.entries({ ...annotations, ...changes }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]]
    )
  )
