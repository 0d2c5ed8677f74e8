import { annotationOf, revisionAnnotation, rollbackAnnotation } from "../domain/revisions.ts"
import { controllerOf } from "../domain/ownerReferences.ts"
import { exactSpan } from "./ages.ts"
import { isSameTemplate } from "../domain/podTemplates.ts"
import { makeTroubles } from "./troubles.ts"
import { resources } from "../domain/kinds.ts"
import { rolloutStatus } from "../domain/rolloutStatus.ts"
import type { Deployment, ReplicaSet } from "../domain/objects.ts"
import type { Change, ClusterView } from "../store/objectStore.ts"
import type { Standing, Started } from "./standing.ts"

/** What has become of a rollout that is no act's own: how it begins, what is done to it, and how it ends. */
export interface RolloutNews {
  readonly deployment: Deployment
  readonly atMillis: number
  readonly reason:
    | "Progressing"
    | "Scaled"
    | "Paused"
    | "Resumed"
    | "Superseded"
    | "Complete"
    | "Failed"
    | "Deleted"
  readonly message: string
  /** What is wrong at a failure, a sentence each. */
  readonly troubles: ReadonlyArray<string>
}

/**
 * Follows the rollouts of all Deployments, whoever began them, by what changes in Deployments and in the numbers of
 * their ReplicaSets. No Pod is looked at before a rollout has failed.
 */
export interface Rollouts {
  readonly see: (change: Change, atMillis: number) => void
  /** From now on what is written is an act's own, until it has been adopted. */
  readonly beginWriting: () => void
  /** What an act has begun is told by the act, until somebody else begins something on top of it. */
  readonly adopt: (started: ReadonlyArray<Started>, taken: Taken) => void
  /** Whatever comes of an act's rollouts now is told as that of any other. */
  readonly release: () => void
}

/** Of which resources a change may be news. */
export const isRolloutResource = (resource: string): boolean =>
  resource === resources.deployments || resource === resources.replicaSets

/** Called before the change is seen by anybody who came later. */
type Taken = (started: Started, standing: Standing, atMillis: number) => void

/** How far the latest rollout of a Deployment has come. */
interface Rollout {
  /** As it is now. */
  deployment: Deployment
  phase: "going" | "complete" | "failed"
  /** What `kubectl rollout status` said at its end. */
  message: string
  beganMillis: number
  /** Whether it began with a template of its own; scaling is a rollout too, but no revision. */
  isRevision: boolean
  /** `revision 3`; undefined until there is a ReplicaSet of it, as while the Deployment is paused. */
  revision: string | undefined
  /** Undefined for a Deployment that was new and had none to lose. */
  availableFewest: number | undefined
  /** The images of the template before. */
  imagesBefore: string
}

export const makeRollouts = (options: {
  readonly view: ClusterView["Service"]
  readonly tell: (news: RolloutNews) => void
}): Rollouts => {
  const { view, tell } = options
  const rollouts = new Map<string, Rollout>()
  const adopted = new Map<string, (standing: Standing, atMillis: number) => void>()
  let isWriting = false

  const seeSpec = (rollout: Rollout, before: Deployment, after: Deployment, atMillis: number): void => {
    const { uid } = after.metadata
    const say = newsOf(after, atMillis, tell)
    const isRevised = !isSameTemplate(before.spec.template, after.spec.template)
    const isScaled = before.spec.replicas !== after.spec.replicas
    const wasGoing = rollout.phase === "going"
    // What the controller rolls back on request is what was asked for.
    const isTaken =
      (isRevised && annotationOf(before, rollbackAnnotation) === undefined) || (isScaled && !wasGoing)
    const taken = isTaken ? adopted.get(uid) : undefined
    if (taken !== undefined) {
      adopted.delete(uid)
      taken(takenStanding(rollout), atMillis)
    } else if (
      isRevised &&
      wasGoing &&
      rollout.isRevision &&
      rollout.revision !== undefined &&
      !adopted.has(uid)
    ) {
      say("Superseded", supersededMessage(rollout.revision))
    }
    if (!isWriting) {
      if (isScaled) say("Scaled", `from ${before.spec.replicas} to ${after.spec.replicas}`)
      const [wasPaused, isPaused] = [before.spec.paused === true, after.spec.paused === true]
      if (isPaused && !wasPaused) say("Paused", pausedMessage(after))
      if (wasPaused && !isPaused) say("Resumed", `deployment ${JSON.stringify(after.metadata.name)} goes on`)
    }
    // One that has failed stays so when it is scaled: its deadline is not set anew.
    if (isRevised || (isScaled && rollout.phase === "complete")) {
      rollouts.set(uid, {
        ...begun(after, atMillis),
        isRevision: isRevised,
        revision: isRevised ? undefined : rollout.revision,
        availableFewest: availableOf(before),
        imagesBefore: imagesOf(before)
      })
    }
  }

  const seeEnd = (rollout: Rollout, deployment: Deployment, atMillis: number): void => {
    const { state, message } = rolloutStatus(deployment)
    if (state === "waiting" || state === rollout.phase) return
    rollout.phase = state
    rollout.message = message
    if (adopted.has(deployment.metadata.uid)) return
    const say = newsOf(deployment, atMillis, tell)
    const told = `${message} ${state === "complete" ? "in" : "after"} ${costText(rollout, deployment, atMillis)}`
    if (state === "complete") say("Complete", told)
    else say("Failed", told, troublesOf(view, deployment))
  }

  const rolloutOf = (deployment: Deployment, atMillis: number): Rollout => {
    const { uid } = deployment.metadata
    const rollout = rollouts.get(uid) ?? begun(deployment, atMillis)
    rollouts.set(uid, rollout)
    return rollout
  }

  const seeChanged = (before: Deployment, after: Deployment, atMillis: number): void => {
    // Most changes are of the status and leave the generation alone.
    if (before.metadata.generation !== after.metadata.generation) {
      seeSpec(rolloutOf(after, atMillis), before, after, atMillis)
    }
    const rollout = rolloutOf(after, atMillis)
    rollout.deployment = after
    if (rollout.availableFewest !== undefined) {
      rollout.availableFewest = Math.min(rollout.availableFewest, availableOf(after))
    }
    seeEnd(rollout, after, atMillis)
  }

  /** The ReplicaSet of the present template is the first to know the number of the revision. */
  const seeReplicaSet = (replicaSet: ReplicaSet, atMillis: number): void => {
    const { uid = "" } = controllerOf(replicaSet) ?? {}
    const rollout = rollouts.get(uid)
    if (rollout === undefined || rollout.revision !== undefined) return
    rollout.revision = `revision ${annotationOf(replicaSet, revisionAnnotation)}`
    if (adopted.has(uid)) return
    const images = imagesOf(replicaSet)
    const asBefore = images === rollout.imagesBefore ? " as before" : ""
    newsOf(rollout.deployment, atMillis, tell)("Progressing", `${rollout.revision}: ${images}${asBefore}`)
  }

  return {
    see: (change, atMillis) => {
      if (isNumbering(change)) seeReplicaSet(change.object as ReplicaSet, atMillis)
      const { type, resource, object, old } = change
      if (resource !== resources.deployments) return
      // The store says of what resource an object is; the types cannot follow.
      const deployment = object as Deployment
      if (type !== "DELETED") return seeChanged((old ?? object) as Deployment, deployment, atMillis)
      const { uid, name } = deployment.metadata
      rollouts.delete(uid)
      if (!adopted.has(uid)) {
        newsOf(deployment, atMillis, tell)("Deleted", `deployment ${JSON.stringify(name)} has been deleted`)
      }
    },
    beginWriting: () => {
      isWriting = true
    },
    adopt: (started, taken) => {
      isWriting = false
      for (const it of started) adopted.set(it.uid, (standing, atMillis) => taken(it, standing, atMillis))
    },
    release: () => adopted.clear()
  }
}

