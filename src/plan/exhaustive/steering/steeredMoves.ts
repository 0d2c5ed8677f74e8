import {
  addPods,
  deletePods,
  isClassAvailable,
  classIndex,
  changePodClass,
  noClass,
  noSteeredPods,
  allPodClasses
} from "./steeredPods.ts"
import {
  abortAnnotation,
  holdAnnotation,
  promoteAnnotation
} from "../../../kubernetes/steering/steeringNames.ts"
import { annotationOf } from "../../../kubernetes/apps/revisions/revisions.ts"
import { violationsOfWrite, recordedStepText } from "./steeringClaims.ts"
import { replicaSetText } from "../searchStep.ts"
import { withHookJob } from "./hooksAndPreview.ts"
import { storedReplicaSets, withPods, withReplicaSet } from "./steeredState.ts"
import { availableOf, noPackedCounts, unreadyOf, withSpecReplicas } from "../modelPodCounts.ts"
import type { ClaimViolation } from "./steeringClaims.ts"
import type { DeploymentReconciler } from "../deployments/deploymentReconciler.ts"
import type { Deployment } from "../../../kubernetes/meta/objects.ts"
import type { ModelObjectsTable } from "../modelObjects.ts"
import type { PodCountsByClass } from "./steeredPods.ts"
import type { ReplicaSetReconciler } from "../replicaSetReconciler.ts"
import type { SteeredReplicaSet, SteeredState } from "./steeredState.ts"
import type { SteeringDecision, SteeringReconciler } from "./steeringReconciler.ts"
import type { ViolationDetails } from "../../../scenario/ledger/violations.ts"

export interface SteeredMove {
  readonly state: SteeredState
  readonly who: string
  readonly what: string
  /** False for failures, users and replaced controllers, which may never act. */
  readonly isCertain: boolean
  /** Whether the steering chart decides as if every time for which it waits had come. */
  readonly isLate?: true
  readonly violations?: ReadonlyArray<ClaimViolation>
}

export type SteeringRequest =
  | "promote"
  | "abort"
  | "hold"
  /** Applies the new template again, once it was taken back. */
  | "applyAgain"

export interface SteeredModel {
  readonly deployments: DeploymentReconciler
  readonly replicaSets: ReplicaSetReconciler
  readonly steering: SteeringReconciler
  readonly objectsTable: ModelObjectsTable
  readonly next: Deployment
  /** Whether Pods have the readiness gate; others count as approved once they are up. */
  readonly isGated: boolean
  /** Whether a new Pod that finds no node ends the rollout before its progress deadline. */
  readonly endsWithoutNode: boolean
  readonly failuresMax: number
  readonly requests: ReadonlyArray<SteeringRequest>
  readonly requestsMax: number
}

/** The decisions before (`early`) and after (`late`) the times for which the controller waits. */
export interface SteeringDecisions {
  readonly early: SteeringDecision
  readonly late: SteeringDecision
}

export const decisionsOf = ({ steering }: SteeredModel, state: SteeredState): SteeringDecisions => ({
  early: steering.decide(state, "early"),
  late: steering.decide(state, "late")
})

export const movesOf = (
  model: SteeredModel,
  state: SteeredState,
  decisions: SteeringDecisions
): ReadonlyArray<SteeredMove> => [
  ...steeringMoves(state, decisions),
  ...deploymentMoves(model, state),
  ...positions.flatMap((position) => [
    ...replicaSetMoves(model, state, position),
    ...podMoves(model, state, position)
  ]),
  ...jobMoves(model, state),
  ...userMoves(model, state)
]

const positions = [0, 1] as const

const steeringMoves = (
  state: SteeredState,
  { early, late }: SteeringDecisions
): ReadonlyArray<SteeredMove> => [
  ...early.outcomes.map((outcome): SteeredMove => ({
    ...outcome,
    who: "steering",
    isCertain: true,
    violations: violationsOfWrite(state, outcome.state)
  })),
  ...late.outcomes.map((outcome): SteeredMove => ({
    ...outcome,
    who: "steering, in time",
    isCertain: true,
    isLate: true,
    violations: violationsOfWrite(state, outcome.state)
  }))
]

