import * as Schema from "effect/Schema"
import {
  countSchema,
  literalsSchema,
  optionalField,
  requiredField,
  DurationSchema
} from "../../behaviours/fieldSchemas.ts"
import { faultSchema, partyField } from "./faultFields.ts"
import type { FaultDuration, FaultSchemas, Party, WriteVerb } from "./faultFields.ts"

export interface WriteFaultTypes {
  /**
   * Writes are refused with 409, 429, 500, or 504 (carried out, but the response is lost). A client's write is
   * matched by its request: a PATCH of `/scale` is a `patch`, an eviction a `create`. A 409 never matches a client's
   * `create`, where it would mean that the object exists.
   */
  readonly writesRefused: {
    readonly fault: "writesRefused"
    readonly of: Party
    readonly code: 409 | 429 | 500 | 504
    readonly resource?: string
    readonly verb?: WriteVerb
    /** Each retry of a controller after 429 counts. */
    readonly times?: number
  }
  readonly writesSlow: { readonly fault: "writesSlow"; readonly of: Party; readonly by: FaultDuration }
}

export const writeFaultSchemas = {
  writesRefused: faultSchema("writesRefused", "Writes to the API are refused.", {
    of: partyField,
    code: requiredField(
      literalsSchema([409, 429, 500, 504]),
      "409 Conflict, 429 Too Many Requests, 500 Internal Server Error, or 504: the write is carried out, but its response is lost."
    ),
    resource: optionalField(Schema.String, "Only writes of this resource: pods, deployments.apps."),
    verb: optionalField(
      literalsSchema(["create", "update", "patch", "delete", "status"]),
      "Only writes with this verb."
    ),
    times: optionalField(
      countSchema({ min: 1 }),
      "The number of refusals, retries included; no limit by default."
    )
  }),
  writesSlow: faultSchema("writesSlow", "Every write takes longer.", {
    of: partyField,
    by: requiredField(DurationSchema, "The additional time.")
  })
} as const satisfies FaultSchemas<WriteFaultTypes>
