import { fenceposts } from "../domain/observations.ts"
import { countAnnotation, desiredAnnotation } from "../domain/revisions.ts"
import type { Deployment, ReplicaSet } from "../domain/objects.ts"
import type { Account } from "./account.ts"

/** The rules that a rollout keeps at every instant, whatever goes wrong around it. */
export type Rule =
  | "ceiling"
  | "floor"
  | "asked"
  | "statusSums"
  | "statusCounts"
  | "oneController"
  | "revisionsGrow"
  | "observedGeneration"

/** One broken rule: who did what and when, the sums, and the line that does not hold. */
export interface Violation {
  readonly rule: Rule
  readonly atMillis: number
  /** `namespace/name` of the Deployment, or of the object itself where it has none. */
  readonly subject: string
  readonly who: string
  readonly what: string
  readonly sums: string
  readonly broken: string
}

/** What a Deployment promises while its controller works: undefined where it promises nothing. */
export interface Promises {
  readonly podsMax: number | undefined
  readonly availableMin: number | undefined
}

/**
 * What the spec says: `maxSurge` and `maxUnavailable` where it has them. Recreate, and a strategy of somebody's own
 * that takes no amounts, promise nothing.
 *
 * Source: pkg/controller/deployment/util/deployment_util.go (ResolveFenceposts).
 */
export const promisesOf = (deployment: Deployment): Promises => {
  const { replicas, strategy } = deployment.spec
  if (strategy.rollingUpdate === undefined) return { podsMax: undefined, availableMin: undefined }
  const { surgeMax, unavailableMax } = fenceposts(deployment)
  return { podsMax: replicas + surgeMax, availableMin: replicas - unavailableMax }
}

/** A Deployment controller's step: a ReplicaSet of its is to have another size. */
export interface Step {
  readonly deployment: Deployment
  readonly account: Account
  readonly before: ReplicaSet | undefined
  readonly after: ReplicaSet
  /** All its ReplicaSets as they are now, the changed one among them. */
  readonly family: ReadonlyArray<ReplicaSet>
  readonly atMillis: number
}

type Broken = Omit<Violation, "atMillis" | "subject">

/**
 * Whether a step asks for too many Pods, or takes away what availability cannot spare. Pods lost meanwhile that the
 * controller cannot know of yet are not its fault: what it was told counts where that is more.
 */
export const judgeStep = (step: Step): ReadonlyArray<Broken> => {
  const { deployment, account, before, after, family } = step
  const { podsMax, availableMin } = promisesOf(deployment)
  const from = before?.spec.replicas ?? 0
  const to = after.spec.replicas
  const act = {
    who: `Deployment controller`,
    what:
      before === undefined
        ? `created ReplicaSet ${after.metadata.name} of ${to}`
        : `scaled ReplicaSet ${after.metadata.name} from ${from} to ${to}`
  }
  const asked = family.reduce((sum, { spec }) => sum + spec.replicas, 0)
  if (to > from && podsMax !== undefined && asked > podsMax) {
    const { replicas } = deployment.spec
    const sums = family
      .filter(({ spec }) => spec.replicas > 0)
      .map(({ metadata, spec }) => `${metadata.name} ${spec.replicas}`)
    return [
      {
        ...act,
        rule: "ceiling",
        sums: `${sums.join(" + ")} = ${asked} Pods asked for; desired ${replicas} + surge ${podsMax - replicas} = ${podsMax}`,
        broken: `Pods <= desired + maxSurge: ${asked} <= ${podsMax}`
      }
    ]
  }
  // Whoever asks for another size has every ReplicaSet take its part, available or not.
  const isScaled =
    before !== undefined && countAnnotation(before, desiredAnnotation) !== deployment.spec.replicas
  if (to >= from || availableMin === undefined || isScaled) return []
  const { uid } = after.metadata
  const told = family.reduce((sum, { status }) => sum + (status.availableReplicas ?? 0), 0)
  const known = Math.max(account.now().available, told)
  // What is not there yet and what is not available go first.
  const idle = Math.max(0, from - Math.max(account.availableOf(uid), before?.status.availableReplicas ?? 0))
  const taken = Math.max(0, from - to - idle)
  if (taken === 0 || known - taken >= availableMin) return []
  const { replicas } = deployment.spec
  return [
    {
      ...act,
      rule: "floor",
      sums:
        `${known} available, ${from - to} to go of which ${idle} are not available: ` +
        `${known} - ${taken} = ${known - taken}; desired ${replicas} - unavailable ${replicas - availableMin} = ${availableMin}`,
      broken: `available >= desired - maxUnavailable: ${known - taken} >= ${availableMin}`
    }
  ]
}

/** A numbered account of one broken rule: when, who, what, the sums, and the line that does not hold. */
export const violationText = (violation: Violation, number: number): string => {
  const { atMillis, subject, who, what, sums, broken } = violation
  return [
    `[${number}] +${(atMillis / 1000).toFixed(3)}s  ${subject}: ${who} ${what}`,
    `      ${sums}`,
    `      broken: ${broken}`
  ].join("\n")
}
