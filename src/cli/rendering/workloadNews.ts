import type { KubeObject } from "../../kubernetes/meta/objects.ts"

/** A change in a rollout that the run did not begin itself, such as one by kubectl. */
export interface WorkloadNews {
  readonly workload: KubeObject
  readonly atMillis: number
  readonly reason:
    | "Progressing"
    | "Scaled"
    | "Paused"
    | "Resumed"
    | "Scheduled"
    | "Superseded"
    | "Complete"
    | "Failed"
    | "Deleted"
  readonly message: string
  readonly troubles: ReadonlyArray<string>
}
