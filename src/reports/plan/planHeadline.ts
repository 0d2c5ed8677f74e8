import { countText } from "../../kubernetes/meta/text/countText.ts"
import { failsPlan, workloadTitle } from "./planReport.ts"
import { formatDuration } from "../../kubernetes/meta/amounts/durations.ts"
import { isUnchangedRollout } from "../../plan/seeds/phases.ts"
import { lostShareText } from "../../plan/verdicts/judgePlan.ts"
import { slowestMillis, changeOfAllAdvice, changeDelayText } from "../adviceTexts.ts"
import type { AdvisedChange } from "../../plan/advice/rolloutAdvice.ts"
import type { PlannedEnvironment, PlanReport } from "./planReport.ts"
import type { RolloutPlan } from "../../plan/summarizePlan.ts"
import type { RolloutVerdict } from "../../plan/verdicts/judgePlan.ts"
import type { UnknownKind } from "../../plan/verdicts/unknownKinds.ts"

type JudgedRollouts = Pick<PlannedEnvironment, "judgement" | "failedPredicates" | "plan">

export interface PlanHeadline {
  /** `Don't ship: capacity is halved for 1m21s and 1.2% of requests are lost.` */
  readonly decision: string
  /** What the worst workload is stuck on, as a sentence of its own. */
  readonly cause: string | undefined
  /** `Four fields change that, from the next rollout on.` For an unknown verdict, how to go on. */
  readonly change: string | undefined
}

/** About what is refused, else about the worst workload; undefined without both. */
export const planHeadline = (
  environment: JudgedRollouts,
  { isStrict, refused }: Pick<PlanReport, "isStrict" | "refused">
): PlanHeadline | undefined => {
  const { rollouts } = environment.judgement
  const worst = rollouts.find((judged) => failsPlan(judged, environment, isStrict)) ?? rollouts[0]
  const refusedTitles = refused.filter(({ verdict }) => verdict === "refused").map(({ title }) => title)
  const refusal =
    refused.length === 0 ? undefined : `Don't ship: kubectl apply fails for ${joinClauses(refusedTitles)}.`
  if (worst === undefined)
    return refusal === undefined ? undefined : { decision: refusal, cause: undefined, change: undefined }
  return {
    decision: refusal ?? `${decisionText(worst, environment, isStrict)}.`,
    cause: causeSentence(worst),
    change: changeSentence(worst)
  }
}

/** The decision already tells the outcome, which begins a reason such as `never completes: Liveness probe failed`. */
const causeSentence = ({ verdict, reasons: [mainReason] }: RolloutVerdict): string | undefined => {
  const [, ...details] = mainReason?.text.split(": ") ?? []
  return verdict === "stuck" && details.length > 0 ? `${details.join(": ").replace(/\.$/u, "")}.` : undefined
}

const decisionText = (worst: RolloutVerdict, environment: JudgedRollouts, isStrict: boolean): string => {
  const { rollouts } = environment.judgement
  const isFailing = failsPlan(worst, environment, isStrict)
  const subject = rollouts.length === 1 ? undefined : workloadTitle(worst.rollout)
  if (worst.verdict === "ships" && !isFailing) return `Ship ${shipText(rollouts)}`
  const reasonsText = joinClauses(worstClauses(worst, environment))
  if (worst.verdict === "unknown") return `Not known whether ${subject ?? "it"} ships: ${reasonsText}`
  const subjectText = subject === undefined ? "" : ` ${subject}`
  if (isFailing) return `Don't ship${subjectText}: ${reasonsText}`
  return isHarmful(worst.rollout) && changeOfAllAdvice(worst.rollout) !== undefined
    ? `Don't ship${subjectText} yet: ${reasonsText}`
    : `Ship${subjectText} with care: ${reasonsText}`
}

/** Users notice half of the capacity, or one lost request in a hundred. */
const isHarmful = ({ available, desired, requests }: RolloutPlan): boolean =>
  (available !== undefined && available.fewest * 2 <= desired) ||
  (requests !== undefined && requests.lost * 100 >= requests.requests)

