import * as Schema from "effect/Schema"
import { stringRecordSchema, optionalField } from "../../behaviours/fieldSchemas.ts"
import { faultSchema } from "./faultFields.ts"
import type { FaultSchemas } from "./faultFields.ts"

export interface QuotaFaultTypes {
  /** Without `hard`, the quota allows no more Pods than exist. */
  readonly quotaExhausted: {
    readonly fault: "quotaExhausted"
    readonly namespace?: string
    readonly hard?: Readonly<Record<string, string>>
  }
}

export const quotaFaultSchemas = {
  quotaExhausted: faultSchema("quotaExhausted", "A ResourceQuota is created that is used up.", {
    namespace: optionalField(Schema.String, "The namespace of the quota; `default` by default."),
    hard: optionalField(stringRecordSchema, "spec.hard of the quota; by default the present number of Pods.")
  })
} as const satisfies FaultSchemas<QuotaFaultTypes>
