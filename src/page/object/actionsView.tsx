import {
  killPod,
  restartWorkload,
  scaleWorkload,
  setImage,
  setKubeletState,
  setPaused,
  setSuspended,
  undoWorkloadRollout
} from "./actions.ts"
import { isJobFinished } from "../../kubernetes/batch/jobs/jobState.ts"
import { kubeletState } from "../../kubernetes/core/nodeStatus.ts"
import { memo } from "preact/compat"
import { useAction } from "../useAction.ts"
import { useState } from "preact/hooks"
import { likeliestUndo, undoRevisionText, undoRevisionsOf } from "./undoRevisions.ts"
import { useEditedField } from "./useEditedField.ts"
import { useThrottledRedraw } from "../useThrottledRedraw.ts"
import { usePageState } from "../pageState.ts"
import type { ComponentChildren } from "preact"
import type { ServerConnection } from "../source/connection.ts"
import type { CronJob } from "../../kubernetes/batch/cronJobs/cronJobTypes.ts"
import type { DaemonSet } from "../../kubernetes/apps/daemonSets/daemonSetTypes.ts"
import type { Deployment, KubeObject } from "../../kubernetes/meta/objects.ts"
import type { Job } from "../../kubernetes/batch/jobs/jobTypes.ts"
import type { PageAddress } from "../pageAddress.ts"
import type { StatefulSet } from "../../kubernetes/apps/statefulSets/statefulSetTypes.ts"
import type { WorkloadWithTemplate } from "../../forecast/cureRequests.ts"

interface ActionsProps {
  readonly connection: ServerConnection
  readonly address: PageAddress
  readonly object: KubeObject | undefined
}

/** A form's text is cleared only when its action has succeeded. */
export const ActionsView = memo(({ connection, address, object }: ActionsProps) => {
  const runAction = useAction()
  switch (address.kind) {
    case "Deployment":
      return object === undefined ? null : (
        <DeploymentActions connection={connection} deployment={object as Deployment} />
      )
    case "StatefulSet":
    case "DaemonSet":
      return object === undefined ? null : (
        <StatefulOrDaemonSetActions connection={connection} workload={object as StatefulSet | DaemonSet} />
      )
    case "Job":
    case "CronJob":
      return object === undefined ? null : (
        <SuspendActions connection={connection} workload={object as Job | CronJob} />
      )
    case "Pod":
      return (
        <div class="actions">
          <button type="button" onClick={() => runAction(killPod(connection, address))}>
            Kill this Pod
          </button>
        </div>
      )
    case "Node":
      return (
        <div class="actions">
          <button
            type="button"
            disabled={object !== undefined && kubeletState(object) === "stopped"}
            onClick={() => runAction(setKubeletState(connection, address.name, "stopped"))}
          >
            Lose this node
          </button>
          <button
            type="button"
            disabled={object !== undefined && kubeletState(object) === "running"}
            onClick={() => runAction(setKubeletState(connection, address.name, "running"))}
          >
            Bring it back
          </button>
        </div>
      )
    default:
      return null
  }
})

interface DeploymentProps {
  readonly connection: ServerConnection
  readonly deployment: Deployment
}

const DeploymentActions = ({ connection, deployment }: DeploymentProps) => {
  const runAction = useAction()
  const isPaused = deployment.spec.paused === true
  return (
    <div class="actions">
      <TemplateForms connection={connection} workload={deployment} />
      <ReplicasForm connection={connection} workload={deployment} />
      <button type="button" onClick={() => runAction(setPaused(connection, deployment, !isPaused))}>
        {isPaused ? "Resume" : "Pause"}
      </button>
      <UndoForm connection={connection} workload={deployment} />
    </div>
  )
}

interface StatefulOrDaemonSetProps {
  readonly connection: ServerConnection
  readonly workload: StatefulSet | DaemonSet
}