/** A ReplicaSet has got another number; all that its Pods do to it leaves that alone. */
const isNumbering = ({ type, resource, object, old }: Change): boolean => {
  if (resource !== resources.replicaSets || type === "DELETED") return false
  return annotationOf(object, revisionAnnotation) !== (old && annotationOf(old, revisionAnnotation))
}

const begun = (deployment: Deployment, atMillis: number): Rollout => ({
  deployment,
  phase: "going",
  message: "",
  beganMillis: atMillis,
  isRevision: true,
  revision: undefined,
  availableFewest: undefined,
  imagesBefore: ""
})

const newsOf =
  (deployment: Deployment, atMillis: number, tell: (news: RolloutNews) => void) =>
  (reason: RolloutNews["reason"], message: string, troubles: ReadonlyArray<string> = []): void =>
    tell({ deployment, atMillis, reason, message, troubles })

/** How an act's own rollout stood when somebody else began another one. */
const takenStanding = ({ phase, message, revision }: Rollout): Standing =>
  phase === "going"
    ? { outcome: "superseded", message: supersededMessage(revision) }
    : { outcome: phase, message }

const supersededMessage = (revision = "a revision"): string =>
  `${revision} gave way to another one before it was rolled out`

const pausedMessage = ({ spec, status }: Deployment): string =>
  `paused with ${status.updatedReplicas ?? 0} of ${spec.replicas} updated`

/** `8.4s: fewest available 4 of 5` */
const costText = (
  { beganMillis, isRevision, availableFewest }: Rollout,
  { spec }: Deployment,
  atMillis: number
) => {
  const span = exactSpan(atMillis - beganMillis)
  const isLess = isRevision && availableFewest !== undefined && availableFewest < spec.replicas
  // Of a Deployment that grows, fewer than wanted are available by nobody's fault.
  if (!isLess) return span
  return `${span}: fewest available ${availableFewest} of ${spec.replicas}`
}

const availableOf = ({ status }: Deployment): number => status.availableReplicas ?? 0

const imagesOf = ({ spec }: Deployment | ReplicaSet): string =>
  (spec.template.spec?.containers ?? []).map(({ image = "no image" }) => image).join(", ")

/** What is wrong with its Pods: looked for only when the rollout has failed. */
const troublesOf = (view: ClusterView["Service"], { metadata }: Deployment): ReadonlyArray<string> => {
  const troubles = makeTroubles()
  for (const replicaSet of view.controlled(resources.replicaSets, metadata.uid)) {
    troubles.seeReplicaSet(replicaSet)
    const pods = view.controlled(resources.pods, replicaSet.metadata.uid)
    for (const pod of pods) troubles.seePod(undefined, pod)
  }
  return troubles.sentences(new Map())
}