const shipText = (rollouts: ReadonlyArray<RolloutVerdict>): string => {
  const [onlyRollout, ...otherRollouts] = rollouts.map(({ rollout }) => rollout)
  if (onlyRollout === undefined || otherRollouts.length > 0)
    return `all ${rollouts.length}: ${shipAllText(rollouts)}`
  const { requests, duration, available, desired } = onlyRollout
  return `it: ${joinClauses([
    ...(available === undefined || desired === 0
      ? []
      : [`${available.fewest} of ${desired} Pods stay available`]),
    ...(requests === undefined ? [] : ["no request is lost"]),
    duration === undefined
      ? "nothing is in the way"
      : `it is complete within ${roundedSeconds(duration.worst)}`
  ])}`
}

const shipAllText = (rollouts: ReadonlyArray<RolloutVerdict>): string => {
  const changed = rollouts.filter(({ rollout: { typical } }) => !isUnchangedRollout(typical.phases)).length
  const unchanged = rollouts.length - changed
  if (changed === 0) return "nothing changes"
  if (unchanged === 0) return "each is complete in time, and no request is lost"
  return (
    `${changed} ${changed === 1 ? "is" : "are"} complete in time, and no request is lost; ` +
    `${unchanged} ${unchanged === 1 ? "does" : "do"} not change`
  )
}

const clausesMax = 3

/** The clauses, the most important first; lost capacity and requests precede other reasons. */
const worstClauses = (
  { verdict, reasons, rollout }: RolloutVerdict,
  { failedPredicates }: JudgedRollouts
): ReadonlyArray<string> => {
  const [mainReason] = reasons
  if (verdict === "ships")
    return failedPredicates
      .filter((condition) => condition.rollout === rollout)
      .map(({ predicate, actual }) => `${predicate} is true, ${actual}`)
  const clientClauses = [...capacityClause(rollout), ...lossClause(rollout)]
  const otherClauses = reasons
    .filter(({ rule }) => rule !== "requests-lost" && rule !== "no-pod-available")
    .map(({ text }) => text)
  if (verdict !== "stuck")
    return [...(verdict === "unknown" ? [] : clientClauses), ...otherClauses].slice(0, clausesMax)
  // The cause is a sentence of its own.
  const outcomeClauses = mainReason === undefined ? [] : [`it ${mainReason.text.split(": ", 1)[0]}`]
  return [...outcomeClauses, ...clientClauses].slice(0, clausesMax)
}

const capacityClause = ({ available, desired, givenUpMillis }: RolloutPlan): ReadonlyArray<string> => {
  if (available === undefined || available.fewest >= desired) return []
  const { fewest, fewestMillis } = available
  // When the plan gave up, the time says nothing about the rollout.
  if (givenUpMillis !== undefined && fewestMillis * 2 > givenUpMillis)
    return [
      fewest === 0 ? "no Pod is available" : `only ${fewest} of ${countText(desired, "Pod")} stay available`
    ]
  const during = `for ${roundedSeconds(fewestMillis)}`
  if (fewest === 0) return [`no Pod is available ${during}`]
  return [
    fewest * 2 === desired
      ? `capacity is halved ${during}`
      : `${fewest} of ${countText(desired, "Pod")} are available ${during}`
  ]
}

const lossClause = ({ requests }: RolloutPlan): ReadonlyArray<string> =>
  requests === undefined || requests.lost === 0 ? [] : [`${lostShareText(requests)} of requests are lost`]

