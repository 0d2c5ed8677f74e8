import { observeDeployment } from "../../src/kubernetes/apps/deploymentObservation.ts"
import {
  deploymentWrite,
  reportedDeployment,
  splitStatusReports
} from "../../src/kubernetes/apps/deploymentWrites.ts"
import { newReplicaSetName } from "../../src/kubernetes/apps/revisions/newReplicaSet.ts"
import { controllerReference } from "../../src/kubernetes/meta/ownerReferences.ts"
import { withRollback } from "../../src/kubernetes/apps/revisions/rollback.ts"
import { timestampOf } from "../../src/kubernetes/meta/amounts/timestamps.ts"
import { isControlledBy } from "../builders.ts"
import { aMeta } from "./workloadObservations.ts"
import type { Command } from "../../src/kubernetes/apps/commands.ts"
import type { DeploymentObservation } from "../../src/kubernetes/apps/deploymentObservation.ts"
import type {
  Deployment,
  KubeObject,
  ReplicaSet,
  ReplicaSetStatus
} from "../../src/kubernetes/meta/objects.ts"

/**
 * A Deployment and its ReplicaSets without a store: commands are carried out at once. Pods are numbers that the
 * test sets.
 */
export interface Workload {
  readonly deployment: () => Deployment
  readonly replicaSets: () => ReadonlyArray<ReplicaSet>
  readonly observe: (nowMillis: number) => DeploymentObservation
  readonly perform: (commands: ReadonlyArray<Command>, nowMillis: number) => void
  readonly changeDeployment: (
    metadata: Partial<Deployment["metadata"]>,
    spec: Partial<Deployment["spec"]>
  ) => void
  /** Sets the Pods that a ReplicaSet's status counts. */
  readonly setCounts: (name: string, status: Partial<ReplicaSetStatus>) => void
  readonly addReplicaSet: (replicaSet: ReplicaSet) => void
}

export const makeWorkload = (first: Deployment): Workload => {
  let deployment = first
  const replicaSets = new Map<string, ReplicaSet>()

  const changeReplicaSet = (name: string, change: (replicaSet: ReplicaSet) => ReplicaSet): void => {
    const present = replicaSets.get(name)
    if (present === undefined) throw new Error(`no ReplicaSet ${name}`)
    replicaSets.set(name, change(present))
  }
  const perform = (command: Command, nowMillis: number): void => {
    switch (command.type) {
      case "createReplicaSet": {
        const { metadata, spec } = command.replicaSet
        const name = metadata.name ?? ""
        const creationTimestamp = timestampOf(nowMillis)
        replicaSets.set(name, {
          apiVersion: "apps/v1",
          kind: "ReplicaSet",
          metadata: { ...aMeta(name), ...metadata, name, creationTimestamp },
          spec,
          status: { replicas: 0, observedGeneration: 1 }
        })
        return
      }
      case "adoptReplicaSet":
        return setOwners(command.child.name, [controllerReference(deployment)])
      case "releaseReplicaSet":
        return setOwners(command.child.name, [])
      case "rollBack":
        return rollBack(command.to)
      default: {
        const write = deploymentWrite(command)
        if (write?.type === "updateReplicaSet") changeReplicaSet(write.name, write.change)
        if (write?.type === "deleteReplicaSet") replicaSets.delete(write.child.name)
      }
    }
  }
  const setOwners = (
    name: string,
    ownerReferences: NonNullable<ReplicaSet["metadata"]["ownerReferences"]>
  ): void => changeReplicaSet(name, (it) => ({ ...it, metadata: { ...it.metadata, ownerReferences } }))
  const rollBack = (to: ReplicaSet | undefined): void => {
    const { metadata, spec } = withRollback(deployment, to)
    changeDeployment(metadata, to === undefined ? {} : spec)
  }
  const changeDeployment: Workload["changeDeployment"] = (metadata, spec) => {
    const generation = (deployment.metadata.generation ?? 0) + (Object.keys(spec).length > 0 ? 1 : 0)
    deployment = {
      ...deployment,
      metadata: { ...deployment.metadata, ...metadata, generation },
      spec: { ...deployment.spec, ...spec }
    }
  }
  const isOwned = (it: KubeObject): boolean => isControlledBy(it, deployment)

  return {
    deployment: () => deployment,
    replicaSets: () => [...replicaSets.values()],
    observe: (nowMillis) =>
      observeDeployment({
        deployment,
        owned: [...replicaSets.values()].filter(isOwned),
        orphans: [...replicaSets.values()].filter((it) => (it.metadata.ownerReferences ?? []).length === 0),
        countUnfinishedPods: (uid) => {
          const status = [...replicaSets.values()].find((it) => it.metadata.uid === uid)?.status
          return (status?.replicas ?? 0) + (status?.terminatingReplicas ?? 0)
        },
        namesake: replicaSets.get(newReplicaSetName(deployment)),
        nowMillis
      }),
    perform: (commands, nowMillis) => {
      const { writeCommands, status } = splitStatusReports(commands)
      for (const command of writeCommands) perform(command, nowMillis)
      if (status !== undefined) deployment = reportedDeployment(deployment, status, nowMillis)
    },
    changeDeployment,
    setCounts: (name, status) =>
      changeReplicaSet(name, (it) => ({ ...it, status: { ...it.status, ...status } })),
    addReplicaSet: (replicaSet) => void replicaSets.set(replicaSet.metadata.name, replicaSet)
  }
}
