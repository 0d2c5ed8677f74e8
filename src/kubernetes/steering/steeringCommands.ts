import type { DesiredCondition } from "../meta/conditions.ts"
import type { Draft, Pod, ReplicaSet } from "../meta/objects.ts"
import type { Job } from "../batch/jobs/jobTypes.ts"
import type { LookAgain } from "../apps/sharedCommands.ts"
import type { Service } from "../core/endpoints.ts"
import type { SteeringQuestion } from "./steeringQuestions.ts"
import type { SteeringRecord } from "./steeringRecord.ts"

export type SteeringCommand =
  /**
   * Writes the record, in one write with the removal of annotations that it answers, and with the template of `undoTo`
   * if there is one. Refused when the Deployment has changed since the look.
   */
  | {
      readonly type: "recordSteering"
      /** Undefined removes it. */
      readonly record: SteeringRecord | undefined
      readonly removes?: ReadonlyArray<string>
      readonly undoTo?: ReplicaSet
      /** Names of Pods that the look did not see. Refused while one of them exists: the look was of an earlier time. */
      readonly absent?: ReadonlyArray<string>
    }
  /** Opens the readiness gate of Pods, one write each. */
  | { readonly type: "approve"; readonly pods: ReadonlyArray<Pod> }
  /** Closes it again: the Pods are no longer Ready. */
  | { readonly type: "revoke"; readonly pods: ReadonlyArray<Pod>; readonly reason: string }
  /** Writes on the ReplicaSet that its revision was complete. */
  | { readonly type: "markComplete"; readonly replicaSet: ReplicaSet; readonly mark: string }
  /** The Deployment's condition; undefined removes it. */
  | { readonly type: "reportSteering"; readonly condition: DesiredCondition | undefined }
  /** Starts the Job of a hook. One of this name that exists is the same run. */
  | { readonly type: "run"; readonly job: HookJobDraft }
  /**
   * Asks outside of the cluster, and puts the answer on record: `answeredRecord`. Refused when the record has
   * changed in the meantime.
   */
  | { readonly type: "ask"; readonly question: SteeringQuestion; readonly record: SteeringRecord }
  /** Lets a Service select the Pods of one revision, beside what else it selects. */
  | { readonly type: "pointService"; readonly service: Service; readonly hash: string }
  | LookAgain

export type HookJobDraft = Draft & { readonly spec: Omit<Job["spec"], "selector"> }