const StatefulOrDaemonSetActions = ({ connection, workload }: StatefulOrDaemonSetProps) => (
  <div class="actions">
    <TemplateForms connection={connection} workload={workload} />
    {workload.kind === "StatefulSet" && (
      <ReplicasForm connection={connection} workload={workload as StatefulSet} />
    )}
    <UndoForm connection={connection} workload={workload} />
  </div>
)

interface SuspendProps {
  readonly connection: ServerConnection
  readonly workload: Job | CronJob
}

const SuspendActions = ({ connection, workload }: SuspendProps) => {
  const runAction = useAction()
  if (workload.kind === "Job" && isJobFinished(workload as Job)) return null
  const isSuspended = workload.spec.suspend === true
  return (
    <div class="actions">
      <button type="button" onClick={() => runAction(setSuspended(connection, workload, !isSuspended))}>
        {isSuspended ? "Resume" : "Suspend"}
      </button>
    </div>
  )
}

interface TemplateProps {
  readonly connection: ServerConnection
  readonly workload: WorkloadWithTemplate
}

const TemplateForms = ({ connection, workload }: TemplateProps) => {
  const runAction = useAction()
  const { shownMillis } = usePageState()
  const containers = workload.spec.template.spec?.containers ?? []
  const [container, setContainer] = useState(containers[0]?.name ?? "")
  return (
    <>
      <ImageForm key={container} connection={connection} workload={workload} container={container}>
        {containers.length > 1 && (
          <select
            aria-label="Container"
            value={container}
            onChange={({ currentTarget }) => setContainer(currentTarget.value)}
          >
            {containers.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        )}
      </ImageForm>
      <button type="button" onClick={() => runAction(restartWorkload(connection, workload, shownMillis()))}>
        Restart
      </button>
    </>
  )
}

const UndoForm = ({ connection, workload }: TemplateProps) => {
  const runAction = useAction()
  const { fleet, history } = usePageState()
  const [chosen, choose] = useState<number>()
  useThrottledRedraw()
  const revisions = undoRevisionsOf(workload, { fleet: fleet.get(), series: history.get().series })
  const selected = revisions.find(({ revision }) => revision === chosen) ?? likeliestUndo(revisions)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        runAction(undoWorkloadRollout(connection, workload, selected?.revision), () => choose(undefined))
      }}
    >
      {revisions.length > 0 && (
        <select
          aria-label="Revision"
          value={selected?.revision}
          onChange={({ currentTarget }) => choose(Number(currentTarget.value))}
        >
          {revisions.map((it) => (
            <option key={it.revision} value={it.revision}>
              {undoRevisionText(it)}
            </option>
          ))}
        </select>
      )}
      <button
        type="submit"
        disabled={revisions.length === 0}
        title={revisions.length === 0 ? "There is no other revision." : undefined}
      >
        Undo
      </button>
    </form>
  )
}

interface ImageProps extends TemplateProps {
  readonly container: string
  readonly children: ComponentChildren
}

const ImageForm = ({ connection, workload, container, children }: ImageProps) => {
  const runAction = useAction()
  const { containers } = workload.spec.template.spec ?? { containers: [] }
  const image = useEditedField(containers.find(({ name }) => name === container)?.image ?? "")
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        runAction(setImage(connection, workload, { container, image: image.text }), image.clear)
      }}
    >
      {children}
      <input
        aria-label="Image"
        value={image.text}
        spellcheck={false}
        onInput={({ currentTarget }) => image.write(currentTarget.value)}
      />
      <button type="submit">Set image</button>
    </form>
  )
}

interface ReplicasProps {
  readonly connection: ServerConnection
  readonly workload: Deployment | StatefulSet
}

const ReplicasForm = ({ connection, workload }: ReplicasProps) => {
  const runAction = useAction()
  const replicas = useEditedField(String(workload.spec.replicas))
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        runAction(scaleWorkload(connection, workload, replicas.text), replicas.clear)
      }}
    >
      <input
        aria-label="Replicas"
        type="number"
        value={replicas.text}
        onInput={({ currentTarget }) => replicas.write(currentTarget.value)}
      />
      <button type="submit">Scale</button>
    </form>
  )
}
