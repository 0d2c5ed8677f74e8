import {
  addPods,
  countPods,
  deletePods,
  isKindAvailable,
  kindIndex,
  changePodKind,
  noSteeredPods,
  allPodKinds
} from "./steeredPods.ts"
import {
  abortAnnotation,
  holdAnnotation,
  promoteAnnotation
} from "../../../kubernetes/steering/steeringNames.ts"
import { annotationOf } from "../../../kubernetes/apps/revisions/revisions.ts"
import { replicaSetText } from "../searchStep.ts"
import { toStoredReplicaSet } from "../modelObjects.ts"
import { withPods, withReplicaSet } from "./steeredState.ts"
import { availableOf, unreadyOf, withSpecReplicas } from "../modelPodCounts.ts"
import type { DeploymentReconciler } from "../deploymentReconciler.ts"
import type { ModelObjectsTable } from "../modelObjects.ts"
import type { PodCountsByKind } from "./steeredPods.ts"
import type { ReplicaSetReconciler } from "../replicaSetReconciler.ts"
import type { SteeredReplicaSet, SteeredState } from "./steeredState.ts"
import type { SteeringReconciler } from "./steeringReconciler.ts"
import type { ViolationDetails } from "../../../scenario/ledger/violations.ts"

export interface SteeredMove {
  readonly state: SteeredState
  readonly who: string
  readonly what: string
  /** Whether the rollout may count on it. Failures, users and controllers that were replaced may also do nothing. */
  readonly isCertain: boolean
  /** Whether the steering chart decides as if its moments had passed. */
  readonly isLate?: true
  readonly broken?: ReadonlyArray<ViolationDetails>
}

/** What a user asks for, by an annotation. */
export type SteeringRequest = "promote" | "abort" | "hold"

export interface SteeredModel {
  readonly deployments: DeploymentReconciler
  readonly replicaSets: ReplicaSetReconciler
  readonly steering: SteeringReconciler
  readonly objectsTable: ModelObjectsTable
  /** Whether Pods wait for an approval. Those without the gate count as approved once they are up. */
  readonly isGated: boolean
  readonly failuresMax: number
  readonly requests: ReadonlyArray<SteeringRequest>
  readonly requestsMax: number
}

export const movesOf = (model: SteeredModel, state: SteeredState): ReadonlyArray<SteeredMove> => [
  ...steeringMoves(model, state),
  ...deploymentMoves(model, state),
  ...slots.flatMap((slot) => [...replicaSetMoves(model, state, slot), ...podMoves(model, state, slot)]),
  ...userMoves(model, state)
]

const slots = [0, 1] as const

const steeringMoves = ({ steering }: SteeredModel, state: SteeredState): ReadonlyArray<SteeredMove> => [
  ...steering
    .outcomesOf(state, "early")
    .map((outcome): SteeredMove => ({ ...outcome, who: "steering", isCertain: true })),
  ...steering
    .outcomesOf(state, "late")
    .map((outcome): SteeredMove => ({ ...outcome, who: "steering, in time", isCertain: true, isLate: true }))
]

const deploymentMoves = ({ deployments }: SteeredModel, state: SteeredState): ReadonlyArray<SteeredMove> => {
  const [first, second] = state.replicaSets
  const { outcomes } = deployments.decisionOf(state.objects, first.counts, second.counts)
  return outcomes.map(({ objects, specReplicas, step, broken, violationsFor }) => {
    const resized = (it: SteeredReplicaSet, slot: 0 | 1): SteeredReplicaSet =>
      objects.replicaSets[slot] === undefined
        ? { counts: 0, pods: noSteeredPods }
        : { ...it, counts: withSpecReplicas(it.counts, specReplicas[slot]) }
    return {
      state: { ...state, objects, replicaSets: [resized(first, 0), resized(second, 1)] },
      who: step.who(objects),
      what: step.what(objects),
      isCertain: true,
      broken: [...broken, ...(violationsFor?.([first.counts, second.counts]) ?? [])]
    }
  })
}