const deploymentMoves = ({ deployments }: SteeredModel, state: SteeredState): ReadonlyArray<SteeredMove> => {
  const [older, newer] = state.replicaSets
  const { outcomes } = deployments.decisionOf(state.objects, older.counts, newer.counts)
  return outcomes.map(({ objects, specReplicas, step, violations, checkPodCounts }) => {
    const resized = (replicaSet: SteeredReplicaSet, position: 0 | 1): SteeredReplicaSet =>
      objects.replicaSets[position] === undefined
        ? { counts: noPackedCounts, pods: noSteeredPods }
        : { ...replicaSet, counts: withSpecReplicas(replicaSet.counts, specReplicas[position]) }
    return {
      state: { ...state, objects, replicaSets: [resized(older, 0), resized(newer, 1)] },
      who: step.actorText(objects),
      what: step.actionText(objects),
      isCertain: true,
      violations: toClaimViolations([
        ...violations,
        ...(checkPodCounts?.([older.counts, newer.counts]) ?? [])
      ])
    }
  })
}

const toClaimViolations = (violations: ReadonlyArray<ViolationDetails>): ReadonlyArray<ClaimViolation> =>
  violations.map(({ rule, broken, sums }) => [
    rule === "floor" || rule === "ceiling" ? rule : "rules",
    `${broken}: ${sums}`
  ])

const replicaSetMoves = (
  { replicaSets }: SteeredModel,
  state: SteeredState,
  position: 0 | 1
): ReadonlyArray<SteeredMove> => {
  const before = state.replicaSets[position]
  if (state.objects.replicaSets[position] === undefined) return []
  return replicaSets
    .outcomesOf(state.objects, position, before.counts)
    .flatMap(({ packed, objects, step, violations }) =>
      podsAfter(before, packed).map((pods) => ({
        state: { ...withReplicaSet(state, position, { counts: packed, pods }), objects },
        who: step.actorText(objects),
        what: step.actionText(objects),
        isCertain: true,
        violations: toClaimViolations(violations)
      }))
    )
}

/** Any Pod of the same readiness may be the one that was deleted. */
const podsAfter = ({ counts, pods }: SteeredReplicaSet, packed: number): ReadonlyArray<PodCountsByClass> => {
  const unready = unreadyOf(packed) - unreadyOf(counts)
  const available = availableOf(packed) - availableOf(counts)
  const withoutUnready = deletePods(
    addPods(pods, Math.max(0, unready)),
    Math.max(0, -unready),
    (podClass) => !isClassAvailable(podClass)
  )
  return withoutUnready.flatMap((podsLeft) => deletePods(podsLeft, Math.max(0, -available), isClassAvailable))
}