const changeSentence = (judged: RolloutVerdict): string | undefined => {
  // A change of the manifest does not decide what is unknown.
  if (judged.verdict === "unknown") return unknownSentence(judged)
  const { rollout } = judged
  const change = changeOfAllAdvice(rollout)
  if (change === undefined) return undefined
  const { fields, with: after, without: before } = change
  const fieldsText = numberWords[fields] ?? `${fields}`
  const oneOrMany = (singular: string, plural: string): string => (fields === 1 ? singular : plural)
  const [millisBefore, millisAfter] = [slowestMillis(before), slowestMillis(after)]
  const completesNow = millisBefore === Infinity && millisAfter < Infinity
  const verb = isFlawless(change)
    ? oneOrMany("changes that", "change that")
    : completesNow
      ? `${oneOrMany("lets", "let")} it complete within ${roundedSeconds(millisAfter)}`
      : oneOrMany("makes it better", "make it better")
  const delayText = changeDelayText(rollout)
  const isOverTenthLonger = millisAfter !== Infinity && millisAfter > millisBefore * 1.1
  const priceClause = isOverTenthLonger
    ? `; it then takes ${roundedSeconds(millisAfter)} instead of ${roundedSeconds(millisBefore)}`
    : completesNow
      ? priceText(change)
      : ""
  return `${fieldsText} ${oneOrMany("field", "fields")} ${verb}${delayText === undefined ? "" : `, ${delayText}`}${priceClause}.`
}

/** The price of a rollout that never completes without the change. */
const priceText = ({ with: { available, requests, desired }, without }: AdvisedChange): string => {
  const clauses = [
    ...(available === undefined || available.fewest >= (without.available?.fewest ?? desired)
      ? []
      : [`${available.fewest} of ${countText(desired, "Pod")} stay available`]),
    ...(requests === undefined || requests.lost <= (without.requests?.lost ?? 0)
      ? []
      : [`${countText(requests.lost, "request is", "requests are")} lost`])
  ]
  return clauses.length === 0 ? "" : `; ${joinClauses(clauses)} then`
}

/** How to find out what a plan cannot know. */
const unknownSentence = ({ rollout, reasons }: RolloutVerdict): string => {
  const texts = reasons.map(({ text }) => text)
  const kinds = [
    ...new Set(rollout.unknowns.filter(({ text }) => texts.includes(text)).map(({ kind }) => kind))
  ]
  const waysText = [...new Set(kinds.map((kind) => waysToFindOut[kind]))].join(", and ")
  return `${waysText}. If that is fine, --accept-unknown ${kinds.join(",")} takes the rest of this page for the answer.`
}

const podDryRun = "Ask your cluster with `kubectl create --dry-run=server` of a Pod from its template"
const nodesGiven = "Give the nodes of your cluster, with --nodes or --from"

const waysToFindOut: Readonly<Record<UnknownKind, string>> = {
  MutatingWebhookConfiguration: podDryRun,
  ValidatingWebhookConfiguration: podDryRun,
  MutatingAdmissionPolicy: podDryRun,
  ValidatingAdmissionPolicy: podDryRun,
  PodSecurity: podDryRun,
  CSIDriver: "Look whether `kubectl get csidrivers` has it",
  NodeFile: "Look whether your nodes have it",
  NodeLabel: nodesGiven,
  NodeResource: nodesGiven,
  ReadinessGate: "Look whether the controller that sets the condition runs in your cluster",
  RuntimeClass: "Look whether `kubectl get runtimeclasses` has it",
  Scheduler: "Look whether that scheduler, or that controller, runs in your cluster",
  StorageClass: "Look whether `kubectl get storageclasses,persistentvolumes` has it",
  Sysctl: "Look whether the kubelets' allowedUnsafeSysctls have it"
}

const isFlawless = ({ with: { late, stuck, requests, available, desired } }: AdvisedChange): boolean =>
  late + stuck === 0 && (requests?.lost ?? 0) === 0 && (available?.fewest ?? desired) >= desired

const numberWords = ["No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine"]

const roundedSeconds = (millis: number): string =>
  millis === Infinity ? "for ever" : formatDuration(Math.max(1, Math.round(millis / 1000)) * 1000)

/** `one, two and three` */
const joinClauses = (clauses: ReadonlyArray<string>): string =>
  [clauses.slice(0, -1).join(", "), clauses.at(-1) ?? ""].filter((clause) => clause !== "").join(" and ")
