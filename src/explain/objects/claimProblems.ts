import { podClaims, usesClaims } from "../../kubernetes/storage/podClaims.ts"
import { isTerminating } from "../../kubernetes/meta/deletion.ts"
import type { NormalizedEvent } from "../../kubernetes/meta/normalizeEvent.ts"
import type { Pod } from "../../kubernetes/meta/objects.ts"
import type { PersistentVolumeClaim } from "../../kubernetes/storage/storageTypes.ts"
import type { PodProblem, StateExplanation } from "./stateExplanation.ts"

type Events = ReadonlyArray<NormalizedEvent>

const harmlessReasons: ReadonlySet<string> = new Set(["Provisioning", "ProvisioningSucceeded"])

/** The latest event that may say what the claim waits for. */
const latestClaimEvent = (
  claim: { readonly name: string; readonly namespace: string | undefined },
  events: Events
): NormalizedEvent | undefined =>
  events
    .filter(
      ({ involvedObject: { kind, name, namespace }, reason }) =>
        kind === "PersistentVolumeClaim" &&
        name === claim.name &&
        namespace === claim.namespace &&
        !harmlessReasons.has(reason)
    )
    .reduce<NormalizedEvent | undefined>(
      (latest, it) => (latest === undefined || it.lastTimestamp >= latest.lastTimestamp ? it : latest),
      undefined
    )

const withoutPeriod = (message: string): string => message.replace(/\.$/u, "")

const reasonText = ({ message, reason }: NormalizedEvent): string => `${withoutPeriod(message)} (${reason})`

/** With these reasons the claim waits for the Pod's node, not the Pod for the claim. */
const reasonsToWaitForPod: ReadonlySet<string> = new Set(["WaitForFirstConsumer", "WaitForPodScheduled"])

/** A clause such as `; its claim data waits: …`, or empty. */
export const claimDetail = ({ metadata, spec }: Pod, events: Events): string =>
  usesClaims(spec)
    ? podClaims({ metadata, spec })
        .flatMap(({ name }) => {
          const event = latestClaimEvent({ name, namespace: metadata.namespace }, events)
          return event === undefined || reasonsToWaitForPod.has(event.reason)
            ? []
            : [`; its claim ${name} waits: ${reasonText(event)}`]
        })
        .join("")
    : ""

const volumeReasons: ReadonlySet<string> = new Set(["FailedAttachVolume", "FailedMount"])

export const volumeProblem = ({ spec, status }: Pod, podEvents: Events): PodProblem | undefined => {
  if (!usesClaims(spec) || status.podIP !== undefined) return undefined
  const event = podEvents.findLast(({ reason }) => volumeReasons.has(reason))
  if (event === undefined) return undefined
  const why = reasonText(event)
  return { groupKey: `volume ${why}`, predicate: () => `cannot start: ${why}` }
}

export const explainClaim = (input: {
  readonly claim: PersistentVolumeClaim
  readonly events: Events
  readonly pods: ReadonlyArray<Pod>
}): StateExplanation => {
  const { claim, events, pods } = input
  const { name, namespace } = claim.metadata
  const event = latestClaimEvent({ name, namespace }, events)
  const phase = claim.status?.phase ?? "Pending"
  const waitsForPod = phase === "Pending" && pods.length > 0 && reasonsToWaitForPod.has(event?.reason ?? "")
  const predicate = waitsForPod
    ? "waits until a Pod that uses it has a node"
    : claimPredicate(claim, phase, event)
  const isWell = phase === "Bound" && !isTerminating(claim)
  return {
    state: isTerminating(claim) ? "terminating" : phase.toLowerCase(),
    isWell,
    sentences: [`Claim ${JSON.stringify(name)} ${predicate}.`, ...podSentences(claim, pods)],
    numbers: { pods: pods.length }
  }
}

const claimPredicate = (
  { spec, status }: PersistentVolumeClaim,
  phase: string,
  event: NormalizedEvent | undefined
): string => {
  const { volumeName = "" } = spec
  if (phase === "Bound") {
    const facts = [status?.capacity?.["storage"], ...(status?.accessModes ?? [])].filter(
      (it) => it !== undefined
    )
    return `is bound to volume ${volumeName}${facts.length === 0 ? "" : ` (${facts.join(", ")})`}`
  }
  const why = event === undefined ? "" : `: ${reasonText(event)}`
  if (phase === "Lost") return `has lost its volume${volumeName === "" ? "" : ` ${volumeName}`}${why}`
  return why === "" && volumeName !== "" ? `waits for volume ${volumeName}` : `waits for a volume${why}`
}

const podSentences = (claim: PersistentVolumeClaim, pods: ReadonlyArray<Pod>): ReadonlyArray<string> => {
  const names = pods.map(({ metadata }) => metadata.name).join(", ")
  const verb = pods.length === 1 ? "uses" : "use"
  const count = pods.length === 1 ? "1 Pod" : `${pods.length} Pods`
  if (isTerminating(claim))
    return pods.length === 0
      ? []
      : [`It is being deleted, and stays as long as ${count} ${verb} it: ${names}.`]
  return [pods.length === 0 ? "No Pod uses it." : `${count} ${verb} it: ${names}.`]
}
