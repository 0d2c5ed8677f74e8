import type { AutoscalerStatus } from "./autoscalerTypes.ts"
import type { LookAgain } from "../apps/sharedCommands.ts"

export type AutoscalerCommand =
  /** Writes the scale of `spec.scaleTargetRef`. */
  | { readonly type: "scaleTarget"; readonly from: number; readonly to: number }
  | { readonly type: "reportAutoscaler"; readonly status: AutoscalerStatus }
  | LookAgain
