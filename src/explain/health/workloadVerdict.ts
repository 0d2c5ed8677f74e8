import { availableReplicasOf, desiredPodCount } from "../../kubernetes/apps/servingPods.ts"
import { countText } from "../../kubernetes/meta/text/countText.ts"
import { healthText } from "./healthText.ts"
import { isUnreadableResource } from "../objects/rolloutCounts.ts"
import { nodesByName } from "../objects/podProblems.ts"
import { rolloutDeadlockSentence } from "../objects/rolloutDeadlock.ts"
import { rolloutHealth } from "./rolloutHealth.ts"
import type { Autoscaler } from "../../kubernetes/autoscaling/autoscalerTypes.ts"
import type { CronJob } from "../../kubernetes/batch/cronJobs/cronJobTypes.ts"
import type { DaemonSet } from "../../kubernetes/apps/daemonSets/daemonSetTypes.ts"
import type { Deployment, Pod } from "../../kubernetes/meta/objects.ts"
import type { Job } from "../../kubernetes/batch/jobs/jobTypes.ts"
import type { ExplainRolloutInput } from "../objects/explainRolloutInput.ts"
import type { StatefulSet } from "../../kubernetes/apps/statefulSets/statefulSetTypes.ts"
import type { RolloutHealthObjects } from "./rolloutHealth.ts"
import type { WorkloadHealth } from "./healthLeads.ts"

export interface WorkloadVerdict extends WorkloadHealth {
  /** `2 of 5 available` */
  readonly figures: string
}

/** `▼ down, rolling out: 0 of 4 available; node-3 is lost, with 4 Pods.` */
export const workloadVerdictText = (verdict: WorkloadVerdict): string =>
  `${healthText(verdict)}: ${verdict.figures}${verdict.cause === undefined ? "" : `; ${clauseOf(verdict.cause)}`}.`

/** Most causes begin with a number or a name, and stay as they are. */
const clauseOf = (cause: string): string => cause.replace(/^(?:Its|The) /u, (word) => word.toLowerCase())

/** Undefined if the client may not read the objects of the rollout. */
export const rolloutVerdict = (rollout: ExplainRolloutInput): WorkloadVerdict | undefined => {
  const { nodes = [] } = rollout
  if (isUnreadableResource(rollout, "Pods") || isUnreadableResource(rollout, "ReplicaSets")) return undefined
  return toRolloutVerdict({
    ...rollout,
    nodes: nodesByName(nodes),
    deadlock: rolloutDeadlockSentence(rollout)
  })
}

export const toRolloutVerdict = (rollout: RolloutHealthObjects): WorkloadVerdict => ({
  ...rolloutHealth(rollout),
  figures: availableFigures(rollout.deployment)
})

const availableFigures = ({ status, spec }: Deployment): string =>
  figuresText(status.availableReplicas ?? 0, spec.replicas)

export const servingFigures = (workload: StatefulSet | DaemonSet, pods: ReadonlyArray<Pod>): string =>
  figuresText(availableReplicasOf(workload, pods), desiredPodCount(workload))

const figuresText = (available: number, desired: number): string => `${available} of ${desired} available`

export const jobFigures = ({ spec, status }: Job): string => {
  const { succeeded = 0 } = status
  return spec.completions === undefined
    ? `${succeeded} succeeded`
    : `${succeeded} of ${spec.completions} succeeded`
}

export const cronJobFigures = ({ spec, status }: CronJob): string =>
  `${[spec.schedule, spec.timeZone].join(" ").trim()}, ${status.active?.length ?? 0} active`

export const autoscalerFigures = ({ spec, status }: Autoscaler): string =>
  `${countText(status.currentReplicas ?? 0, "replica")}, ${spec.minReplicas ?? 1} to ${spec.maxReplicas}`
