import { admission } from "./explained/admission.ts"
import { charts } from "./explained/charts.ts"
import { customResources } from "./explained/customResources.ts"
import { faults } from "./explained/faults.ts"
import { managedFields } from "./explained/managedFields.ts"
import { patches } from "./explained/patches.ts"
import { podAdmission } from "./explained/podAdmission.ts"
import { pods } from "./explained/pods.ts"
import { recording } from "./explained/recording.ts"
import { rollouts } from "./explained/rollouts.ts"
import { services } from "./explained/services.ts"

/** Changes that no test notices and that none needs to, each with its reason. */
export interface Explained {
  readonly file: string
  readonly why: string
  /** A line of source without its indentation, and what stands there after the change; without that, any change. */
  readonly changes: ReadonlyArray<readonly [line: string, ...to: ReadonlyArray<string>]>
}

export const explained: ReadonlyArray<Explained> = [
  ...admission,
  ...charts,
  ...customResources,
  ...faults,
  ...managedFields,
  ...patches,
  ...podAdmission,
  ...pods,
  ...recording,
  ...rollouts,
  ...services
]
