import { runAction } from "../statusMessage.ts"
import { isJobFinished } from "../../kubernetes/batch/jobs/jobState.ts"
import { kubeletState } from "../../kubernetes/core/nodeStatus.ts"
import {
  killPod,
  restartWorkload,
  setKubeletState,
  setPaused,
  setSuspended,
  undoWorkloadRollout
} from "../object/actions.ts"
import { undoRevisionText, undoRevisionsOf } from "../object/undoRevisions.ts"
import { latestMoment } from "../history/moment.ts"
import type { CronJob } from "../../kubernetes/batch/cronJobs/cronJobTypes.ts"
import type { DaemonSet } from "../../kubernetes/apps/daemonSets/daemonSetTypes.ts"
import type { Deployment } from "../../kubernetes/meta/objects.ts"
import type { Job } from "../../kubernetes/batch/jobs/jobTypes.ts"
import type { PageState } from "../pageState.ts"
import type { PaletteCommand } from "./matchCommands.ts"
import type { ServerConnection } from "../source/connection.ts"
import type { WorkloadWithTemplate } from "../../forecast/cureRequests.ts"
import type { StatefulSet } from "../../kubernetes/apps/statefulSets/statefulSetTypes.ts"

export const makeRequestAction =
  ({ message }: PageState, send: () => Promise<string>) =>
  (): void =>
    runAction(message, send())

/** Undefined for a recording or a past moment, which cannot be changed. */
export const connectionForActions = ({ connection, isNow }: PageState): ServerConnection | undefined =>
  isNow() && connection?.status.get().state === "live" ? connection : undefined

export const objectCommands = (state: PageState): ReadonlyArray<PaletteCommand> => {
  const address = state.selected.get()
  if (address === undefined) return []
  const close = { label: "Back to all workloads", keys: "Escape", run: () => state.select(undefined) }
  const connection = connectionForActions(state)
  const lastKnown = state.history.get().lastKnownOf(address, latestMoment)
  if (connection === undefined || lastKnown?.exists !== true) return [close]
  const { kind, name } = address
  const { object } = lastKnown
  const command = (label: string, send: () => Promise<string>): PaletteCommand => ({
    label,
    run: makeRequestAction(state, send)
  })
  switch (kind) {
    case "Deployment":
      return [...deploymentCommands(state, connection, object as Deployment), close]
    case "StatefulSet":
    case "DaemonSet": {
      const workload = object as StatefulSet | DaemonSet
      return [
        command(`Restart ${kind} ${name}`, () => restartWorkload(connection, workload, state.shownMillis())),
        ...undoCommands(state, connection, workload),
        close
      ]
    }
    case "Job":
    case "CronJob": {
      const workload = object as Job | CronJob
      if (kind === "Job" && isJobFinished(workload as Job)) return [close]
      const isSuspended = workload.spec.suspend === true
      const verb = isSuspended ? "Resume" : "Suspend"
      return [
        command(`${verb} ${kind} ${name}`, () => setSuspended(connection, workload, !isSuspended)),
        close
      ]
    }
    case "Pod":
      return [command(`Kill Pod ${name}`, () => killPod(connection, address)), close]
    case "Node": {
      const isStopped = kubeletState(object) === "stopped"
      const label = isStopped ? `Bring node ${name} back` : `Lose node ${name}`
      return [
        command(label, () => setKubeletState(connection, name, isStopped ? "running" : "stopped")),
        close
      ]
    }
    default:
      return [close]
  }
}

const deploymentCommands = (
  state: PageState,
  connection: ServerConnection,
  deployment: Deployment
): ReadonlyArray<PaletteCommand> => {
  const { name } = deployment.metadata
  const isPaused = deployment.spec.paused === true
  return [
    {
      label: `${isPaused ? "Resume" : "Pause"} Deployment ${name}`,
      run: makeRequestAction(state, () => setPaused(connection, deployment, !isPaused))
    },
    {
      label: `Restart Deployment ${name}`,
      run: makeRequestAction(state, () => restartWorkload(connection, deployment, state.shownMillis()))
    },
    ...undoCommands(state, connection, deployment)
  ]
}

const undoCommands = (
  state: PageState,
  connection: ServerConnection,
  workload: WorkloadWithTemplate
): ReadonlyArray<PaletteCommand> =>
  undoRevisionsOf(workload, { fleet: state.fleet.get(), series: state.history.get().series }).map(
    (undoRevision) => ({
      label: `Undo ${workload.kind} ${workload.metadata.name} to revision ${undoRevisionText(undoRevision)}`,
      run: makeRequestAction(state, () => undoWorkloadRollout(connection, workload, undoRevision.revision))
    })
  )
