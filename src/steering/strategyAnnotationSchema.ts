import * as Schema from "effect/Schema"
import { countInRange, DurationSchema, literalsSchema, optionalField } from "../behaviours/fieldSchemas.ts"

const failureFields = {
  restarts: optionalField(
    countInRange(0),
    "Restarts of the new revision's containers, all Pods together, that are not yet a failure; 3 by default."
  ),
  cannotStart: optionalField(
    DurationSchema,
    "How long after its creation a new Pod may be unable to start, such as for an image that cannot be pulled; 1m by default."
  ),
  onFailure: optionalField(
    literalsSchema(["undo", "hold"]),
    "undo: go back to the last revision that was complete. hold: leave the template as it is."
  )
}

export const AutomaticRollbackSchema = Schema.Struct(failureFields).annotate({
  identifier: "AutomaticRollback",
  description: "Takes a rollout back when its new revision fails."
})
