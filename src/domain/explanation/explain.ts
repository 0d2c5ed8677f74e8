import { amountSentences } from "./amounts.ts"
import { areOf, countsOf, isUnread, unreadSentences } from "./counts.ts"
import { annotationOf, revisionAnnotation, revisionOf } from "../revisions.ts"
import { conditionOf } from "../conditions.ts"
import { counted } from "../counted.ts"
import { controllerOf, isTerminating } from "../ownerReferences.ts"
import { deadlineSentence } from "./deadline.ts"
import { isFinished } from "../pods.ts"
import { observeDeployment } from "../observations.ts"
import { groupSentences } from "./podGroups.ts"
import { nodesByName } from "./podTroubles.ts"
import { replicaSetRefusals } from "./refusals.ts"
import { rolloutStatus } from "../rolloutStatus.ts"
import type { DeploymentObservation } from "../observations.ts"
import type { Pod } from "../objects.ts"
import type { Counts } from "./counts.ts"
import type { RolloutSeen } from "./rolloutSeen.ts"

/** Where a rollout stands, and why it is not further. */
export interface Explanation {
  readonly state: "complete" | "waiting" | "paused" | "failed" | "deleting" | "unseen"
  /** The first says where it stands, the others why. */
  readonly sentences: ReadonlyArray<string>
  readonly numbers: Readonly<Record<NumberName, number>>
}

type NumberName =
  | "desired"
  | "updated"
  | "available"
  | "old"
  | "terminating"
  | "surgeMax"
  | "unavailableMax"
  | "availableFloor"
  | "podsCeiling"

/** Says why a Deployment is not finished, by what any client of its server can read. */
export const explainRollout = (seen: RolloutSeen): Explanation => {
  const { deployment, pods, nowMillis } = seen
  const observation = observeDeployment({
    // A Deployment that is looked at says so, unless the feature gate is off.
    countsTerminating:
      deployment.status.observedGeneration === undefined ||
      deployment.status.terminatingReplicas !== undefined,
    deployment,
    owned: seen.replicaSets,
    orphans: [],
    podsOf: (uid) => pods.filter((pod) => controllerOf(pod)?.uid === uid && !isFinished(pod)).length,
    namesake: undefined,
    nowMillis
  })
  const state = stateOf(observation)
  const counts = countsOf(observation, seen)
  return {
    state,
    sentences: [
      headOf(state, observation, counts),
      ...reasonsOf(state, observation, seen),
      ...unreadSentences(seen)
    ],
    numbers: numbersOf(observation, counts)
  }
}

const stateOf = ({ deployment }: DeploymentObservation): Explanation["state"] => {
  const { metadata, spec, status } = deployment
  if (isTerminating(deployment)) return "deleting"
  if ((metadata.generation ?? 0) > (status.observedGeneration ?? 0)) return "unseen"
  const { state } = rolloutStatus(deployment)
  return state === "waiting" && spec.paused === true ? "paused" : state
}

const numbersOf = (
  { deployment, surgeMax, unavailableMax }: DeploymentObservation,
  counts: Counts
): Explanation["numbers"] => {
  const desired = deployment.spec.replicas
  return {
    desired,
    updated: counts.updated,
    available: counts.available,
    old: counts.old,
    terminating: counts.terminating,
    surgeMax,
    unavailableMax,
    availableFloor: desired - unavailableMax,
    podsCeiling: desired + surgeMax
  }
}

const headOf = (
  state: Explanation["state"],
  { deployment, next }: DeploymentObservation,
  { updated, available }: Counts
): string => {
  const { metadata, spec, status } = deployment
  const name = `Deployment ${JSON.stringify(metadata.name)}`
  const revision = next === undefined ? "" : ` of revision ${annotationOf(next, revisionAnnotation) ?? "?"}`
  const standing =
    `${updated} of ${spec.replicas} Pods ${areOf(updated)}${revision === "" ? " of its template" : revision}, ` +
    `${available} ${areOf(available)} available`
  switch (state) {
    case "deleting": {
      const { finalizers = [] } = metadata
      const held = finalizers.length === 0 ? "" : `: it waits for finalizer ${finalizers.join(", ")}`
      return `${name} is being deleted${held}.`
    }
    case "unseen":
      return (
        `The Deployment controller has not seen the latest change of ${name} yet: ` +
        `generation ${metadata.generation ?? 0}, and it has seen ${status.observedGeneration ?? 0}.`
      )
    case "complete":
      return `${name} is rolled out: ${standing}.`
    case "paused":
      return `${name} is paused: ${standing}.`
    case "failed":
      return `${name} has missed its deadline: ${standing}.`
    case "waiting":
      return `${name} is not finished: ${standing}.`
  }
}

