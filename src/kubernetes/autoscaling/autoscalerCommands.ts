import type { AutoscalerStatus } from "./autoscalerTypes.ts"
import type { LookAgain } from "../apps/sharedCommands.ts"

export type AutoscalerCommand =
  /** Writes the scale of the object that `spec.scaleTargetRef` names. */
  | { readonly type: "scaleTarget"; readonly from: number; readonly to: number }
  | { readonly type: "reportAutoscaler"; readonly status: AutoscalerStatus }
  | LookAgain