const podMoves = (
  { failuresMax, isGated, endsWithoutNode }: SteeredModel,
  state: SteeredState,
  position: 0 | 1
): ReadonlyArray<SteeredMove> => {
  const replicaSet = state.replicaSets[position]
  const who = `a Pod of ${replicaSetText(state.objects, position)}`
  const isOlder = position === 0
  const change = (
    fromIndex: number,
    toIndex: number | undefined,
    what: string,
    kind: "certain" | "uncertain" | "failure",
    by = who
  ): SteeredMove => ({
    state: {
      ...withReplicaSet(
        state,
        position,
        withPods(replicaSet, changePodClass(replicaSet.pods, fromIndex, toIndex))
      ),
      failures: state.failures + (kind === "failure" ? 1 : 0)
    },
    who: by,
    what,
    isCertain: kind === "certain"
  })
  return allPodClasses.flatMap((podClass, index) => {
    if ((replicaSet.pods[index] ?? 0) === 0) return []
    const { phase, isApproved, isReservedForApproval } = podClass
    return [
      ...(phase === "starting"
        ? [
            change(
              index,
              classIndex({ ...podClass, phase: "up", isApproved: isApproved || !isGated }),
              "is up",
              "certain"
            )
          ]
        : []),
      ...(phase === "unschedulable"
        ? [change(index, classIndex({ ...podClass, phase: "starting" }), "finds a node", "uncertain")]
        : []),
      // The server accepts the approval of a replaced controller although the Deployment has changed.
      ...(isReservedForApproval && !isApproved
        ? [
            change(
              index,
              classIndex({ ...podClass, isApproved: true }),
              "approves a Pod on record",
              "uncertain",
              "a steering controller that was replaced"
            )
          ]
        : []),
      ...(state.failures === failuresMax
        ? []
        : [
            change(index, noClass, "is lost", "failure"),
            ...(phase === "up"
              ? [change(index, classIndex({ ...podClass, phase: "starting" }), "is no longer up", "failure")]
              : []),
            ...(phase === "starting" && endsWithoutNode && !isOlder
              ? [
                  change(
                    index,
                    classIndex({ ...podClass, phase: "unschedulable" }),
                    "finds no node",
                    "failure"
                  )
                ]
              : []),
            // A crashed old Pod does not fail the rollout: it counts as lost.
            ...(phase === "crashed" || isOlder
              ? []
              : [
                  change(
                    index,
                    classIndex({ ...podClass, phase: "crashed" }),
                    "crashes again and again",
                    "failure"
                  )
                ])
          ])
    ]
  })
}

const jobMoves = ({ failuresMax }: SteeredModel, state: SteeredState): ReadonlyArray<SteeredMove> =>
  Object.entries(state.hookJobs).flatMap(([name, phase]) => {
    if (phase !== "running") return []
    const who = "the Job of a hook"
    const failed = { ...withHookJob(state, name, "failed"), failures: state.failures + 1 }
    return [
      { state: withHookJob(state, name, "complete"), who, what: "succeeds", isCertain: true },
      ...(state.failures === failuresMax ? [] : [{ state: failed, who, what: "fails", isCertain: false }])
    ]
  })

const userMoves = (model: SteeredModel, state: SteeredState): ReadonlyArray<SteeredMove> => {
  const { requests, requestsMax, objectsTable } = model
  if (state.requests === requestsMax) return []
  return requests.flatMap((request) => {
    const deployment = deploymentWithRequest(model, state, request)
    return deployment === undefined
      ? []
      : [
          {
            state: {
              ...state,
              objects: objectsTable.findOrAdd(deployment, storedReplicaSets(state)),
              requests: state.requests + 1
            },
            who: "the user",
            what: request === "applyAgain" ? "applies the new template again" : `asks to ${request}`,
            isCertain: false
          }
        ]
  })
}

const annotationNames = { promote: promoteAnnotation, abort: abortAnnotation, hold: holdAnnotation }

/** Undefined if the request is there already, or makes no sense in this state. */
const deploymentWithRequest = (
  { next }: SteeredModel,
  { objects: { deployment, newPosition }, replicaSets: [, newer] }: SteeredState,
  request: SteeringRequest
): Deployment | undefined => {
  const { metadata } = deployment
  // The template changes only once no new Pod is left: Kubernetes does not keep the floor when a template changes
  // while Pods are deleted.
  if (request === "applyAgain")
    return newPosition === 0 && newer.counts === 0
      ? {
          ...deployment,
          metadata: { ...metadata, generation: (metadata.generation ?? 1) + 1 },
          spec: next.spec
        }
      : undefined
  const name = annotationNames[request]
  if (annotationOf(deployment, name) !== undefined) return undefined
  const value = request === "promote" ? recordedStepText(deployment) : ""
  return { ...deployment, metadata: { ...metadata, annotations: { ...metadata.annotations, [name]: value } } }
}
