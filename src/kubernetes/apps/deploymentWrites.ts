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
 * A Deployment's write as data, shared by the controller and the exhaustive search. Source:
 * deployment/sync.go, rollback.go.
 */
export type DeploymentWrite = ObjectWrite & {
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

const renumberedReplicaSet = (
  replicaSet: ReplicaSet,
  { annotations, minReadySeconds }: CommandOf<"renumberReplicaSet">
): ReplicaSet => ({
  ...replicaSet,
  metadata: { ...replicaSet.metadata, annotations },
  // An unchanged spec object keeps its memoized results.
  spec:
    (replicaSet.spec.minReadySeconds ?? 0) === minReadySeconds
      ? replicaSet.spec
      : { ...replicaSet.spec, minReadySeconds }
})

/** The content of the status write, which comes last. */
export interface DeploymentReports {
  readonly reports: ReadonlyArray<DeploymentStatusReport>
  readonly revision: string | undefined
  readonly annotations: AnnotationChanges | undefined
}

/** The status write also publishes the revision of a ReplicaSet that is created. */
export const splitStatusReports = (
  commands: ReadonlyArray<Command>
): { readonly writeCommands: ReadonlyArray<Command>; readonly status: DeploymentReports | undefined } => {
  const writeCommands: Array<Command> = []
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
      writeCommands.push(command)
    }
  }
  const isEmpty = reports.length === 0 && revision === undefined && annotations === undefined
  return { writeCommands, status: isEmpty ? undefined : { reports, revision, annotations } }
}

export const reportedDeployment = (
  deployment: Deployment,
  { reports, revision, annotations = {} }: DeploymentReports,
  nowMillis: number
): Deployment => {
  const changes = revision === undefined ? annotations : { ...annotations, [revisionAnnotation]: revision }
  return {
    ...deployment,
    // Even unchanged metadata is copied, because the store puts the fields of a copy into their
    // usual order.
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
