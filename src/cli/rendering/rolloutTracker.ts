import { imagesText } from "../../kubernetes/pods/containers/images.ts"
import { placementDeadlockTextIn } from "../../store/placementInput.ts"
import {
  annotationOf,
  revisionAnnotation,
  rollbackAnnotation
} from "../../kubernetes/apps/revisions/revisions.ts"
import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { preciseDurationText } from "../terminal/preciseDurationText.ts"
import { isSameTemplate } from "../../kubernetes/apps/revisions/podTemplates.ts"
import { makeProblemCollector } from "./problemCollector.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { rolloutStatus } from "../../kubernetes/apps/rolloutStatus.ts"
import { isWorkloadTrackerResource, makeWorkloadTracker } from "./workloadTracker.ts"
import { pausedMessage } from "./workloadOutcome.ts"
import type { WorkloadNews } from "./workloadNews.ts"
import type { Deployment, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { Change, ClusterView } from "../../store/objectStore.ts"
import type { WorkloadOutcome, AppliedWorkload } from "./workloadOutcome.ts"

/** Detects rollouts from changes of workloads and revisions; reads Pods only after a failure. */
export interface RolloutTracker {
  readonly onChange: (change: Change, atMillis: number) => void
  /** Until `endApplying`, changed specs make no news: the run reports what it applies. */
  readonly beginApplying: () => void
  /**
   * The run reports these rollouts itself: they make no news until `resumeNews`. When another writer begins a new one,
   * `onSuperseded` is called, and news are made again.
   */
  readonly endApplying: (workloads: ReadonlyArray<AppliedWorkload>, onSuperseded: OnSuperseded) => void
  readonly resumeNews: () => void
}

export const isRolloutResource = (resource: string): boolean =>
  resource === resources.deployments ||
  resource === resources.replicaSets ||
  isWorkloadTrackerResource(resource)

type OnSuperseded = (workload: AppliedWorkload, outcome: WorkloadOutcome, atMillis: number) => void

interface Rollout {
  deployment: Deployment
  phase: "progressing" | "complete" | "failed"
  message: string
  beganMillis: number
  /** False for scaling, which creates no revision. */
  isRevision: boolean
  /** A text such as `revision 3`; undefined until the ReplicaSet exists. */
  revision: string | undefined
  /** Undefined for a new Deployment. */
  availableFewest: number | undefined
  imagesBefore: string
}

interface TrackerState {
  readonly view: ClusterView["Service"]
  readonly onNews: (news: WorkloadNews) => void
  /** By the Deployment's uid. */
  readonly rollouts: Map<string, Rollout>
  /** By the uid of each workload that makes no news: what to call when its rollout is superseded. */
  readonly silenced: Map<string, (outcome: WorkloadOutcome, atMillis: number) => void>
  isApplying: boolean
}

export const makeRolloutTracker = (options: {
  readonly view: ClusterView["Service"]
  readonly onNews: (news: WorkloadNews) => void
  readonly nowMillis: () => number
}): RolloutTracker => {
  const { view, onNews } = options
  const state: TrackerState = { view, onNews, rollouts: new Map(), silenced: new Map(), isApplying: false }
  const otherWorkloads = makeWorkloadTracker({
    ...options,
    isSilenced: (uid) => state.silenced.has(uid),
    isApplying: () => state.isApplying
  })
  return {
    onChange: (change, atMillis) => {
      if (isWorkloadTrackerResource(change.resource)) return otherWorkloads.onChange(change, atMillis)
      if (isRevisionChange(change)) handleRevision(state, change.object as ReplicaSet, atMillis)
      const { type, resource, object, old } = change
      if (resource !== resources.deployments) return
      const deployment = object as Deployment
      if (type === "DELETED") handleDeletion(state, deployment, atMillis)
      else handleUpdate(state, (old ?? object) as Deployment, deployment, atMillis)
    },
    beginApplying: () => {
      state.isApplying = true
    },
    endApplying: (workloads, onSuperseded) => {
      state.isApplying = false
      for (const workload of workloads)
        state.silenced.set(workload.uid, (outcome, atMillis) => onSuperseded(workload, outcome, atMillis))
    },
    resumeNews: () => state.silenced.clear()
  }
}

type PartialNews = Pick<WorkloadNews, "atMillis" | "reason" | "message"> &
  Partial<Pick<WorkloadNews, "troubles">>

const publish = ({ onNews }: TrackerState, deployment: Deployment, news: PartialNews): void =>
  onNews({ workload: deployment, troubles: [], ...news })

/** The first ReplicaSet that gets a revision number after a new template is the new one. */
const handleRevision = (state: TrackerState, replicaSet: ReplicaSet, atMillis: number): void => {
  const { uid = "" } = controllerOf(replicaSet) ?? {}
  const rollout = state.rollouts.get(uid)
  if (rollout === undefined || rollout.revision !== undefined) return
  rollout.revision = `revision ${annotationOf(replicaSet, revisionAnnotation)}`
  if (state.silenced.has(uid)) return
  const images = imagesText(replicaSet)
  const unchangedText = images === rollout.imagesBefore ? " as before" : ""
  const message = `${rollout.revision}: ${images}${unchangedText}`
  publish(state, rollout.deployment, { atMillis, reason: "Progressing", message })
}

const handleDeletion = (state: TrackerState, deployment: Deployment, atMillis: number): void => {
  const { uid, name } = deployment.metadata
  state.rollouts.delete(uid)
  if (state.silenced.has(uid)) return
  const message = `deployment ${JSON.stringify(name)} has been deleted`
  publish(state, deployment, { atMillis, reason: "Deleted", message })
}

const handleUpdate = (state: TrackerState, before: Deployment, after: Deployment, atMillis: number): void => {
  const { uid, generation } = after.metadata
  let rollout = state.rollouts.get(uid) ?? beginRollout(after, atMillis)
  // Most changes are of the status and keep the generation.
  if (before.metadata.generation !== generation) {
    const change: SpecChange = {
      before,
      after,
      atMillis,
      isNewTemplate: !isSameTemplate(before.spec.template, after.spec.template),
      isScaled: before.spec.replicas !== after.spec.replicas
    }
    reportSuperseded(state, rollout, change)
    if (!state.isApplying) publishSpecNews(state, change)
    rollout = rolloutAfter(change, rollout)
  }
  state.rollouts.set(uid, rollout)
  rollout.deployment = after
  if (rollout.availableFewest !== undefined) {
    rollout.availableFewest = Math.min(rollout.availableFewest, availableOf(after))
  }
  handleEnd(state, rollout, atMillis)
}

interface SpecChange {
  readonly before: Deployment
  readonly after: Deployment
  readonly atMillis: number
  readonly isNewTemplate: boolean
  readonly isScaled: boolean
}

const reportSuperseded = (
  state: TrackerState,
  rollout: Rollout,
  { before, after, atMillis, isNewTemplate, isScaled }: SpecChange
): void => {
  const { uid } = after.metadata
  const { phase, isRevision, revision } = rollout
  // A rollback by annotation belongs to the apply that requested it.
  const isSuperseded =
    (isNewTemplate && annotationOf(before, rollbackAnnotation) === undefined) ||
    (isScaled && phase !== "progressing")
  const onSuperseded = isSuperseded ? state.silenced.get(uid) : undefined
  if (onSuperseded !== undefined) {
    state.silenced.delete(uid)
    onSuperseded(outcomeWhenSuperseded(rollout), atMillis)
    return
  }
  const isCutShort = isNewTemplate && phase === "progressing" && isRevision && revision !== undefined
  if (isCutShort && !state.silenced.has(uid))
    publish(state, after, { atMillis, reason: "Superseded", message: supersededMessage(revision) })
}

const publishSpecNews = (state: TrackerState, { before, after, atMillis, isScaled }: SpecChange): void => {
  if (isScaled) {
    const message = `from ${before.spec.replicas} to ${after.spec.replicas}`
    publish(state, after, { atMillis, reason: "Scaled", message })
  }
  const [wasPaused, isPaused] = [before.spec.paused === true, after.spec.paused === true]
  if (isPaused && !wasPaused)
    publish(state, after, { atMillis, reason: "Paused", message: pausedMessage(after) })
  if (wasPaused && !isPaused) {
    const message = `deployment ${JSON.stringify(after.metadata.name)} goes on`
    publish(state, after, { atMillis, reason: "Resumed", message })
  }
}

const rolloutAfter = (
  { before, after, atMillis, isNewTemplate, isScaled }: SpecChange,
  rollout: Rollout
): Rollout => {
  // Scaling does not restart the progress deadline of a failed rollout.
  if (!isNewTemplate && !(isScaled && rollout.phase === "complete")) return rollout
  return {
    ...beginRollout(after, atMillis),
    isRevision: isNewTemplate,
    revision: isNewTemplate ? undefined : rollout.revision,
    availableFewest: availableOf(before),
    imagesBefore: imagesText(before)
  }
}

const handleEnd = (state: TrackerState, rollout: Rollout, atMillis: number): void => {
  const { deployment } = rollout
  const { state: phase, message } = rolloutStatus(deployment)
  if (phase === "waiting" || phase === rollout.phase) return
  rollout.phase = phase
  rollout.message = message
  if (state.silenced.has(deployment.metadata.uid)) return
  const costs = costText(rollout, atMillis)
  if (phase === "complete") {
    publish(state, deployment, { atMillis, reason: "Complete", message: `${message} in ${costs}` })
  } else {
    const troubles = troublesOf(state.view, deployment)
    publish(state, deployment, { atMillis, reason: "Failed", message: `${message} after ${costs}`, troubles })
  }
}

const isRevisionChange = ({ type, resource, object, old }: Change): boolean => {
  if (resource !== resources.replicaSets || type === "DELETED") return false
  return annotationOf(object, revisionAnnotation) !== (old && annotationOf(old, revisionAnnotation))
}

const beginRollout = (deployment: Deployment, atMillis: number): Rollout => ({
  deployment,
  phase: "progressing",
  message: "",
  beganMillis: atMillis,
  isRevision: true,
  revision: undefined,
  availableFewest: undefined,
  imagesBefore: ""
})

const outcomeWhenSuperseded = ({ phase, message, revision }: Rollout): WorkloadOutcome =>
  phase === "progressing"
    ? { outcome: "superseded", message: supersededMessage(revision) }
    : { outcome: phase, message }

const supersededMessage = (revision = "a revision"): string =>
  `${revision} gave way to another one before it was rolled out`

const costText = (
  { deployment: { spec }, beganMillis, isRevision, availableFewest }: Rollout,
  atMillis: number
): string => {
  const span = preciseDurationText(atMillis - beganMillis)
  const hadTooFew = isRevision && availableFewest !== undefined && availableFewest < spec.replicas
  // While scaling up, fewer than desired are always available.
  if (!hadTooFew) return span
  return `${span}: fewest available ${availableFewest} of ${spec.replicas}`
}

const availableOf = ({ status }: Deployment): number => status.availableReplicas ?? 0

const troublesOf = (view: ClusterView["Service"], deployment: Deployment): ReadonlyArray<string> => {
  const troubles = makeProblemCollector()
  for (const replicaSet of view.controlled(resources.replicaSets, deployment.metadata.uid)) {
    troubles.observeReplicaSet(replicaSet)
    const pods = view.controlled(resources.pods, replicaSet.metadata.uid)
    for (const pod of pods) troubles.observePod({ before: undefined, after: pod })
  }
  // The errors of registries are missing: only Events have them.
  const deadlock = placementDeadlockTextIn(view, deployment)
  return [...troubles.sentences(), ...(deadlock === undefined ? [] : [deadlock])]
}
