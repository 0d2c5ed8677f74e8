import type { DesiredCondition } from "../meta/conditions.ts"
import type { Draft, Pod, ReplicaSet } from "../meta/objects.ts"
import type { Job } from "../batch/jobs/jobTypes.ts"
import type { LookAgain } from "../apps/sharedCommands.ts"
import type { Service } from "../core/endpoints.ts"
import type { SteeringQuestion } from "./steeringQuestions.ts"
import type { SteeringRecord } from "./steeringRecord.ts"

/** What a steering chart asks its controller to do. */
export type SteeringCommand =
  /**
   * Writes the record to the Deployment; the same write removes annotations (`removes`) and sets the template of
   * `undoTo`, if given. Refused if the Deployment has changed since the look.
   */
  | {
      readonly type: "recordSteering"
      /** Undefined removes the record. */
      readonly record: SteeringRecord | undefined
      readonly removes?: ReadonlyArray<string>
      readonly undoTo?: ReplicaSet
      /** Names of Pods that this record drops, since they were not observed. If one exists, the write is refused. */
      readonly absent?: ReadonlyArray<string>
    }
  /** Opens the readiness gate of each Pod. */
  | { readonly type: "approve"; readonly pods: ReadonlyArray<Pod> }
  /** Closes the readiness gate of each Pod, which is then not Ready. */
  | { readonly type: "revoke"; readonly pods: ReadonlyArray<Pod>; readonly reason: string }
  /** Writes an annotation on the ReplicaSet: its revision was complete. */
  | { readonly type: "markComplete"; readonly replicaSet: ReplicaSet; readonly mark: string }
  /** Writes the condition `charthouse.dev/Steered` of the Deployment; undefined removes it. */
  | { readonly type: "reportSteering"; readonly condition: DesiredCondition | undefined }
  /** Starts the Job of a hook. If a Job with its name exists, it has been started already. */
  | { readonly type: "run"; readonly job: HookJobDraft }
  /**
   * Asks a question outside of the cluster, and adds the answer to the record. Refused if the record has changed in the
   * meantime.
   */
  | { readonly type: "ask"; readonly question: SteeringQuestion; readonly record: SteeringRecord }
  /** Adds the pod-template-hash to the selector of a Service. */
  | { readonly type: "pointService"; readonly service: Service; readonly hash: string }
  | LookAgain

export type HookJobDraft = Draft & { readonly spec: Omit<Job["spec"], "selector"> }