const reasonsOf = (
  state: Explanation["state"],
  observation: DeploymentObservation,
  seen: RolloutSeen
): ReadonlyArray<string> => {
  const { deployment } = observation
  const command = (verb: string): string => {
    const { name, namespace = "default" } = deployment.metadata
    return `kubectl rollout ${verb} deployment/${name}${namespace === "default" ? "" : ` -n ${namespace}`}`
  }
  const leaving = namespaceLeaving(seen)
  if (state === "complete") {
    return deployment.spec.paused === true
      ? [`It is paused all the same: a new template waits for \`${command("resume")}\`.`]
      : []
  }
  if (state === "deleting")
    return [...leaving, ...countSentence(seen.pods.length, "of its Pods", "there still")]
  if (state === "unseen") return leaving
  return [
    ...leaving,
    ...(state === "paused"
      ? [`Nothing of a new template is rolled out until \`${command("resume")}\`.`]
      : waitSentences(state, observation, seen)),
    ...refusedSentences(observation),
    ...podSentences(observation, seen),
    ...(state === "paused" ? [] : amountSentences(observation, seen.pods)),
    ...deadlineSentence(observation, { undo: undoOf(observation, command) })
  ]
}

const countSentence = (count: number, what: string, how: string): ReadonlyArray<string> =>
  count === 0 ? [] : [`${count} ${what} ${areOf(count)} ${how}.`]

const namespaceLeaving = ({ namespace }: RolloutSeen): ReadonlyArray<string> =>
  namespace === undefined || !isTerminating(namespace)
    ? []
    : [`Namespace ${JSON.stringify(namespace.metadata.name)} is being deleted: nothing can be created in it.`]

/** In the order in which `kubectl rollout status` waits; in its words where no more than those can be known. */
const waitSentences = (
  state: Explanation["state"],
  { deployment, counts, next }: DeploymentObservation,
  seen: RolloutSeen
): ReadonlyArray<string> => {
  if (isUnread(seen, "ReplicaSets"))
    return state === "waiting" ? [rolloutStatus(deployment).message.replace(/\.+$/u, ".")] : []
  const desired = deployment.spec.replicas
  const { updatedReplicas: updated, replicas } = counts
  const available = next?.status.availableReplicas ?? 0
  if (next === undefined) return ["It waits for the ReplicaSet of its template, which is not there yet."]
  if (updated < desired) return [`It waits for ${desired - updated} of ${desired} new Pods to be created.`]
  if (replicas > updated) {
    const old = replicas - updated
    return [
      `It waits for ${counted(old, "old Pod")} to go` +
        (available < updated
          ? ` and for ${updated - available} of ${updated} new ones to become available.`
          : ".")
    ]
  }
  return available < updated
    ? [`It waits for ${updated - available} of ${updated} new Pods to become available.`]
    : []
}

/** What the server has refused to the controllers. */
const refusedSentences = ({
  deployment,
  replicaSets,
  next
}: DeploymentObservation): ReadonlyArray<string> => {
  const progressing = conditionOf(deployment.status.conditions, "Progressing")
  const uncreated =
    next === undefined && progressing?.reason === "ReplicaSetCreateError"
      ? [`That was refused: ${ending(progressing.message ?? "")}`]
      : []
  return [...uncreated, ...replicaSets.flatMap(replicaSetRefusals)]
}

const ending = (text: string): string => (text.endsWith(".") ? text : `${text}.`)

/** What is the matter with the new Pods, and with the others that are still to go. */
const podSentences = (observation: DeploymentObservation, seen: RolloutSeen): ReadonlyArray<string> => {
  const { next, deployment } = observation
  const of = (isNext: boolean): ReadonlyArray<Pod> =>
    seen.pods.filter((pod) => (controllerOf(pod)?.uid === next?.metadata.uid) === isNext)
  const { events, nowMillis } = seen
  const minReadySeconds = deployment.spec.minReadySeconds ?? 0
  const world = { events, minReadySeconds, nowMillis, nodes: nodesByName(seen.nodes ?? []) }
  return [...groupSentences("new", of(true), world), ...groupSentences("old", of(false), world)]
}

/** How to go back, where there is something to go back to. */
const undoOf = (
  { previous }: DeploymentObservation,
  command: (verb: string) => string
): string | undefined => {
  const [latest] = [...previous].sort((a, b) => Number((revisionOf(b) ?? 0n) - (revisionOf(a) ?? 0n)))
  if (latest === undefined) return undefined
  return `\`${command("undo")}\` goes back to revision ${annotationOf(latest, revisionAnnotation) ?? "?"}`
}
