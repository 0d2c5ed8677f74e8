import type { DesiredCondition } from "../meta/conditions.ts"
import type { ReplicaSet } from "../meta/objects.ts"
import type { LookAgain } from "../apps/sharedCommands.ts"
import type { SteeringRecord } from "./steeringRecord.ts"

/** What a steering chart asks for. */
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
    }
  /** Writes on the ReplicaSet that its revision was complete. */
  | { readonly type: "markComplete"; readonly replicaSet: ReplicaSet; readonly mark: string }
  /** The Deployment's condition; undefined removes it. */
  | { readonly type: "reportSteering"; readonly condition: DesiredCondition | undefined }
  | LookAgain
