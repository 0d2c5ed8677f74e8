import { imagesOf } from "../../kubernetes/pods/containers/images.ts"
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
  /** Until `suppressNews`, changes are writes of a stage (a manifest file), which the stage reports itself. */
  readonly beginStageWrites: () => void
  /** Suppresses news of the objects until another writer begins a new rollout, which calls `onSuperseded`. */
  readonly suppressNews: (workloads: ReadonlyArray<AppliedWorkload>, onSuperseded: OnSuperseded) => void
  /** Lets news of the objects through again. */
  readonly endStage: () => void
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

export const makeRolloutTracker = (options: {
  readonly view: ClusterView["Service"]
  readonly onNews: (news: WorkloadNews) => void
  readonly nowMillis: () => number
}): RolloutTracker => {
  const { view, onNews, nowMillis } = options
  const rollouts = new Map<string, Rollout>()
  const suppressed = new Map<string, (outcome: WorkloadOutcome, atMillis: number) => void>()
  let isStageWriting = false
  const otherWorkloads = makeWorkloadTracker({
    view,
    onNews,
    nowMillis,
    isSuppressed: (uid) => suppressed.has(uid),
    isStageWriting: () => isStageWriting
  })

  const handleSpecChange = (
    rollout: Rollout,
    before: Deployment,
    after: Deployment,
    atMillis: number
  ): void => {
    const { uid } = after.metadata
    const publish = newsPublisher(after, atMillis, onNews)
    const isNewTemplate = !isSameTemplate(before.spec.template, after.spec.template)
    const isScaled = before.spec.replicas !== after.spec.replicas
    const wasProgressing = rollout.phase === "progressing"
    // A rollback by annotation belongs to the stage that requested it.
    const isSuperseded =
      (isNewTemplate && annotationOf(before, rollbackAnnotation) === undefined) ||
      (isScaled && !wasProgressing)
    const onSuperseded = isSuperseded ? suppressed.get(uid) : undefined
    if (onSuperseded !== undefined) {
      suppressed.delete(uid)
      onSuperseded(outcomeWhenSuperseded(rollout), atMillis)
    } else if (
      isNewTemplate &&
      wasProgressing &&
      rollout.isRevision &&
      rollout.revision !== undefined &&
      !suppressed.has(uid)
    ) {
      publish("Superseded", supersededMessage(rollout.revision))
    }
    if (!isStageWriting) {
      if (isScaled) publish("Scaled", `from ${before.spec.replicas} to ${after.spec.replicas}`)
      const [wasPaused, isPaused] = [before.spec.paused === true, after.spec.paused === true]
      if (isPaused && !wasPaused) publish("Paused", pausedMessage(after))
      if (wasPaused && !isPaused)
        publish("Resumed", `deployment ${JSON.stringify(after.metadata.name)} goes on`)
    }
    // Scaling does not restart the progress deadline of a failed rollout.
    if (isNewTemplate || (isScaled && rollout.phase === "complete")) {
      rollouts.set(uid, {
        ...beginRollout(after, atMillis),
        isRevision: isNewTemplate,
        revision: isNewTemplate ? undefined : rollout.revision,
        availableFewest: availableOf(before),
        imagesBefore: imagesOf(before)
      })
    }
  }

  const handleEnd = (rollout: Rollout, deployment: Deployment, atMillis: number): void => {
    const { state, message } = rolloutStatus(deployment)
    if (state === "waiting" || state === rollout.phase) return
    rollout.phase = state
    rollout.message = message
    if (suppressed.has(deployment.metadata.uid)) return
    const publish = newsPublisher(deployment, atMillis, onNews)
    const costs = costText(rollout, deployment, atMillis)
    const messageWithCosts = `${message} ${state === "complete" ? "in" : "after"} ${costs}`
    if (state === "complete") publish("Complete", messageWithCosts)
    else publish("Failed", messageWithCosts, troublesOf(view, deployment))
  }

  const rolloutOf = (deployment: Deployment, atMillis: number): Rollout => {
    const { uid } = deployment.metadata
    const rollout = rollouts.get(uid) ?? beginRollout(deployment, atMillis)
    rollouts.set(uid, rollout)
    return rollout
  }

  const handleUpdate = (before: Deployment, after: Deployment, atMillis: number): void => {
    // Most changes are of the status and keep the generation.
    if (before.metadata.generation !== after.metadata.generation) {
      handleSpecChange(rolloutOf(after, atMillis), before, after, atMillis)
    }
    const rollout = rolloutOf(after, atMillis)
    rollout.deployment = after
    if (rollout.availableFewest !== undefined) {
      rollout.availableFewest = Math.min(rollout.availableFewest, availableOf(after))
    }
    handleEnd(rollout, after, atMillis)
  }

  /** The first ReplicaSet that gets a revision number after a new template is the new one. */
  const handleRevision = (replicaSet: ReplicaSet, atMillis: number): void => {
    const { uid = "" } = controllerOf(replicaSet) ?? {}
    const rollout = rollouts.get(uid)
    if (rollout === undefined || rollout.revision !== undefined) return
    rollout.revision = `revision ${annotationOf(replicaSet, revisionAnnotation)}`
    if (suppressed.has(uid)) return
    const images = imagesOf(replicaSet)
    const unchangedText = images === rollout.imagesBefore ? " as before" : ""
    newsPublisher(
      rollout.deployment,
      atMillis,
      onNews
    )("Progressing", `${rollout.revision}: ${images}${unchangedText}`)
  }

  return {
    onChange: (change, atMillis) => {
      if (isWorkloadTrackerResource(change.resource)) return otherWorkloads.onChange(change, atMillis)
      if (isRevisionChange(change)) handleRevision(change.object as ReplicaSet, atMillis)
      const { type, resource, object, old } = change
      if (resource !== resources.deployments) return
      const deployment = object as Deployment
      if (type !== "DELETED") return handleUpdate((old ?? object) as Deployment, deployment, atMillis)
      const { uid, name } = deployment.metadata
      rollouts.delete(uid)
      if (!suppressed.has(uid)) {
        newsPublisher(
          deployment,
          atMillis,
          onNews
        )("Deleted", `deployment ${JSON.stringify(name)} has been deleted`)
      }
    },
    beginStageWrites: () => {
      isStageWriting = true
    },
    suppressNews: (workloads, onSuperseded) => {
      isStageWriting = false
      for (const workload of workloads)
        suppressed.set(workload.uid, (outcome, atMillis) => onSuperseded(workload, outcome, atMillis))
    },
    endStage: () => suppressed.clear()
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

const newsPublisher =
  (deployment: Deployment, atMillis: number, onNews: (news: WorkloadNews) => void) =>
  (reason: WorkloadNews["reason"], message: string, troubles: ReadonlyArray<string> = []): void =>
    onNews({ workload: deployment, atMillis, reason, message, troubles })

const outcomeWhenSuperseded = ({ phase, message, revision }: Rollout): WorkloadOutcome =>
  phase === "progressing"
    ? { outcome: "superseded", message: supersededMessage(revision) }
    : { outcome: phase, message }

const supersededMessage = (revision = "a revision"): string =>
  `${revision} gave way to another one before it was rolled out`

const costText = (
  { beganMillis, isRevision, availableFewest }: Rollout,
  { spec }: Deployment,
  atMillis: number
) => {
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
