import { countSchema, optionalField, requiredField, DurationSchema } from "../../behaviours/fieldSchemas.ts"
import { faultSchema, controllerField } from "./faultFields.ts"
import type { ControllerName } from "../../runtime/reconciler/controllerTurnOrder.ts"
import type { FaultDuration, FaultSchemas } from "./faultFields.ts"

export interface ControllerFaultTypes {
  /** After the fault, the controller looks at every object. */
  readonly controllerStopped: { readonly fault: "controllerStopped"; readonly controller: ControllerName }
  readonly controllerSlow: {
    readonly fault: "controllerSlow"
    readonly controller: ControllerName
    readonly by: FaultDuration
  }
  /** The controller is killed after this many more writes (0: now) and restarted. */
  readonly controllerRestarted: {
    readonly fault: "controllerRestarted"
    readonly controller: ControllerName
    readonly afterWrites?: number
  }
}

export const controllerFaultSchemas = {
  controllerStopped: faultSchema(
    "controllerStopped",
    "The controller does nothing, and reconciles every object when it is back.",
    { controller: controllerField }
  ),
  controllerSlow: faultSchema("controllerSlow", "The controller takes longer to reconcile each object.", {
    controller: controllerField,
    by: requiredField(DurationSchema, "The time for each object.")
  }),
  controllerRestarted: faultSchema(
    "controllerRestarted",
    "The controller is killed between two of its writes and restarted. The remaining writes are lost.",
    {
      controller: controllerField,
      afterWrites: optionalField(
        countSchema({ min: 0 }),
        "The number of writes before it is killed; 0, at once, by default."
      )
    }
  )
} as const satisfies FaultSchemas<ControllerFaultTypes>
