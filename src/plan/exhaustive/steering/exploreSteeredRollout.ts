import { decodedStrategyOf } from "../../../steering/decodeStrategy.ts"
import { exploreSteering } from "./exploreSteering.ts"
import { hasSteps } from "../../../kubernetes/steering/stepPlan.ts"
import { hasApprovalGate } from "../../../kubernetes/steering/podApproval.ts"
import { isSameTemplate } from "../../../kubernetes/apps/revisions/podTemplates.ts"
import { OutsideModel } from "../searchStep.ts"
import { rolloutBounds } from "../../../../machines/strategies/strategies.ts"
import { waitsForPromotion } from "../../../kubernetes/steering/rolloutSteps.ts"
import { noBrokenRule, type Claim } from "../claims.ts"
import type { Deployment } from "../../../kubernetes/meta/objects.ts"
import type { Exploration } from "../exploreRollout.ts"
import type { StateInvariant } from "../searchStates.ts"
import type { SteeringClaim } from "./steeringClaims.ts"
import type { SteeringExploration } from "./exploreSteering.ts"
import type { SteeringStrategy } from "../../../../machines/steering/steeringStrategy.ts"
import type { SteeringSettings } from "../../../kubernetes/steering/steeringObservation.ts"

interface SteeredRollout {
  readonly from: Deployment
  readonly next: Deployment
  readonly strategy: SteeringSettings
  readonly strategies: ReadonlyArray<SteeringStrategy>
  readonly failuresMax: number
  readonly statesMax?: number
  readonly invariants: ReadonlyArray<StateInvariant>
  /** Why quotas or nodes may lack room for all Pods. */
  readonly shortage?: string
}

/** More replicas have too many states for the memory of most machines. */
const steeredReplicasMax = 4

/** Undefined for a new Deployment: its first revision is not steered. */
export const steeringToExplore = (
  from: Deployment | undefined,
  next: Deployment,
  strategies: ReadonlyArray<SteeringStrategy>
): SteeringSettings | undefined => {
  const decoded = decodedStrategyOf(next, strategies)
  if (decoded === undefined || from === undefined) return undefined
  const [problem] = decoded.problems
  if (problem !== undefined) throw new OutsideModel(`its strategy is not followed: ${problem.message}`)
  if (decoded.strategy === undefined || isSameTemplate(from.spec.template, next.spec.template))
    return undefined
  const unexplored = whyNotExplored(from, next)
  if (unexplored !== undefined) throw new OutsideModel(`${unexplored}: its steering cannot be explored`)
  return decoded.strategy
}

const whyNotExplored = (from: Deployment, { spec }: Deployment): string | undefined => {
  if (spec.replicas > steeredReplicasMax)
    return `it has ${spec.replicas} replicas, more than ${steeredReplicasMax}`
  if (from.spec.replicas !== spec.replicas) return "its size changes with its template"
  if (hasApprovalGate(from.spec.template) !== hasApprovalGate(spec.template))
    return "its readiness gate changes with its template"
  if (spec.strategy.type !== "RollingUpdate") return `spec.strategy.type is ${spec.strategy.type}`
  return (spec.minReadySeconds ?? 0) > 0 ? `minReadySeconds is ${spec.minReadySeconds}` : undefined
}

/** The user may promote the rollout at any time. */
export const exploreSteeredRollout = (rollout: SteeredRollout): Exploration => {
  const { from, next, strategy, shortage } = rollout
  const { settings } = strategy
  const promotions = hasSteps(settings) ? settings.steps.filter(waitsForPromotion).length : 0
  const explored = exploreSteering({ ...rollout, requests: ["promote"], requestsMax: promotions })
  const { states, transitions, isWhole, extremes } = explored
  return {
    states,
    transitions,
    isWhole,
    // The chart decides twice in each state: before and after the times for which it waits.
    looks: states * 2,
    desired: next.spec.replicas,
    askedBefore: from.spec.replicas,
    ...rolloutBounds(next),
    claims: claimsFor(rollout, promotions).map((claim) => toClaim(explored, claim, shortage)),
    extremes: extremes.map(({ availableFewest, podsMost, worst }, failures) => ({
      failures,
      availableFewest,
      podsMost,
      presentMost: podsMost,
      worst: { steps: worst, ...noBrokenRule }
    }))
  }
}

interface ClaimText {
  readonly about: Claim["about"]
  readonly claim: SteeringClaim
  readonly says: string
}

const claimsFor = (
  { next, strategy, invariants }: SteeredRollout,
  promotions: number
): ReadonlyArray<ClaimText> => {
  const { replicas } = next.spec
  const { podsMax = 0, availableMin = 0 } = rolloutBounds(next)
  const about = (claim: Exclude<SteeringClaim, `never ${string}`>, says: string) => ({
    about: claim,
    claim,
    says
  })
  return [
    about(
      "ceiling",
      `never more than ${podsMax} Pods asked for (replicas ${replicas} + surge ${podsMax - replicas})`
    ),
    about("floor", `never fewer than ${availableMin} Pods available, but for those that fail`),
    ...(hasSteps(strategy.settings)
      ? [about("approvals", "never more approved Pods of the new revision than its step allows")]
      : []),
    about("rules", "no ReplicaSet goes beyond what it is asked for, statuses add up, revisions only grow"),
    ...(promotions === 0
      ? []
      : [about("requests", "each promotion is followed once, at the step that it was for")]),
    about("reports", "what the steering reports is where the rollout stands"),
    about("end", "every order ends: the revision is complete, taken back or given up"),
    about("success", "some order completes the new revision"),
    ...invariants.map(({ text }) => ({
      about: "invariant" as const,
      claim: `never ${text}` as const,
      says: text
    }))
  ]
}

const toClaim = (
  { isWhole, findings }: SteeringExploration,
  { about, claim, says }: ClaimText,
  shortage: string | undefined
): Claim => {
  const finding = findings.find((candidate) => candidate.claim === claim)
  const because = about === "end" && finding === undefined ? shortage : undefined
  return {
    about,
    says,
    verdict: finding !== undefined ? "broken" : isWhole && because === undefined ? "proved" : "unproved",
    because,
    counterexample:
      finding === undefined ? undefined : { steps: finding.steps, sums: finding.explanation, broken: says }
  }
}
