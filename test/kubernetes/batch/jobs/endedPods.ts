import { aContainerStatus, aJobObservation, aTerminatedState } from "../../../builders.ts"
import type { Job } from "../../../../src/kubernetes/batch/jobs/jobTypes.ts"
import type { JobObservation } from "../../../../src/kubernetes/batch/jobs/jobObservation.ts"
import type { JobPodOptions } from "../../../builders.ts"
import type { Pod } from "../../../../src/kubernetes/meta/objects.ts"

/** The status of a Pod whose only container ended so many seconds after the start. */
export const endedAt = (second: number, exitCode = 1): Partial<Pod["status"]> => ({
  containerStatuses: [aContainerStatus({ state: aTerminatedState(exitCode, { to: second }) })]
})

export const succeeded: JobPodOptions = { phase: "Succeeded", status: endedAt(5, 0) }
export const failed: JobPodOptions = { phase: "Failed", status: endedAt(5) }
export const indexed = { completionMode: "Indexed", completions: 4 } as const
export const perIndex = { ...indexed, backoffLimitPerIndex: 1 } as const
export const announced = (type: string) => ({ conditions: [{ type, status: "True" }] })
export const ignoring = {
  podFailurePolicy: { rules: [{ action: "Ignore", onExitCodes: { operator: "In", values: [9] } }] }
} as const
export const ignored: JobPodOptions = { phase: "Failed", status: endedAt(5, 9) }

export interface JobRow {
  readonly why: string
  readonly spec?: Partial<Job["spec"]>
  readonly status?: Job["status"]
  /** Named pod-0, pod-1 and so on. */
  readonly pods?: ReadonlyArray<JobPodOptions>
  readonly deleted?: boolean
}

/** `now`: seconds after the start. */
export const observationOfRow = (
  { spec = {}, status = {}, pods = [], deleted = false }: Partial<JobRow>,
  now?: number
): JobObservation => aJobObservation({ spec, status, terminating: deleted }, pods, now)

export const listedIndexes = (indexes: ReadonlySet<number>): string =>
  [...indexes].toSorted((a, b) => a - b).join(" ")
