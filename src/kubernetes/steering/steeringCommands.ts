import type { DesiredCondition } from "../meta/conditions.ts"
import type { Draft, Pod, ReplicaSet } from "../meta/objects.ts"
import type { Job } from "../batch/jobs/jobTypes.ts"
import type { LookAgain, ObjectIdentity, RecordEvent } from "../apps/sharedCommands.ts"
import type { Service } from "../core/endpoints.ts"
import type { SteeringQuestion } from "./steeringQuestions.ts"
import type { SteeringRecord } from "./steeringRecord.ts"

export type SteeringCommand =
  /** The write is refused if the Deployment has changed since the observation. */
  | {
      readonly type: "recordSteering"
      /** Undefined removes the record. */
      readonly record: SteeringRecord | undefined
      /** The annotations to remove, such as a request that was followed. */
      readonly removes?: ReadonlyArray<string>
      readonly undoTo?: ReplicaSet
      /** Pods that the record drops; the write is refused if one of them exists. */
      readonly absent?: ReadonlyArray<string>
    }
  | { readonly type: "approve"; readonly pods: ReadonlyArray<Pod> }
  | { readonly type: "revoke"; readonly pods: ReadonlyArray<Pod>; readonly reason: string }
  /** `mark`: the value of the annotation `charthouse.dev/completed`. */
  | { readonly type: "markComplete"; readonly replicaSet: ReplicaSet; readonly mark: string }
  /** Undefined removes the condition. */
  | { readonly type: "reportSteering"; readonly condition: DesiredCondition | undefined }
  /** Refused while a late watch does not show that the Job exists: its Event has been written. */
  | { readonly type: "run"; readonly job: HookJobDraft }
  | { readonly type: "deleteJobs"; readonly children: ReadonlyArray<ObjectIdentity> }
  /** Sends the HTTP request of a hook or an analysis. The answer is refused if the record has changed since. */
  | { readonly type: "ask"; readonly question: SteeringQuestion; readonly record: SteeringRecord }
  | { readonly type: "pointService"; readonly service: Service; readonly hash: string }
  | LookAgain

export type SteeringCommands = ReadonlyArray<SteeringCommand | RecordEvent>

export type HookJobDraft = Draft & { readonly spec: Omit<Job["spec"], "selector"> }