const replicaSetMoves = (
  { replicaSets }: SteeredModel,
  state: SteeredState,
  slot: 0 | 1
): ReadonlyArray<SteeredMove> => {
  const before = state.replicaSets[slot]
  if (state.objects.replicaSets[slot] === undefined) return []
  return replicaSets
    .outcomesOf(state.objects, slot, before.counts)
    .flatMap(({ packed, objects, step, broken }) =>
      podsAfter(before, packed).map((pods) => ({
        state: { ...withReplicaSet(state, slot, { counts: packed, pods }), objects },
        who: step.who(objects),
        what: step.what(objects),
        isCertain: true,
        broken
      }))
    )
}

/** Any Pod of a readiness may be the one that is deleted. */
const podsAfter = ({ counts, pods }: SteeredReplicaSet, packed: number): ReadonlyArray<PodCountsByKind> => {
  const unready = unreadyOf(packed) - unreadyOf(counts)
  const available = availableOf(packed) - availableOf(counts)
  const left = deletePods(
    addPods(pods, Math.max(0, unready)),
    Math.max(0, -unready),
    (it) => !isKindAvailable(it)
  )
  return left.flatMap((it) => deletePods(it, Math.max(0, -available), isKindAvailable))
}

const podMoves = (
  { failuresMax, isGated }: SteeredModel,
  state: SteeredState,
  slot: 0 | 1
): ReadonlyArray<SteeredMove> => {
  const replicaSet = state.replicaSets[slot]
  const who = `a Pod of ${replicaSetText(state.objects, slot)}`
  const isOld = slot === 0
  const change = (
    from: number,
    to: number | undefined,
    what: string,
    kind: "certain" | "uncertain" | "failure"
  ): SteeredMove => ({
    state: {
      ...withReplicaSet(state, slot, withPods(replicaSet, changePodKind(replicaSet.pods, from, to))),
      failures: state.failures + (kind === "failure" ? 1 : 0)
    },
    who: kind === "uncertain" ? "a steering controller that was replaced" : who,
    what,
    isCertain: kind === "certain"
  })
  return allPodKinds.flatMap((kind, index) => {
    if ((replicaSet.pods[index] ?? 0) === 0) return []
    const { phase, isApproved, isReserved } = kind
    return [
      ...(phase === "starting"
        ? [
            change(
              index,
              kindIndex({ ...kind, phase: "up", isApproved: isApproved || !isGated }),
              "is up",
              "certain"
            )
          ]
        : []),
      // It looked before it was replaced: a Pod's approval is not refused for a change of the Deployment.
      ...(isReserved && !isApproved
        ? [change(index, kindIndex({ ...kind, isApproved: true }), "approves a Pod on record", "uncertain")]
        : []),
      ...(state.failures === failuresMax
        ? []
        : [
            change(index, undefined, "is lost", "failure"),
            ...(phase === "up"
              ? [change(index, kindIndex({ ...kind, phase: "starting" }), "is no longer up", "failure")]
              : []),
            ...(phase === "crashed" || isOld
              ? []
              : [
                  change(
                    index,
                    kindIndex({ ...kind, phase: "crashed" }),
                    "crashes again and again",
                    "failure"
                  )
                ])
          ])
    ]
  })
}

const annotationNames = { promote: promoteAnnotation, abort: abortAnnotation, hold: holdAnnotation }

const userMoves = (
  { requests, requestsMax, objectsTable }: SteeredModel,
  state: SteeredState
): ReadonlyArray<SteeredMove> => {
  const { deployment, replicaSets } = state.objects
  if (state.requests === requestsMax) return []
  return requests
    .filter((request) => annotationOf(deployment, annotationNames[request]) === undefined)
    .map((request) => {
      const annotations = { ...deployment.metadata.annotations, [annotationNames[request]]: "" }
      const stored = replicaSets.map(
        (it, slot) => it && toStoredReplicaSet(it, state.replicaSets[slot as 0 | 1].counts)
      )
      const asked = { ...deployment, metadata: { ...deployment.metadata, annotations } }
      return {
        state: { ...state, objects: objectsTable.of(asked, stored), requests: state.requests + 1 },
        who: "the user",
        what: `asks to ${request}`,
        isCertain: false
      }
    })
}

export const approvedPodsOf = ({ pods }: SteeredReplicaSet): number =>
  countPods(pods, ({ isApproved }) => isApproved)
