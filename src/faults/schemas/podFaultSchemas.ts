import * as Schema from "effect/Schema"
import { DelaySchema, GlobSchema } from "../../behaviours/behaviourSchema.ts"
import {
  countSchema,
  literalsSchema,
  optionalField,
  requiredField,
  DurationSchema
} from "../../behaviours/fieldSchemas.ts"
import { faultSchema, podsField } from "./faultFields.ts"
import type { Delay } from "../../behaviours/behaviour.ts"
import type { FaultDuration, FaultSchemas, PodChoice } from "./faultFields.ts"

export interface PodFaultTypes {
  /**
   * Containers exit with `exitCode` (1, or 137 for OOMKilled); with `for`, also every run that starts meanwhile.
   * Without `count`, new Pods are affected, too.
   */
  readonly crash: {
    readonly fault: "crash"
    readonly pods: PodChoice
    readonly exitCode?: number
    readonly reason?: "Error" | "OOMKilled"
  }
  readonly fail: { readonly fault: "fail"; readonly pods: PodChoice; readonly reason?: string }
  readonly kill: { readonly fault: "kill"; readonly pods: PodChoice; readonly gracePeriodSeconds?: number }
  /** Without `count`, new Pods flap, too. Without `for`, the fault lasts until all drawn Pods are gone. */
  readonly flap: {
    readonly fault: "flap"
    readonly pods: PodChoice
    readonly ready: FaultDuration
    readonly unready: FaultDuration
  }
  /** Containers answer neither probes nor requests. Without `for` the fault ends with the last hanging run. */
  readonly hang: { readonly fault: "hang"; readonly pods: PodChoice }
  /** New Pods take longer to answer, in every run. With `count`, only the first such Pods. */
  readonly slowStart: { readonly fault: "slowStart"; readonly pods: PodChoice; readonly by: Delay }
  /** In `image`, `*` matches any text. */
  readonly pullFails: { readonly fault: "pullFails"; readonly image: string; readonly error?: string }
}

export const podFaultSchemas = {
  crash: faultSchema(
    "crash",
    "Containers exit now with an exit code; with `for`, so does every run that begins during the fault.",
    {
      pods: podsField,
      exitCode: optionalField(
        countSchema({ min: 0, max: 255 }),
        "The exit code; 1 by default, 137 for OOMKilled."
      ),
      reason: optionalField(literalsSchema(["Error", "OOMKilled"]), "The reason in the container's status.")
    }
  ),
  fail: faultSchema("fail", "The Pod fails, as after an eviction by its node.", {
    pods: podsField,
    reason: optionalField(Schema.String, "The reason in the Pod's status.")
  }),
  kill: faultSchema("kill", "The Pod is deleted through the API, as `kubectl delete pod` does.", {
    pods: podsField,
    gracePeriodSeconds: optionalField(countSchema({ min: 0 }), "The grace period; by default the Pod's own.")
  }),
  flap: faultSchema("flap", "The Pod changes between ready and unready.", {
    pods: podsField,
    ready: requiredField(DurationSchema, "The time for which it is ready each time."),
    unready: requiredField(DurationSchema, "The time for which it is unready each time.")
  }),
  hang: faultSchema("hang", "The containers answer neither probes nor requests any more.", {
    pods: podsField
  }),
  slowStart: faultSchema("slowStart", "Pods that start during the fault take longer until they are ready.", {
    pods: podsField,
    by: requiredField(DelaySchema, "The additional time.")
  }),
  pullFails: faultSchema("pullFails", "Pulls of an image fail.", {
    image: requiredField(GlobSchema, "A glob for the image; * stands for any text."),
    error: optionalField(Schema.String, "The error message of the registry.")
  })
} as const satisfies FaultSchemas<PodFaultTypes>
